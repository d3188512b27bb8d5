"""Tests of the points of a report: those that hold, or all except for the cost of what is named, whichever is more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from normgrade.grading.reporting import granted
from normgrade.report.report import SOME_INPUTS, Check, Diagnosis, Kind, Outcome, Report


def a_report(*outcomes: Outcome, diagnosis: Diagnosis | None = None) -> Report:
    """Return a report of 20 points with one check for each outcome, all worth the same."""
    checks = tuple(
        Check(f"test_{number}", "It holds.", Kind.FORMULA, outcome, 20 // len(outcomes)) for number, outcome in enumerate(outcomes)
    )
    found = (diagnosis,) if diagnosis else ()
    return Report("rms", "rms.py", Outcome.FAILED, 20, "linux", 0, 0.1, diagnoses=found, checks=checks)


PASSED, FAILED = Outcome.PASSED, Outcome.FAILED


EVERY = {"test_0", "test_1", "test_2", "test_3"}  # checks with a call that finished


def explaining(*checks: str, cost: int = 4, mistakes: tuple[str, ...] = ("a",)) -> Diagnosis:
    return Diagnosis(mistakes, "…", checks, cost=cost)


@pytest.mark.parametrize(("cost", "points"), [(4, 16), (1, 19), (0, 19), (19, 1), (30, 0)])
@pytest.mark.parametrize("calling", [EVERY, set()])
def test_cost_of_named_mistakes_is_deducted(cost: int, points: int, calling: set[str]) -> None:
    assert granted(a_report(FAILED, FAILED, diagnosis=explaining("test_0", "test_1", cost=cost)), calling) == points


@pytest.mark.parametrize("other", [FAILED, Outcome.SKIPPED, Outcome.ERROR])
def test_unexplained_claim_costs_its_own_points(other: Outcome) -> None:
    assert granted(a_report(FAILED, FAILED, FAILED, other, diagnosis=explaining("test_0", "test_1", "test_2")), EVERY) == 11


def test_nothing_is_granted_without_an_explanation() -> None:
    assert granted(a_report(FAILED, FAILED), EVERY) == 0
    assert granted(a_report(FAILED, FAILED, diagnosis=explaining("test_0", cost=10)), EVERY) == 0


@pytest.mark.parametrize(("calling", "points"), [(EVERY, 16), ({"test_0", "test_1"}, 16), ({"test_0"}, 6), (set(), 0)])
def test_limit_explains_only_checks_within_it(calling: set[str], points: int) -> None:
    limited = explaining("test_0", "test_1", "test_2", "test_3", mistakes=(SOME_INPUTS,))
    assert granted(a_report(FAILED, FAILED, FAILED, FAILED, diagnosis=limited), calling) == points


def test_explained_checks_without_a_finished_call_earn_nothing() -> None:
    report = a_report(FAILED, FAILED, FAILED, FAILED, diagnosis=explaining("test_0", "test_1", "test_2", cost=1))
    assert granted(report, {"test_3"}) == 0


@pytest.mark.parametrize(("points", "earned"), [(0, 10), (9, 10), (10, 10), (16, 16)])
def test_the_larger_of_two_is_earned(points: int, earned: int) -> None:
    report = replace(a_report(PASSED, FAILED), granted=points)
    assert (report.of_claims, report.earned) == (10, earned)


def test_failed_claim_without_points_costs_one_point() -> None:
    whole = a_report(PASSED, FAILED)
    worthless = replace(whole, checks=(replace(whole.checks[0], points=20), replace(whole.checks[1], points=0)))
    assert (worthless.of_claims, worthless.earned) == (20, 19)
