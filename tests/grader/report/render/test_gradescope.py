"""Reports as `results.json` of Gradescope: the fields, the points, the visibility of tests."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from sample_reports import ASKED, BANNED, BROKEN, EVERY_KIND, FAILED, FOUND, NOT_STARTED, PASSED, check, hostile, report
from schemas import faults

import normgrade
from normgrade.report.render import render
from normgrade.report.render.gradescope import LARGEST
from normgrade.report.report import Outcome, Report
from normgrade.report.reveal import reveal

GRANTED = replace(FAILED, granted=12)
WITHOUT_POINTS = replace(PASSED, checks=(*PASSED.checks, check("test_no_points", Outcome.FAILED, points=0)))


def results(*reports: Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(reports, "gradescope"))
    return found


@pytest.mark.parametrize("reports", [(), *((one,) for one in EVERY_KIND), EVERY_KIND, (hostile(),), (GRANTED, PASSED)])
def test_the_fields_are_those_of_gradescope(reports: tuple[Report, ...]) -> None:
    assert faults(results(*reports), "gradescope") == []


@pytest.mark.parametrize(
    "wrong",
    [{"tests": []}, {"score": "4"}, {"score": 1, "visibility": "yes"}, {"score": 1, "output_format": "markdown"}, {"score": 1, "mark": 2}],
)
def test_the_schema_refuses_other_fields(wrong: dict[str, Any]) -> None:
    assert faults(wrong, "gradescope")


def test_a_check_is_a_test_with_claim_and_points() -> None:
    tests = results(FAILED)["tests"]
    assert tests[0] == {"score": 2, "max_score": 2, "status": "passed", "name": "The output is normalised. [wide]", "output": ""}
    assert tests[2] == {
        "score": 0,
        "max_score": 3,
        "status": "failed",
        "name": "The running statistics follow the batches, with the unbiased variance. [wide]",
        "output": "step 2 · running_var · float32 · (3,): "
        "2 of 3 numbers differ, worst at [2]: off by 0.067 (relative 6.2 %), allowed 1.3e-06\n"
        "  looks like: every value × 15/16\n"
        "step 1 · weight.grad · float32 · (3,): expected a float32 tensor of shape (3,), got nothing\n"
        "explained by: biased-running-variance\n"
        "your code printed:\n"
        "  var 0.9",
    }
    assert [test["status"] for test in tests] == ["passed", "passed", "failed", "failed", "failed", "failed"]


@pytest.mark.parametrize(
    "one", [*EVERY_KIND, GRANTED, replace(PASSED, checks=(*PASSED.checks, check("test_no_points", Outcome.FAILED, points=0)))]
)
def test_the_score_at_the_top_is_the_earned_one(one: Report) -> None:
    assert results(one)["score"] == one.earned


def test_granted_points_are_told_at_the_top() -> None:
    found = results(GRANTED)
    assert (found["score"], sum(test["score"] for test in found["tests"])) == (12, 4)
    assert found["output"].startswith(
        "batch_norm: 12 of 14 points, not passed\n1 mistake (−2); counted by claims: 4\nbiased-running-variance: "
    )
    assert found["output_format"] == "text"


@pytest.mark.parametrize("one", [NOT_STARTED, reveal(FAILED, "score"), reveal(PASSED, "score")])
def test_a_report_without_checks_is_one_test(one: Report) -> None:
    [test] = results(one)["tests"]
    assert (test["score"], test["max_score"]) == (one.earned, one.possible)
    assert test["status"] == ("passed" if one.outcome is Outcome.PASSED else "failed")


def test_findings_are_tests_without_points() -> None:
    banned, whole = results(FOUND)["tests"]
    assert banned == {
        "status": "failed",
        "name": "banned",
        "output": "12:16 banned: F.batch_norm is banned: write it by hand\n      return F.batch_norm(x)\n             ^^^^^^^^^^^^^^^",
    }
    assert whole == {"score": 0, "max_score": 20, "status": "failed", "name": "batch_norm", "output": "0 of 20 points, not passed"}
    assert results(replace(FAILED, findings=(BANNED,)))["tests"][1]["score"] == 2


def test_a_failed_courtesy_is_told_in_its_name() -> None:
    assert results(ASKED)["tests"][1]["name"] == "not required to pass: Other ranks are ValueErrors."


def test_error_of_the_grader_is_told_at_the_top() -> None:
    assert "error: the grader failed, not your code\nShow this report to the maintainer of the course." in results(BROKEN)["output"]


def test_several_reports_are_summed_and_named() -> None:
    found = results(FAILED, PASSED)
    assert found["score"] == FAILED.earned + PASSED.earned
    assert [test["name"] for test in found["tests"]][::6] == [
        "batch_norm: The output is normalised. [wide]",
        "layer_norm: The output is normalised. [wide]",
    ]
    assert found["execution_time"] == 0.828


def test_the_facts_for_a_complaint_are_kept() -> None:
    facts = results(replace(FAILED, digest="ab12", seed=9))["extra_data"]
    assert facts == {
        "normgrade": normgrade.__version__,
        "reports": [
            {
                "exercise": "batch_norm",
                "submission": "batch_norm.py",
                "digest": "ab12",
                "outcome": "failed",
                "earned": 4,
                "possible": 14,
                "seed": 9,
                "sandbox": "linux",
                "lost": [],
                "mistakes": ["biased-running-variance"],
            }
        ],
    }


def test_students_see_tests_but_no_standard_output() -> None:
    found = results(FAILED)
    assert (found["visibility"], found["stdout_visibility"]) == ("visible", "hidden")


def test_long_output_is_cut_with_a_notice() -> None:
    long = report(check("test_long", Outcome.FAILED, message="x" * (LARGEST + 50)))
    assert results(long)["tests"][0]["output"] == "x" * LARGEST + "\n… 50 more characters"
