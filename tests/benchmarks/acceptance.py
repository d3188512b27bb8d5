"""The numbers of false accepts and false rejects, over right answers, wrong ones and seeds.

    python tests/benchmarks/acceptance.py [--seeds 20] [SLUG]…

Every right answer must pass and every wrong one must fail, be it a known mistake or not, on the inputs of every seed. The exit code is 1
if a promise was broken.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes, read_wrong
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options, available
from normgrade.grading.opening import open_grader
from normgrade.grading.parallel import Job, Tick, over_cores
from normgrade.report.report import Outcome


def accepted(grader: Grader, exercise: Exercise, source: str, seed: int) -> bool:
    return all(result.check.outcome is Outcome.PASSED for result in grader.results(exercise, source, exercise.file_name, seed))


@dataclass
class Measured:
    """The results of one exercise as lines of text; `kept` is true if all promises were kept."""

    slug: str
    lines: list[str] = field(default_factory=list)
    kept: bool = True


def measure(exercise: Exercise, seeds: Sequence[int], tick: Tick) -> Measured:
    """Measure one exercise, which is one unit of work."""
    with open_grader([exercise], Options()) as grader:
        found = measured_at(grader, exercise, seeds)
    tick(exercise.slug)
    return found


def measured_at(grader: Grader, exercise: Exercise, seeds: Sequence[int]) -> Measured:
    started = time.perf_counter()
    wrong = {answer.name: answer.source for answer in (*read_mistakes(exercise), *read_wrong(exercise))}
    files = exercise.reference, *exercise.alternatives
    right = {str(path.relative_to(exercise.reference.parent)): read_text(path) for path in files}
    judged = partial(accepted, grader, exercise)
    found = Measured(exercise.slug, [f"\n{exercise.slug}: {len(seeds)} seeds"])
    for what, answers, should_pass in (("rejects", right, True), ("accepts", wrong, False)):
        false = {name: [seed for seed in seeds if judged(source, seed) is not should_pass] for name, source in answers.items()}
        number = sum(map(len, false.values()))
        found.lines.append(f"  false {what}  {number} of {len(answers) * len(seeds)} ({len(answers)} answers)")
        found.lines += [f"    {name}: seeds {', '.join(map(str, those))}" for name, those in false.items() if those]
        found.kept &= not number
    found.lines.append(f"  {time.perf_counter() - started:.0f} s")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slugs", nargs="*")
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    course = Course.find()
    exercises = [course.exercise(slug) for slug in options.slugs] or list(course)
    jobs = [Job(1, partial(measure, exercise, range(options.seeds))) for exercise in exercises]
    results = over_cores(jobs, available(), lambda what, done, total: print(f"{done} of {total}: {what}", file=sys.stderr, flush=True))
    for result in results:
        print(*result.lines, sep="\n", flush=True)
    kept = all(result.kept for result in results)
    print("\nall promises were kept" if kept else "\na promise was BROKEN")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
