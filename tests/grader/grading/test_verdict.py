"""Tests of verdicts: which exceptions of a test count against the submission, which against the suite, and which end the grader."""

from __future__ import annotations

import pytest
from uses_made import X, play, raised, step, story

from normgrade.grading.verdict import PASSED, Verdict, judged, result
from normgrade.language.errors import CourseError
from normgrade.report.report import Kind, Outcome
from normgrade.suite.blame import BrokenSuite
from normgrade.suite.suite import HiddenTest
from normgrade.suite.vocabulary import Disagreement

WRONG = play(story([step(X)]), wrong={1})
CRASHED = play(story([step(X)]), raised(1, line=5))
TEST = HiddenTest("test_it", "It holds.", Kind.FORMULA, 2, "Look.", lambda: None, {}, str)


@pytest.mark.parametrize(
    ("error", "outcome", "message"),
    [
        (Disagreement("no"), Outcome.FAILED, "no"),
        (AssertionError(), Outcome.FAILED, "the claim does not hold"),
        (CourseError("no file"), Outcome.ERROR, "no file"),
        (BrokenSuite("why"), Outcome.ERROR, "the suite is broken, not your code: why"),
        (ZeroDivisionError("by 0"), Outcome.ERROR, "the suite is broken, not your code: ZeroDivisionError: by 0"),
    ],
)
def test_exception_is_blamed_on_its_cause(error: Exception, outcome: Outcome, message: str) -> None:
    assert judged(error, [])[:2] == (outcome, message)


def test_failed_check_has_hint_and_raising_lines() -> None:
    failed = result(TEST, [CRASHED], Verdict(Outcome.FAILED, "no"), 0.5).check
    assert (failed.message, failed.hint, failed.lines, failed.points, failed.earned) == ("no", "Look.", (5,), 2, 0)
    passed = result(TEST, [CRASHED], PASSED, 0.5).check
    assert (passed.hint, passed.lines, passed.earned) == ("", (), 2)
