"""False accepts, false rejects, and how often the diagnosis names what was done: over mistakes, alternatives and seeds.

    python tests/benchmarks/acceptance.py [--seeds 20] [--every 10] [SLUG]…

Every right answer has to pass and every known mistake to fail, on the inputs of every seed. Each mistake alone has to be named, and nothing
else with it. Of all pairs of mistakes that can be made together, every tenth is diagnosed unless `--every` says otherwise. A pair counts as

    named        the two are the one explanation given
    one of many  so are other sets of the same size, which do the same at every check
    hidden       fewer mistakes explain everything: one half does what both do, or another mistake does
    cancelled    the two undo each other, and every check passes
    missed       anything else

Of the pairs that can be told apart, which are the named and the missed ones, 80 % have to be named. The exit code is 1 if a promise was
broken.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

from normgrade.course.course import Course, Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes, together
from normgrade.report.report import Outcome
from normgrade.suite.grader import Grader, open_grader
from normgrade.suite.grading_options import Options
from normgrade.verify.parallel import Job, Tick, available, over_cores

NAMED_PAIRS = 0.8


def accepted(grader: Grader, exercise: Exercise, source: str, seed: int) -> bool:
    return all(result.check.outcome is Outcome.PASSED for result in grader.results(exercise, source, exercise.file_name, seed))


def explanations(grader: Grader, exercise: Exercise, source: str, seed: int) -> list[frozenset[str]]:
    """Every set of mistakes that was diagnosed; one that is empty where nothing failed."""
    results = list(grader.results(exercise, source, exercise.file_name, seed))
    if all(result.check.outcome is Outcome.PASSED for result in results):
        return [frozenset()]
    return [frozenset(diagnosis.mistakes) for diagnosis in grader.diagnose(exercise, results) or ()]


def verdict(names: frozenset[str], found: Sequence[frozenset[str]]) -> str:
    if found == [names]:
        return "named"
    if names in found:
        return "one of many"
    if found == [frozenset()]:
        return "cancelled"
    return "hidden" if found and all(len(other) < len(names) for other in found) else "missed"


@dataclass
class Measured:
    """The numbers of one exercise in words, and whether all promises were kept."""

    slug: str
    lines: list[str] = field(default_factory=list)
    kept: bool = True


def measure(exercise: Exercise, seeds: Sequence[int], every: int, tick: Tick) -> Measured:
    """All of one exercise, which is one unit of work."""
    with open_grader([exercise], Options()) as grader:
        found = measured_at(grader, exercise, seeds, every)
    tick(exercise.slug)
    return found


def measured_at(grader: Grader, exercise: Exercise, seeds: Sequence[int], every: int) -> Measured:
    started = time.perf_counter()
    mistakes, reference = read_mistakes(exercise), read_text(exercise.reference)
    right = [read_text(path) for path in (exercise.reference, *exercise.alternatives)]
    found = Measured(exercise.slug, [f"\n{exercise.slug}: {len(seeds)} seeds"])
    say = found.lines.append

    false_rejects = sum(not accepted(grader, exercise, source, seed) for source in right for seed in seeds)
    false_accepts = sum(accepted(grader, exercise, mistake.source, seed) for mistake in mistakes for seed in seeds)
    say(f"  false rejects  {false_rejects} of {len(right) * len(seeds)} ({len(right)} right answers)")
    say(f"  false accepts  {false_accepts} of {len(mistakes) * len(seeds)} ({len(mistakes)} mistakes)")

    singles = Counter(verdict(frozenset({mistake.name}), explanations(grader, exercise, mistake.source, seeds[0])) for mistake in mistakes)
    say(f"  one mistake    named {singles['named']} of {len(mistakes)}")

    pairs = [pair for pair in combinations(mistakes, 2) if together(reference, pair) is not None]
    pairs_seen: Counter[str] = Counter()
    for pair in pairs[::every]:
        names = frozenset(mistake.name for mistake in pair)
        explained = explanations(grader, exercise, together(reference, pair) or "", seeds[0])
        pairs_seen[verdict(names, explained)] += 1
        if verdict(names, explained) in ("one of many", "missed"):
            others = "; ".join(" + ".join(sorted(other)) for other in explained if other != names) or "nothing"
            say(f"    {verdict(names, explained)}: {' + '.join(sorted(names))} · {others}")
    apart = pairs_seen["named"] + pairs_seen["missed"]
    share = pairs_seen["named"] / max(apart, 1)
    counts = ", ".join(f"{pairs_seen[kind]} {kind}" for kind in ("named", "one of many", "hidden", "cancelled", "missed"))
    say(f"  two together   {pairs_seen.total()} of {len(pairs)} pairs: {counts}: {share:.0%} of those that can be told apart")
    say(f"  {time.perf_counter() - started:.0f} s")
    found.kept = not false_rejects and not false_accepts and singles["named"] == len(mistakes) and share >= NAMED_PAIRS
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slugs", nargs="*")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--every", type=int, default=10)
    options = parser.parse_args()
    course = Course.find()
    exercises = [course.exercise(slug) for slug in options.slugs] or list(course)
    jobs = [Job(1, partial(measure, exercise, range(options.seeds), options.every)) for exercise in exercises]
    results = over_cores(jobs, available(), lambda what, done, total: print(f"{done} of {total}: {what}", file=sys.stderr, flush=True))
    for result in results:
        print(*result.lines, sep="\n", flush=True)
    kept = all(result.kept for result in results)
    print("\nall promises were kept" if kept else "\na promise was BROKEN")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
