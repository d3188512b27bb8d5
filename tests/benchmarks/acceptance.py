"""False accepts, false rejects, and how often the diagnosis names what was done: over mistakes, alternatives and seeds.

    python tests/benchmarks/acceptance.py [--seeds 20] [--every 10] [SLUG]…

Every right answer has to pass and every known mistake to fail, on the inputs of every seed. Each mistake alone has to be named, and nothing
else with it. Of all pairs of mistakes that can be made together, every tenth is diagnosed unless `--every` says otherwise. A pair counts as

    named        the two are the one explanation given
    one of many  so are other sets of the same size, which do the same at every check
    hidden       fewer mistakes explain everything: one half does what both do, or another mistake does
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

from normgrade.course import Course, Exercise, read
from normgrade.grade import Desk, Options, at_desk
from normgrade.mistakes import pairs_of, read_mistakes, together
from normgrade.report import Outcome

NAMED_PAIRS = 0.8


def accepted(desk: Desk, exercise: Exercise, source: str, seed: int) -> bool:
    return all(result.check.outcome is Outcome.PASSED for result in desk.run(exercise, source, exercise.file_name, seed))


def explanations(desk: Desk, exercise: Exercise, source: str, seed: int) -> list[frozenset[str]]:
    results = desk.run(exercise, source, exercise.file_name, seed)
    return [frozenset(diagnosis.mistakes) for diagnosis in desk.diagnose(exercise, results)]


def verdict(names: frozenset[str], found: Sequence[frozenset[str]]) -> str:
    if found == [names]:
        return "named"
    if names in found:
        return "one of many"
    return "hidden" if found and all(len(other) < len(names) for other in found) else "missed"


def measure(desk: Desk, exercise: Exercise, seeds: Sequence[int], every: int) -> bool:
    """Print the numbers of one exercise; whether all promises were kept."""
    started = time.perf_counter()
    mistakes, reference = read_mistakes(exercise), read(exercise.reference)
    right = [read(path) for path in (exercise.reference, *exercise.alternatives)]
    false_rejects = sum(not accepted(desk, exercise, source, seed) for source in right for seed in seeds)
    false_accepts = sum(accepted(desk, exercise, mistake.source, seed) for mistake in mistakes for seed in seeds)
    print(f"\n{exercise.slug}: {len(seeds)} seeds")
    print(f"  false rejects  {false_rejects} of {len(right) * len(seeds)} ({len(right)} right answers)")
    print(f"  false accepts  {false_accepts} of {len(mistakes) * len(seeds)} ({len(mistakes)} mistakes)")

    singles = Counter(verdict(frozenset({mistake.name}), explanations(desk, exercise, mistake.source, seeds[0])) for mistake in mistakes)
    print(f"  one mistake    named {singles['named']} of {len(mistakes)}", flush=True)

    pairs = pairs_of(reference, mistakes)
    pairs_seen: Counter[str] = Counter()
    for pair in pairs[::every]:
        names = frozenset(mistake.name for mistake in pair)
        found = explanations(desk, exercise, together(reference, pair) or "", seeds[0])
        pairs_seen[verdict(names, found)] += 1
        if verdict(names, found) in ("one of many", "missed"):
            others = "; ".join(" + ".join(sorted(other)) for other in found if other != names) or "nothing"
            print(f"    {verdict(names, found)}: {' + '.join(sorted(names))} · {others}", flush=True)
    apart = pairs_seen["named"] + pairs_seen["missed"]
    share = pairs_seen["named"] / max(apart, 1)
    counts = ", ".join(f"{pairs_seen[kind]} {kind}" for kind in ("named", "one of many", "hidden", "missed"))
    print(f"  two together   {pairs_seen.total()} of {len(pairs)} pairs: {counts}: {share:.0%} of those that can be told apart")
    print(f"  {time.perf_counter() - started:.0f} s", flush=True)
    return not false_rejects and not false_accepts and singles["named"] == len(mistakes) and share >= NAMED_PAIRS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slugs", nargs="*")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--every", type=int, default=10)
    options = parser.parse_args()
    course = Course.find()
    exercises = [course.exercise(slug) for slug in options.slugs] or list(course)
    seeds = range(options.seeds)
    kept = at_desk(exercises, Options(), lambda desk: [measure(desk, exercise, seeds, options.every) for exercise in exercises])
    print("\nall promises were kept" if all(kept) else "\na promise was BROKEN")
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
