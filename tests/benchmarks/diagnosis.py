"""A measurement of how often the diagnosis names the mistakes made, and how long it takes: for one, two, three, and four to seven mistakes.

    python tests/benchmarks/diagnosis.py [--pairs 40] [--triples 25] [--more 10] [SLUG]…

Every mistake of an exercise is diagnosed by itself. Sets of several mistakes are a sample, always the same, of the sets that can be made
together. A set counts as

    named        it is the one explanation given
    partly       some of it is named, and nothing else
    wrongly      anything else is named
    silent       nothing is named
    alike        it cannot be told apart: fewer mistakes, or as many others, explain everything; or every check passes

Shares are of the sets that can be told apart. Promised are 100 % of the singles, 95 % of the pairs and 85 % of the triples. Times are from
the verdict to the diagnosis, as multiples of `import torch` in the same run; observations of earlier mistakes are reused. Promised are a
median of at most 0.15 for the singles and of at most 0.5 for sets of any other size, and that no diagnosis takes more than 2. The exit code
is 1 if a promise was broken.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import Mistake, read_mistakes, together
from normgrade.grading.grader import Grader, Submitted
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.report.report import Outcome

PROMISED = {1: 1.0, 2: 0.95, 3: 0.85}
SINGLES_TIME, MEDIAN_TIME, WORST_TIME = 0.15, 0.5, 2.0
IMPORTS = 3
KINDS = ("named", "partly", "wrongly", "silent", "alike")


@dataclass
class Measured:
    """The results of all sets of one size."""

    kinds: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of named sets among those that can be told apart."""
        return self.kinds["named"] / max(self.kinds.total() - self.kinds["alike"], 1)


def import_torch() -> float:
    """Return the seconds that the import takes, as the median of some runs."""
    times = []
    for _ in range(IMPORTS):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import torch"], check=True)
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def sets_of(mistakes: Sequence[Mistake], reference: str, sizes: dict[int, int]) -> Iterator[tuple[Mistake, ...]]:
    """Yield every mistake by itself, then the given number of sets of each size."""
    yield from ((mistake,) for mistake in mistakes)
    draw = random.Random(0)
    for size, count in sizes.items():
        seen: set[frozenset[str]] = set()
        for _ in range(100 * count):
            chosen = tuple(sorted(draw.sample(mistakes, size), key=mistakes.index))
            names = frozenset(mistake.name for mistake in chosen)
            if names not in seen and together(reference, chosen) is not None:
                seen.add(names)
                yield chosen
            if len(seen) == count:
                break


def measure(grader: Grader, exercise: Exercise, mistakes: tuple[Mistake, ...], source: str) -> tuple[str, float, str]:
    """Return the kind of one set, the seconds that its diagnosis took, and the names of the mistakes found."""
    results = list(grader.results(exercise, source, exercise.file_name))
    failed = [result.check.name for result in results if result.check.outcome is Outcome.FAILED]
    started = time.perf_counter()
    submitted = Submitted(source, exercise.file_name)
    found = grader.diagnose(exercise, results, grader.search_s(exercise), submitted=submitted).diagnoses or ()
    seconds = time.perf_counter() - started
    made, sets = {mistake.name for mistake in mistakes}, [set(diagnosis.mistakes) for diagnosis in found]
    everything = bool(found) and list(found[0].checks) == failed
    if sets == [made]:
        kind = "named"
    elif not failed or (everything and (made in sets or len(sets[0]) <= len(made))):
        kind = "alike"
    elif not found:
        kind = "silent"
    else:
        kind = "partly" if sets[0] < made else "wrongly"
    return kind, seconds, " / ".join(" + ".join(diagnosis.mistakes) for diagnosis in found)


def measured(exercise: Exercise, sizes: dict[int, int]) -> dict[int, Measured]:
    """Measure all sets of an exercise, by size. Print those that are neither named nor alike."""
    found: defaultdict[int, Measured] = defaultdict(Measured)
    mistakes, reference = read_mistakes(exercise), read_text(exercise.reference)
    with open_grader([exercise], Options()) as grader:
        for chosen in sets_of(mistakes, reference, sizes):
            kind, seconds, named = measure(grader, exercise, chosen, together(reference, chosen) or "")
            found[len(chosen)].kinds[kind] += 1
            found[len(chosen)].seconds.append(seconds)
            if kind not in ("named", "alike"):
                print(f"  {exercise.slug}: {kind}: {' + '.join(mistake.name for mistake in chosen)} · {named or 'nothing'}", flush=True)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slugs", nargs="*")
    parser.add_argument("--pairs", type=int, default=40, help="of each exercise")
    parser.add_argument("--triples", type=int, default=25, help="of each exercise")
    parser.add_argument("--more", type=int, default=10, help="sets of each size from four to seven, of each exercise")
    options = parser.parse_args()
    sizes = {2: options.pairs, 3: options.triples} | dict.fromkeys(range(4, 8), options.more)
    course = Course.find()
    import_s = import_torch()
    total: defaultdict[int, Measured] = defaultdict(Measured)
    for exercise in [course.exercise(slug) for slug in options.slugs] or course:
        for size, each in measured(exercise, {size: count for size, count in sizes.items() if count}).items():
            total[size].kinds += each.kinds
            total[size].seconds += each.seconds
    print(f"\nimport torch: {import_s:.2f} s\n{'mistakes':>9}" + "".join(f"{name:>9}" for name in (*KINDS, "share", "median", "worst")))
    kept = True
    for size, each in sorted(total.items()):
        ratios = [seconds / import_s for seconds in each.seconds]
        limit = SINGLES_TIME if size == 1 else MEDIAN_TIME
        held = each.share >= PROMISED.get(size, 0.0) and statistics.median(ratios) <= limit and max(ratios) <= WORST_TIME
        counts = "".join(f"{each.kinds[kind]:>9}" for kind in KINDS)
        print(f"{size:>9}{counts}{each.share:>9.1%}{statistics.median(ratios):>9.3f}{max(ratios):>9.2f}  {'held' if held else 'BROKEN'}")
        kept &= held
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
