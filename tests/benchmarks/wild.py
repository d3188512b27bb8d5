"""A measurement of how much a diagnosis names in submissions as people really write them: those of tests/grader/wild.

    python tests/benchmarks/wild.py [SLUG]…

The table has for every file: the number of deviations that are known mistakes, how many of them the diagnosis names, how many names are
wrong, how many are left out, the seconds from the verdict to the diagnosis, and how many of the named mistakes it shows at a line, rightly
and wrongly. The exit code is 1 if less than 70 % are named, if more than 5 % of the names are wrong, or if a line is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.mistakes import read_mistakes
from normgrade.grading.grade import Submission
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.grading.reporting import report_on
from normgrade.inspection.inspection import inspect_file
from normgrade.report.report import Check, Report

sys.path.insert(0, str(Path(__file__).parents[1] / "grader" / "harness"))

from wild import Wild, wild_submissions

NAMED, WRONG = 0.70, 0.05
COLUMNS = "{:38} {:>10} {:>6} {:>6} {:>8} {:>6} {:>12}"


def measure(grader: Grader, exercise: Exercise, wild: Wild) -> Counter[str]:
    """Return the counts of one file. Print them, with the mistakes that are wrong or left out."""
    verdict_at = time.perf_counter()

    def on_event(event: Check | Report) -> None:
        nonlocal verdict_at
        verdict_at = time.perf_counter()

    inspection = inspect_file(wild.path, exercise)
    report = report_on(grader, Submission(exercise, wild.path, wild.path.name), inspection, on_event)
    seconds = time.perf_counter() - verdict_at
    said = {name for diagnosis in report.diagnoses[:1] for name in diagnosis.mistakes}
    named, wrong = wild.named_by(said), (said & {each.name for each in read_mistakes(exercise)}) - wild.names
    spots = [spot for diagnosis in report.diagnoses[:1] for spot in diagnosis.spots if spot.mistake in wild.names]
    true_lines = {each.name: each.lines for each in wild.deviations}
    off = [spot for spot in spots if spot.line not in true_lines[spot.mistake]]
    shown = {spot.mistake for spot in spots}
    found = Counter(known=len(wild.names), named=len(named), wrong=len(wrong), shown=len(shown), off=len(off))
    print(row(f"{wild.slug}/{wild.name}", found, f"{seconds:.2f}"), flush=True)
    for word, names in (("wrong", wrong), ("left out", wild.names - named)):
        if names:
            print(f"    {word}: {', '.join(sorted(names))}")
    for spot in off:
        print(f"    wrong line: {spot.mistake} at {spot.line} | {spot.text.strip()}")
    return found


def row(name: str, found: Counter[str], seconds: str) -> str:
    left_out, shown = found["known"] - found["named"], f"{found['shown']}, {found['off']} wrong"
    return COLUMNS.format(name, found["known"], found["named"], found["wrong"], left_out, seconds, shown)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slug", nargs="*")
    given = parser.parse_args()
    total: Counter[str] = Counter()
    print(COLUMNS.format("submission", "deviations", "named", "wrong", "left out", "s", "at a line"))
    for exercise in Course.find():
        if not given.slug or exercise.slug in given.slug:
            with open_grader([exercise], Options()) as grader:
                for wild in wild_submissions():
                    if wild.slug == exercise.slug:
                        total += measure(grader, exercise, wild)
    print(row("all", total, ""))
    said = total["named"] + total["wrong"]
    print(f"{total['named'] / max(1, total['known']):.0%} of the deviations named, {total['wrong'] / max(1, said):.0%} of the names wrong")
    return int(total["named"] < NAMED * total["known"] or total["wrong"] > WRONG * said or total["off"] > 0)


if __name__ == "__main__":
    sys.exit(main())
