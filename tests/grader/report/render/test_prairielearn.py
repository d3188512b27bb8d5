"""Reports as `results.json` of PrairieLearn: the score, the points of every test, and files that cost no attempt."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from sample_reports import ASKED, BROKEN, EVERY_KIND, FAILED, FOUND, NOT_STARTED, PASSED, check, hostile, report
from schemas import faults

import normgrade
from normgrade.report.render import render
from normgrade.report.render.plain import plain
from normgrade.report.render.prairielearn import MOST_BYTES
from normgrade.report.report import Finding, Outcome, Report, Rule
from normgrade.report.reveal import reveal

GRANTED = replace(FAILED, granted=12)
NO_PYTHON = replace(FOUND, findings=(Finding(1, 7, Rule.SYNTAX, "invalid syntax\n    def f(\n          ^"),))


def results(*reports: Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(reports, "prairielearn"))
    return found


@pytest.mark.parametrize("reports", [(), *((one,) for one in EVERY_KIND), EVERY_KIND, (hostile(),), (GRANTED, NO_PYTHON)])
def test_the_fields_are_those_of_prairielearn(reports: tuple[Report, ...]) -> None:
    assert faults(results(*reports), "prairielearn") == []


@pytest.mark.parametrize("wrong", [{}, {"score": 2}, {"score": 1, "tests": [{"name": "a", "points": 1}]}, {"score": 1, "gradable": "no"}])
def test_the_schema_refuses_other_results(wrong: dict[str, Any]) -> None:
    assert faults(wrong, "prairielearn")


def test_a_check_is_a_test_with_claim_and_points() -> None:
    tests = results(FAILED)["tests"]
    assert tests[0] == {"name": "The output is normalised. [wide]", "points": 2, "max_points": 2}
    assert (tests[2]["points"], tests[2]["max_points"]) == (0, 3)
    assert tests[2]["output"].startswith("step 2 · running_var · float32 · (3,): 2 of 3 numbers differ")
    assert results(ASKED)["tests"][1]["name"] == "not required to pass: Other ranks are ValueErrors."


@pytest.mark.parametrize("one", [FAILED, PASSED, ASKED, GRANTED, FOUND, reveal(FAILED, "score"), reveal(GRANTED, "claims")])
def test_points_of_the_tests_are_those_of_the_score(one: Report) -> None:
    found = results(one)
    assert sum(test["points"] for test in found["tests"]) == one.earned
    assert sum(test["max_points"] for test in found["tests"]) == one.possible
    assert found["score"] == pytest.approx(one.earned / one.possible)


def test_granted_points_are_a_test_of_their_own() -> None:
    assert results(GRANTED)["tests"][-1] == {"name": "1 mistake (−2); counted by claims: 4", "points": 8, "max_points": 0}


def test_file_that_cannot_be_loaded_costs_no_attempt() -> None:
    found = results(NO_PYTHON)
    assert (found["gradable"], found["format_errors"]) == (False, ["1:7 syntax: invalid syntax\n      def f(\n            ^"])


@pytest.mark.parametrize("one", [NOT_STARTED, BROKEN])
def test_stubs_and_faults_of_the_grader_cost_no_attempt(one: Report) -> None:
    found = results(one)
    assert (found["gradable"], found["format_errors"]) == (False, [plain([one])])


@pytest.mark.parametrize("one", [FAILED, FOUND, PASSED])
def test_a_wrong_answer_and_a_banned_call_are_graded(one: Report) -> None:
    found = results(one)
    assert found["gradable"] is True and "format_errors" not in found


def test_one_readable_file_of_several_is_graded() -> None:
    found = results(PASSED, NO_PYTHON)
    assert (found["gradable"], found["score"]) == (True, 4 / 24)
    assert found["message"] == "layer_norm: 4 of 4 points, passed\nbatch_norm: 0 of 20 points, not passed"
    assert found["tests"][0]["name"] == "layer_norm: The output is normalised. [wide]"


@pytest.mark.parametrize(("number", "size"), [(100, 50_000), (3000, 3000), (100_000, 10)])
def test_results_are_never_larger_than_a_megabyte(number: int, size: int) -> None:
    large = report(*[check(f"test_{index}", Outcome.FAILED, message="x" * size) for index in range(number)])
    document = render([large], "prairielearn")
    assert len(document.encode()) <= MOST_BYTES
    found = json.loads(document)
    assert found["normgrade"] == normgrade.__version__ and faults(found, "prairielearn") == []


def test_cut_text_ends_with_a_notice() -> None:
    large = report(*[check(f"test_{index}", Outcome.FAILED, message="x" * 50_000) for index in range(100)])
    assert results(large)["tests"][0]["output"] == "x" * 2000 + " …"
