"""Reports as data: what is earned, and what a course reveals."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from typing import Literal

import numpy as np
import pytest

from normgrade.language.places import Place
from normgrade.report.report import Check, Diagnosis, Difference, Finding, Numbers, Outcome, Report
from normgrade.report.reveal import reveal

OFF = Difference(Place("output", step=1), "float32", (2,), 1, 2, 0.1, 0.1, 1e-6, (1,), 1.0, 1.1, "every value + 0.1")
PASSED = Check("test_output", "The output is normalised.", "formula", Outcome.PASSED, 3, stdout="x = 1.5\n")
FAILED = Check("test_state", "The state follows.", "state", Outcome.FAILED, 5, 0.1, "1.1 is not 1.0", "Look at it.", "1.1\n", (OFF,))
REPORT = Report(
    exercise="layer_norm",
    submission="layer_norm.py",
    outcome=Outcome.FAILED,
    possible=8,
    sandbox="linux",
    seed=0,
    duration_s=0.4,
    findings=(Finding(3, 1, "banned", "F.layer_norm is banned"),),
    diagnoses=(Diagnosis(("no-eps",), "Add eps.", ("test_state",)),),
    checks=(PASSED, FAILED),
)


@pytest.mark.parametrize(("outcome", "earned"), [(outcome, 3 if outcome == "passed" else 0) for outcome in Outcome])
def test_only_a_passed_check_earns_its_points(outcome: Outcome, earned: int) -> None:
    assert replace(PASSED, outcome=outcome).earned == earned


def test_a_report_earns_what_its_checks_earn() -> None:
    assert REPORT.earned == 3
    assert replace(REPORT, checks=()).earned == 0
    assert replace(REPORT, checks=(PASSED, replace(FAILED, outcome=Outcome.PASSED))).earned == 8


def test_points_of_checks_that_are_not_shown_still_count() -> None:
    assert replace(REPORT, withheld=4).earned == 7


def test_outcomes_are_their_words() -> None:
    assert [str(outcome) for outcome in Outcome] == ["passed", "failed", "skipped", "error", "not started"]


def test_a_report_does_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        REPORT.possible = 20  # type: ignore[misc]


def test_differences_are_equal_whatever_numbers_they_carry_along() -> None:
    numbers = Numbers(np.zeros(2), np.ones(2), np.zeros(2))
    assert replace(OFF, numbers=numbers) == OFF and "numbers" not in repr(replace(OFF, numbers=numbers))


def test_full_reveals_everything() -> None:
    assert reveal(REPORT, "full") == REPORT


def test_claims_reveal_claims_outcomes_and_diagnoses_alone() -> None:
    shown = reveal(REPORT, "claims")
    assert shown.checks == (
        Check("test_output", "The output is normalised.", "formula", Outcome.PASSED, 3),
        Check("test_state", "The state follows.", "state", Outcome.FAILED, 5, 0.1),
    )
    assert replace(shown, checks=REPORT.checks) == REPORT


def test_score_reveals_outcome_score_and_findings_alone() -> None:
    shown = reveal(REPORT, "score")
    assert (shown.checks, shown.diagnoses, shown.findings) == ((), (), REPORT.findings)


@pytest.mark.parametrize("level", ["full", "claims", "score"])
def test_the_score_is_the_same_whatever_is_revealed(level: Literal["full", "claims", "score"]) -> None:
    shown = reveal(replace(REPORT, withheld=1), level)
    assert (shown.earned, shown.possible, shown.outcome) == (4, 8, Outcome.FAILED)


def test_neither_report_nor_course_waits_for_numpy_or_torch() -> None:
    code = "import sys, normgrade.report.report, normgrade.report.reveal, normgrade.course.course; print({'numpy', 'torch'} & set(sys.modules))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed == "set()\n"
