"""The points left with every known mistake: those of the claims that still hold, and those given.

python tests/benchmarks/points.py [SLUG]…
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.mistakes import read_mistakes
from normgrade.grading.grade import Submission, grade
from normgrade.report.report import Outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("slugs", nargs="*")
    course = Course.find()
    for exercise in [course.exercise(slug) for slug in parser.parse_args().slugs] or course:
        table(exercise)
    return 0


def table(exercise: Exercise) -> None:
    """Print both points of every mistake of an exercise, and their means."""
    with TemporaryDirectory() as folder:
        submissions = []
        for mistake in read_mistakes(exercise):
            path = Path(folder, f"{mistake.name}.py")
            path.write_text(mistake.source, encoding="utf-8")
            submissions.append(Submission(exercise, path, mistake.name))
        reports = grade(submissions)
    assert not any(report.outcome is Outcome.PASSED for report in reports)
    print(f"\n{exercise.slug}{'claims':>50}{'given':>8}")
    for report in reports:
        print(f"  {report.submission:50}{report.of_claims:>6}{report.earned:>8}", flush=True)
    count = len(reports)
    print(
        f"  {'mean':50}{sum(report.of_claims for report in reports) / count:>6.1f}{sum(report.earned for report in reports) / count:>8.1f}"
    )


if __name__ == "__main__":
    sys.exit(main())
