"""Tests of the points of a report: those that hold, or all except for the cost of what is named, whichever is more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from normgrade.grading.reporting import granted, idle, without
from normgrade.report.render.json import report_as_json, report_from_json
from normgrade.report.report import NOTHING_COMPUTED, SOME_INPUTS, Check, Diagnosis, Kind, Outcome, Report


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


def several(*mistakes: tuple[int, str]) -> Diagnosis:
    """Return a diagnosis of mistakes, each with its cost and the numbers of the checks that it has a part in."""
    parts = tuple(frozenset(f"test_{number}" for number in own) for _cost, own in mistakes)
    costs = tuple(cost for cost, _own in mistakes)
    names = tuple(f"mistake-{number}" for number in range(len(mistakes)))
    return Diagnosis(names, "…", tuple(sorted(frozenset().union(*parts))), cost=sum(costs), costs=costs, parts=parts)


@pytest.mark.parametrize(
    ("mistakes", "points"),
    [
        ([(4, "0123")], 16),
        ([(4, "012"), (4, "3")], 12),  # the check of the second is worth 5
        ([(4, "012"), (7, "3")], 11),  # so leaving that open costs less
        ([(4, "0123"), (3, "3"), (3, "3")], 11),  # together they cost more than their check
        ([(12, "01"), (3, "01"), (1, "23")], 9),  # the first two share their checks
    ],
)
def test_mistake_costs_no_more_than_its_claims(mistakes: list[tuple[int, str]], points: int) -> None:
    report = a_report(FAILED, FAILED, FAILED, FAILED, diagnosis=several(*mistakes))
    assert max(granted(report, EVERY), report.of_claims) == points


def test_one_more_name_never_lowers_the_points() -> None:
    """Compare each diagnosis with one that lacks its last mistake, so that the checks with a part of that mistake are open."""
    every = several((4, "01"), (2, "1"), (4, "23"), (6, "3"), (1, "2"))
    points = []
    for number in range(len(every.mistakes), -1, -1):
        left = without(every, range(number, len(every.mistakes)))
        left = replace(left, costs=every.costs[:number], parts=every.parts[:number])
        points.append(granted(a_report(*[FAILED] * 4, diagnosis=left), EVERY))
    assert points == sorted(points, reverse=True) and points[0] > points[-1]


def test_idle_report_names_it_and_earns_next_to_nothing() -> None:
    report = idle(a_report(PASSED, FAILED, Outcome.SKIPPED, FAILED))
    [diagnosis] = report.diagnoses
    assert diagnosis.mistakes == (NOTHING_COMPUTED,) and diagnosis.checks == ("test_1", "test_3") and diagnosis.cost == 18
    assert (report.of_claims, report.earned) == (5, 2)
    assert report_from_json(report_as_json(report), "").earned == 2


@pytest.mark.parametrize(("points", "earned"), [(0, 10), (9, 10), (10, 10), (16, 16)])
def test_the_larger_of_two_is_earned(points: int, earned: int) -> None:
    report = replace(a_report(PASSED, FAILED), granted=points)
    assert (report.of_claims, report.earned) == (10, earned)


def test_failed_claim_without_points_costs_one_point() -> None:
    whole = a_report(PASSED, FAILED)
    worthless = replace(whole, checks=(replace(whole.checks[0], points=20), replace(whole.checks[1], points=0)))
    assert (worthless.of_claims, worthless.earned) == (20, 19)
