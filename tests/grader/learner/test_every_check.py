"""Every check is played, and its result is passed on."""

from __future__ import annotations

from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.learner.every_check import results_of
from normgrade.report.report import Outcome


def test_every_result_is_returned_with_progress(tiny: Course, expectations: Path) -> None:
    rms, told = tiny.exercise("rms"), list[tuple[str, int, int]]()
    options = Options(progress=lambda what, done, total: told.append((what, done, total)))
    with open_grader([rms], options) as grader:
        results = list(results_of(grader, rms, read_text(rms.reference), "rms.py", "playing"))
    assert {result.check.outcome for result in results} == {Outcome.PASSED}
    assert [step for step in told if step[0] == "playing"] == [("playing", number, len(results)) for number in range(1, len(results) + 1)]
