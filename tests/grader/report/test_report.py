"""Reports as data: earned points, frozen values, the examples in the docstrings, and the parts that a course reveals."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from sample_reports import BANNED, FAILED, STATISTICS

from normgrade.language.places import Place
from normgrade.report import report as module
from normgrade.report.render import FORMATS, render
from normgrade.report.report import (
    ArrayDifference,
    Check,
    Death,
    Diagnosis,
    Finding,
    Kind,
    Numbers,
    Outcome,
    Report,
    Rule,
    judgement,
    reveal,
)

OFF = ArrayDifference(
    place=Place("output", step=1), dtype="float32", shape=(2,), mismatched=1, total=2, max_abs=0.1, max_rel=0.1, allowed=1e-6, at=(1,),
    expected=1.0, actual=1.1, looks_like="every value + 0.1", numbers=Numbers(np.ones(2), np.array([1.0, 1.1]), np.full(2, 1e-6)),
)  # fmt: skip
PASSED = Check("test_output", "The output is normalised.", Kind.FORMULA, Outcome.PASSED, 3, stdout="x = 1.5\n")
WRONG = Check("test_state", "The state follows.", Kind.STATE, Outcome.FAILED, 5, 0.1, "1.1 is not 1.0", "Look at it.", "1.1\n", (OFF,))
REPORT = Report(
    exercise="layer_norm",
    submission="layer_norm.py",
    outcome=Outcome.FAILED,
    possible=8,
    sandbox="linux",
    seed=0,
    duration_s=0.4,
    findings=(Finding(3, 1, Rule.BANNED, "F.layer_norm is banned"),),
    diagnoses=(Diagnosis(("no-eps",), "Add eps.", ("test_state",)),),
    checks=(PASSED, WRONG),
)


@pytest.mark.parametrize(("outcome", "earned"), [(outcome, 3 if outcome == "passed" else 0) for outcome in Outcome])
def test_only_a_passed_check_earns_its_points(outcome: Outcome, earned: int) -> None:
    assert replace(PASSED, outcome=outcome).earned == earned


def test_a_report_earns_the_points_of_its_checks() -> None:
    assert REPORT.earned == 3
    assert replace(REPORT, checks=()).earned == 0
    assert replace(REPORT, checks=(PASSED, replace(WRONG, outcome=Outcome.PASSED))).earned == 8


def test_points_of_withheld_checks_count() -> None:
    assert replace(REPORT, withheld=4).earned == 7


@pytest.mark.parametrize(("of_claims", "granted", "earned"), [(3, 16, 2), (1, 0, 1), (1, 2, 2)])
def test_idle_code_earns_at_most_a_tenth(of_claims: int, granted: int, earned: int) -> None:
    report = replace(REPORT, possible=20, checks=(replace(PASSED, points=of_claims), WRONG), granted=granted)
    assert replace(report, idle=True).earned == earned
    assert report.earned == max(of_claims, granted)


def test_a_broken_rule_fails_but_costs_no_points() -> None:
    holds = Check("test_output", "It holds.", Kind.FORMULA, Outcome.PASSED, points=20)
    banned = Finding(3, 12, Rule.BANNED, "F.layer_norm is banned: write it by hand")
    outcome = judgement([holds], [banned])
    report = Report("rms", "rms.py", outcome, 20, "linux", 0, 0.1, findings=(banned,), checks=(holds,))
    assert (report.earned, report.outcome) == (20, Outcome.FAILED)


def test_points_are_never_negative() -> None:
    failed = Check("test_output", "It holds.", Kind.FORMULA, Outcome.FAILED, points=0)
    assert Report("rms", "rms.py", Outcome.FAILED, 0, "linux", 0, 0.1, checks=(failed,)).earned == 0


def test_a_courtesy_costs_points_but_does_not_decide() -> None:
    holds = Check("test_output", "It holds.", Kind.FORMULA, Outcome.PASSED, points=19)
    asked = Check("test_rank", "Other ranks are ValueErrors.", Kind.EDGE, Outcome.FAILED, points=1, courtesy=True)
    report = Report("rms", "rms.py", judgement([holds, asked]), 20, "linux", 0, 0.1, checks=(holds, asked))
    assert (report.outcome, report.earned) == (Outcome.PASSED, 19)
    assert (asked.decides, asked.asked_in_vain, asked.shown_as) == (False, True, Outcome.SKIPPED)
    assert judgement([replace(asked, courtesy=False)]) is Outcome.FAILED
    assert judgement([replace(asked, outcome=Outcome.ERROR)]) is Outcome.ERROR


def test_a_courtesy_without_points_costs_nothing() -> None:
    asked = Check("test_rank", "Other ranks are ValueErrors.", Kind.EDGE, Outcome.FAILED, points=0, courtesy=True)
    report = replace(REPORT, possible=3, checks=(replace(REPORT.checks[0], points=3, outcome=Outcome.PASSED), asked), withheld=0)
    assert report.earned == 3


def test_numbers_do_not_affect_equality() -> None:
    numbers = Numbers(np.zeros(2), np.ones(2), np.zeros(2))
    assert replace(OFF, numbers=numbers) == OFF and "numbers" not in repr(replace(OFF, numbers=numbers))


def test_neither_report_nor_course_imports_numpy_or_torch() -> None:
    modules = "sys, normgrade.report.report, normgrade.course.course"
    code = f"import {modules}; print({{'numpy', 'torch'}} & set(sys.modules))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed == "set()\n"


def test_the_examples_in_the_docstrings_hold() -> None:
    ran = doctest.testmod(module)
    assert ran.attempted >= 15 and ran.failed == 0


@pytest.mark.parametrize("name", "Finding Numbers SideBySide ArrayDifference ValueDifference Check Diagnosis Report".split())
def test_docstrings_describe_every_attribute(name: str) -> None:
    public = getattr(module, name)
    docstrings = "\n".join(each.__doc__ or "" for each in public.__mro__)
    told = {word for line in re.findall(r"^ {4}([a-z_, ]+): ", docstrings, re.MULTILINE) for word in line.split(", ")}
    assert {each.name for each in fields(public)} <= told


# The parts that a course reveals, in every format


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
    one = reveal(replace(FAILED, findings=(BANNED,), withheld=1), level)
    assert (one.outcome, one.earned, one.possible, one.findings) == (Outcome.FAILED, 5, 14, (BANNED,))


def test_claims_hide_everything_beyond_the_diagnoses() -> None:
    shown = reveal(FAILED, "claims")
    assert shown.checks == tuple(
        Check(each.name, each.claim, each.kind, each.outcome, each.points, each.duration_s) for each in FAILED.checks
    )
    assert replace(shown, checks=FAILED.checks) == FAILED


@pytest.mark.parametrize(("level", "kept"), [("full", True), ("claims", True), ("score", False)])
def test_a_score_hides_the_deaths_of_processes(level: Any, kept: bool) -> None:
    deaths = (Death("test_output", 2, "your code crashed"),)
    assert reveal(replace(FAILED, deaths=deaths), level).deaths == (deaths if kept else ())


def test_revealing_twice_is_revealing_once() -> None:
    once = reveal(FAILED, "score")
    assert reveal(once, "score") == once and (once.checks, once.diagnoses) == ((), ())
