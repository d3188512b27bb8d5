"""Tests of reports on single answers of a course."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from normgrade.course.course import Course
from normgrade.grading.grading_options import Options
from normgrade.language.errors import UsageError
from normgrade.report.report import Outcome
from normgrade.verify.close_up import close_up

pytestmark = pytest.mark.usefixtures("expectations")


def test_mistake_is_reported_as_to_a_learner(tiny: Course) -> None:
    [report] = close_up(tiny.exercise("rms"), "eps-outside-root", None, (0,))
    assert (report.submission, report.outcome, report.possible, report.earned) == ("eps-outside-root", Outcome.FAILED, 8, 4)
    assert [diagnosis.mistakes for diagnosis in report.diagnoses] == [("eps-outside-root",)]


def test_every_seed_has_a_report(tiny: Course) -> None:
    reports = close_up(tiny.exercise("rms"), None, "einsum", (0, 3), Options(only="test_alone"))
    assert [(report.submission, report.seed) for report in reports] == [("solutions/rms/alternatives/einsum.py", seed) for seed in (0, 3)]
    assert {(report.outcome, report.earned, report.possible) for report in reports} == {(Outcome.PASSED, 2, 2)}


def test_without_a_name_all_right_answers_are_reported(tiny: Course) -> None:
    reports = close_up(tiny.exercise("rms"), None, None, (0,), Options(only="test_rows*"))
    assert [report.submission for report in reports] == ["solutions/rms/reference.py", "solutions/rms/alternatives/einsum.py"]
    assert {tuple(check.name for check in report.checks) for report in reports} == {("test_rows[shape0]", "test_rows[shape1]")}


def test_wrong_answers_can_be_named_too(edited_course: Callable[..., Course]) -> None:
    twice = '[twice]\nwhat = "eps counts twice"\nedit = [["mean_square + eps", "mean_square + 2 * eps"]]\n'
    exercise = edited_course({"solutions/rms/wrong.toml": twice}).exercise("rms")
    [report] = close_up(exercise, "twice", None, (0,), Options(only="test_rows"))
    assert report.outcome is Outcome.FAILED
    with pytest.raises(UsageError, match='rms has no mistake named "thrice"'):
        close_up(exercise, "thrice", None, (0,))
