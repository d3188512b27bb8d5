"""The parts of a report that a course reveals, in every format."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sample_reports import BANNED, FAILED, STATISTICS

from normgrade.report.render import FORMATS, render
from normgrade.report.report import Check, Death, Outcome
from normgrade.report.reveal import reveal


@pytest.mark.parametrize("format", FORMATS)
def test_claims_reveal_no_value_in_any_format(format: str) -> None:
    text = render([reveal(FAILED, "claims")], format)
    assert (STATISTICS[:40] in text or format == "github") and "biased-running-variance" in text  # GitHub shows mistakes, or else claims
    for secret in ("1.0677", "1.001", "var 0.9", "15/16", "running_var ·", "Which variance", "KeyError"):
        assert secret not in text


@pytest.mark.parametrize("format", FORMATS)
def test_a_score_reveals_neither_claim_nor_mistake(format: str) -> None:
    text = render([reveal(FAILED, "score")], format)
    assert "4" in text and "14" in text
    for secret in ("The running statistics", "test_statistics", "biased-running-variance"):
        assert secret not in text


def test_a_full_report_is_unchanged() -> None:
    assert reveal(FAILED, "full") is FAILED


@pytest.mark.parametrize("level", ["full", "claims", "score"])
def test_every_level_keeps_outcome_score_and_findings(level: Any) -> None:
    one = reveal(replace(FAILED, findings=(BANNED,)), level)
    assert (one.outcome, one.earned, one.possible, one.findings) == (Outcome.FAILED, 4, 14, (BANNED,))


def test_claims_hide_everything_beyond_the_diagnoses() -> None:
    shown = reveal(FAILED, "claims")
    assert shown.checks == tuple(
        Check(each.name, each.claim, each.kind, each.outcome, each.points, each.duration_s) for each in FAILED.checks
    )
    assert replace(shown, checks=FAILED.checks) == FAILED


def test_score_hides_everything_beyond_the_findings() -> None:
    one = replace(FAILED, findings=(BANNED,))
    shown = reveal(one, "score")
    assert (shown.checks, shown.diagnoses, shown.findings) == ((), (), one.findings)


@pytest.mark.parametrize("level", ["full", "claims", "score"])
def test_every_level_has_the_same_score(level: Any) -> None:
    shown = reveal(replace(FAILED, withheld=1), level)
    assert (shown.earned, shown.possible, shown.outcome) == (5, 14, Outcome.FAILED)


@pytest.mark.parametrize(("level", "kept"), [("full", True), ("claims", True), ("score", False)])
def test_a_score_hides_the_deaths_of_processes(level: Any, kept: bool) -> None:
    deaths = (Death("test_output", 2, "your code crashed"),)
    assert reveal(replace(FAILED, deaths=deaths), level).deaths == (deaths if kept else ())


def test_revealing_twice_is_revealing_once() -> None:
    once = reveal(FAILED, "score")
    assert reveal(once, "score") == once
