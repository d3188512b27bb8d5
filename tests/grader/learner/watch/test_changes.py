"""The changes between two reports, in one line that says no more than both reports."""

from __future__ import annotations

import pytest

from normgrade.learner.watch.changes import change_in_words
from normgrade.report.report import Check, Diagnosis, Kind, Outcome, Report

POINTS = {"rows": 3, "shape": 2, "half": 1, "double": 1}
KINDS = {"rows": Kind.FORMULA, "shape": Kind.EDGE, "half": Kind.PRECISION, "double": Kind.PRECISION}


def report(failing: str = "", mistakes: str = "", or_else: str = "", unexplained: str = "") -> Report:
    """Return a report in which these claims fail. `mistakes`, or alternatively those of `or_else`, explain all but the unexplained ones."""
    checks = tuple(
        Check(f"test_{name}[a]", f"{name} holds.", KINDS[name], Outcome.FAILED if name in failing.split() else Outcome.PASSED, POINTS[name])
        for name in KINDS
    )
    left = tuple(f"test_{name}[a]" for name in unexplained.split())
    explained = tuple(each.name for each in checks if each.outcome is Outcome.FAILED and each.name not in left)
    diagnoses = tuple(Diagnosis(tuple(names.split()), "Mend it.", explained) for names in (mistakes, or_else) if names)
    outcome = Outcome.FAILED if failing else Outcome.PASSED
    return Report("rms", "rms.py", outcome, 7, "linux", 0, 0.1, checks=checks, diagnoses=diagnoses, unexplained=left)


ALL = " ".join(KINDS)


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (report("rows half", "a"), report("half", "b"), "+3 points: a is gone; b is new; still open: precision (1)"),
        (report("half double", "a b"), report(), "+2 points: a, b are gone"),
        (report(), report("half", "no-upcast"), "−1 point: no-upcast is new"),
        (report("shape", "a"), report("half double", "a"), "now hold: edge (1); no longer hold: precision (2)"),
        (report(ALL), report("half double"), "+5 points: now hold: formula (1), edge (1); still open: precision (2)"),
        (report("half", "a"), report("half", "a"), "No claim has changed since the last save."),
        (report(), report(), "No claim has changed since the last save."),
    ],
)  # fmt: skip
def test_points_mistakes_or_claims_and_the_rest_are_told(before: Report, now: Report, said: str) -> None:
    assert change_in_words(before, now) == said


def test_a_mistake_is_gone_if_all_its_claims_hold() -> None:
    before = report("rows half", "a", unexplained="half")
    assert change_in_words(before, report("half")) == "+3 points: a is gone; still open: precision (1)"
    assert change_in_words(report("half"), before) == "−3 points: a is new; still open: precision (1)"


@pytest.mark.parametrize(("before", "now"), [(report("rows shape", "a"), report("rows")), (report("rows shape"), report("rows", "a"))])
def test_a_mistake_named_once_may_be_in_both_reports(before: Report, now: Report) -> None:
    assert change_in_words(before, now) == "+2 points: now hold: edge (1); still open: formula (1)"


def test_alternatives_are_neither_gone_nor_new() -> None:
    assert (
        change_in_words(report("rows shape", "a", "b"), report("rows", "b", "a"))
        == "+2 points: now hold: edge (1); still open: formula (1)"
    )
