"""Reports as the results of learning platforms: their fields, their points, and the facts that a runner tells."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sample_reports import ASKED, BANNED, BROKEN, EVERY_KIND, FAILED, FOUND, NOT_STARTED, PASSED, check, hostile, report
from schemas import faults

import normgrade
from normgrade.language.errors import UsageError
from normgrade.report.render import render
from normgrade.report.render.dialects import LENGTHS, MOST_BYTES, NEEDED, handed_in_here
from normgrade.report.render.plain import plain
from normgrade.report.report import Finding, Outcome, Report, Rule, reveal

# Gradescope


GRANTED = replace(FAILED, granted=12)
WITHOUT_POINTS = replace(PASSED, checks=(*PASSED.checks, check("test_no_points", Outcome.FAILED, points=0)))


def gradescope(*reports: Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(reports, "gradescope"))
    return found


@pytest.mark.parametrize("reports", [(), *((one,) for one in EVERY_KIND), EVERY_KIND, (hostile(),), (GRANTED, PASSED)])
def test_the_fields_are_those_of_gradescope(reports: tuple[Report, ...]) -> None:
    assert faults(gradescope(*reports), "gradescope") == []


@pytest.mark.parametrize(
    "wrong",
    [{"tests": []}, {"score": "4"}, {"score": 1, "visibility": "yes"}, {"score": 1, "output_format": "markdown"}, {"score": 1, "mark": 2}],
)
def test_the_schema_refuses_other_fields(wrong: dict[str, Any]) -> None:
    assert faults(wrong, "gradescope")


def test_a_check_is_a_test_with_claim_and_points() -> None:
    tests = gradescope(FAILED)["tests"]
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
    assert gradescope(one)["score"] == one.earned


def test_granted_points_are_told_at_the_top() -> None:
    found = gradescope(GRANTED)
    assert (found["score"], sum(test["score"] for test in found["tests"])) == (12, 4)
    assert found["output"].startswith(
        "batch_norm: 12 of 14 points, not passed\n1 mistake (−2); counted by claims: 4\n"
        "biased-running-variance explains the failing claim, costs 2 points\n"
    )
    assert found["output_format"] == "text"


@pytest.mark.parametrize("one", [NOT_STARTED, reveal(FAILED, "score"), reveal(PASSED, "score")])
def test_a_report_without_checks_is_one_test(one: Report) -> None:
    [test] = gradescope(one)["tests"]
    assert (test["score"], test["max_score"]) == (one.earned, one.possible)
    assert test["status"] == ("passed" if one.outcome is Outcome.PASSED else "failed")


def test_findings_are_tests_without_points() -> None:
    banned, whole = gradescope(FOUND)["tests"]
    assert banned == {
        "status": "failed",
        "name": "banned",
        "output": "12:16 banned: F.batch_norm is banned: write it by hand\n      return F.batch_norm(x)\n             ^^^^^^^^^^^^^^^",
    }
    assert whole == {"score": 0, "max_score": 20, "status": "failed", "name": "batch_norm", "output": "0 of 20 points, not passed"}
    assert gradescope(replace(FAILED, findings=(BANNED,)))["tests"][1]["score"] == 2


def test_a_failed_courtesy_is_told_in_its_name() -> None:
    assert gradescope(ASKED)["tests"][1]["name"] == "not required to pass: Other ranks are ValueErrors."


def test_error_of_the_grader_is_told_at_the_top() -> None:
    assert "error: the grader failed, not your code\nShow this report to the maintainer of the course." in gradescope(BROKEN)["output"]


def test_several_reports_are_summed_and_named() -> None:
    found = gradescope(FAILED, PASSED)
    assert found["score"] == FAILED.earned + PASSED.earned
    assert [test["name"] for test in found["tests"]][::6] == [
        "batch_norm: The output is normalised. [wide]",
        "layer_norm: The output is normalised. [wide]",
    ]
    assert found["execution_time"] == 0.828


def test_the_facts_for_a_complaint_are_kept() -> None:
    facts = gradescope(replace(FAILED, digest="ab12", seed=9))["extra_data"]
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
    found = gradescope(FAILED)
    assert (found["visibility"], found["stdout_visibility"]) == ("visible", "hidden")


def test_long_output_is_cut_with_a_notice() -> None:
    long = report(check("test_long", Outcome.FAILED, message="x" * (LENGTHS[0] + 50)))
    assert gradescope(long)["tests"][0]["output"] == "x" * LENGTHS[0] + "\n… 50 more characters"


# PrairieLearn


NO_PYTHON = replace(FOUND, findings=(Finding(1, 7, Rule.SYNTAX, "invalid syntax\n    def f(\n          ^"),))


def prairielearn(*reports: Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(reports, "prairielearn"))
    return found


@pytest.mark.parametrize("reports", [(), *((one,) for one in EVERY_KIND), EVERY_KIND, (hostile(),), (GRANTED, NO_PYTHON)])
def test_the_fields_are_those_of_prairielearn(reports: tuple[Report, ...]) -> None:
    assert faults(prairielearn(*reports), "prairielearn") == []


@pytest.mark.parametrize("wrong", [{}, {"score": 2}, {"score": 1, "tests": [{"name": "a", "points": 1}]}, {"score": 1, "gradable": "no"}])
def test_the_schema_of_prairielearn_refuses_other_results(wrong: dict[str, Any]) -> None:
    assert faults(wrong, "prairielearn")


def test_a_check_has_points_of_so_many() -> None:
    tests = prairielearn(FAILED)["tests"]
    assert tests[0] == {"name": "The output is normalised. [wide]", "points": 2, "max_points": 2}
    assert (tests[2]["points"], tests[2]["max_points"]) == (0, 3)
    assert tests[2]["output"].startswith("step 2 · running_var · float32 · (3,): 2 of 3 numbers differ")
    assert prairielearn(ASKED)["tests"][1]["name"] == "not required to pass: Other ranks are ValueErrors."


@pytest.mark.parametrize("one", [FAILED, PASSED, ASKED, GRANTED, FOUND, reveal(FAILED, "score"), reveal(GRANTED, "claims")])
def test_points_of_the_tests_are_those_of_the_score(one: Report) -> None:
    found = prairielearn(one)
    assert sum(test["points"] for test in found["tests"]) == one.earned
    assert sum(test["max_points"] for test in found["tests"]) == one.possible
    assert found["score"] == pytest.approx(one.earned / one.possible)


def test_granted_points_are_a_test_of_their_own() -> None:
    assert prairielearn(GRANTED)["tests"][-1] == {"name": "1 mistake (−2); counted by claims: 4", "points": 8, "max_points": 0}


def test_file_that_cannot_be_loaded_costs_no_attempt() -> None:
    found = prairielearn(NO_PYTHON)
    assert (found["gradable"], found["format_errors"]) == (False, ["1:7 syntax: invalid syntax\n      def f(\n            ^"])


@pytest.mark.parametrize("one", [NOT_STARTED, BROKEN])
def test_stubs_and_faults_of_the_grader_cost_no_attempt(one: Report) -> None:
    found = prairielearn(one)
    assert (found["gradable"], found["format_errors"]) == (False, [plain([one])])


@pytest.mark.parametrize("one", [FAILED, FOUND, PASSED])
def test_a_wrong_answer_and_a_banned_call_are_graded(one: Report) -> None:
    found = prairielearn(one)
    assert found["gradable"] is True and "format_errors" not in found


def test_one_readable_file_of_several_is_graded() -> None:
    found = prairielearn(PASSED, NO_PYTHON)
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
    assert prairielearn(large)["tests"][0]["output"] == "x" * 2000 + " …"


# Classroom 50


FACTS = {
    "CLASSROOM": "ml",
    "ASSIGNMENT": "norms",
    "SUBMISSION_TAG": "submit/2026-02-02T09-30-00Z-abc1234",
    "COMMIT_URL": "https://example.org/commit",
    "RELEASE_URL": "https://example.org/release",
    "REVIEW_URL": "https://example.org/review",
    "OWNER": "anna",
    "ASSIGNMENT_TYPE": "group",
}
ELSEWHERE = ("USERNAME", "GITHUB_ACTOR", "GITHUB_SHA")


@pytest.fixture(autouse=True)
def in_a_runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Set the variables of a runner, in a folder that is no repository."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    for name in ELSEWHERE:
        monkeypatch.delenv(name, raising=False)
    for name, value in FACTS.items():
        monkeypatch.setenv(name, value)
    yield


def classroom50(*reports: Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(reports, "classroom50"))
    return found


@pytest.mark.parametrize("reports", [(), *((one,) for one in EVERY_KIND), EVERY_KIND, (hostile(),), (GRANTED, PASSED)])
def test_the_fields_are_those_of_classroom50(reports: tuple[Report, ...]) -> None:
    found = classroom50(*reports)
    assert faults(found, "classroom50") == []
    assert found["score"] <= found["max-score"]
    assert all(test["score"] <= test["max-score"] for test in found["tests"])


@pytest.mark.parametrize(
    "wrong", [{"score": 1.5}, {"mark": 1}, {"submission": "a"}, {"datetime": "2026-02-02"}, {"tests": [{"passed": True}]}]
)
def test_the_schema_of_classroom50_refuses_other_results(wrong: dict[str, Any]) -> None:
    assert faults({**classroom50(FAILED), **wrong}, "classroom50")


def test_the_facts_come_from_the_environment() -> None:
    found = classroom50(FAILED)
    assert {name: found[name] for name in [*found][:10]} == {
        "schema": "classroom50/result/v1",
        "classroom": "ml",
        "assignment": "norms",
        "assignment_type": "group",
        "owner": "anna",
        "submission": "submit/2026-02-02T09-30-00Z-abc1234",
        "commit": "https://example.org/commit",
        "release": "https://example.org/release",
        "review": "https://example.org/review",
        "datetime": "2026-02-02T09:30:00Z",
    }


@pytest.mark.parametrize("one", [*EVERY_KIND, GRANTED])
def test_the_score_is_in_whole_points(one: Report) -> None:
    found = classroom50(one)
    assert (found["score"], found["max-score"]) == (one.earned, one.possible)
    assert sum(test["score"] for test in found["tests"]) == one.earned
    assert sum(test["max-score"] for test in found["tests"]) == one.possible


def test_the_first_test_is_the_whole_report() -> None:
    assert [(test["score"], test["max-score"]) for test in classroom50(FAILED)["tests"]][:2] == [(0, 0), (2, 2)]
    whole, first, *_rest = classroom50(GRANTED)["tests"]
    assert whole == {"test-name": "batch_norm", "passed": False, "score": 12, "max-score": 14, "output": plain([GRANTED])}
    assert first == {"test-name": "The output is normalised. [wide]", "passed": True, "score": 0, "max-score": 0, "output": ""}
    assert classroom50(FOUND)["tests"][0]["max-score"] == 20
    assert classroom50(reveal(PASSED, "score"))["tests"] == [
        {"test-name": "layer_norm", "passed": True, "score": 4, "max-score": 4, "output": "layer_norm: 4 of 4 points, passed"}
    ]


def test_a_failed_courtesy_does_not_make_a_commit_fail() -> None:
    assert all(test["passed"] for test in classroom50(ASKED)["tests"])


def test_several_reports_are_one_score() -> None:
    found = classroom50(FAILED, PASSED)
    assert (found["score"], found["max-score"]) == (8, 18)
    assert [test["test-name"] for test in found["tests"]][::7] == ["batch_norm: batch_norm", "layer_norm: layer_norm"]


@pytest.mark.parametrize("name", NEEDED)
def test_a_variable_that_is_missing_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "")
    with pytest.raises(UsageError) as refused:
        render([FAILED], "classroom50")
    assert str(refused.value) == (
        f"The format classroom50 needs {name} in the environment, as a runner of Classroom 50 sets them. Use --format json elsewhere."
    )


def test_all_variables_that_are_missing_are_named() -> None:
    with pytest.raises(
        UsageError, match="needs CLASSROOM, ASSIGNMENT, SUBMISSION_TAG, COMMIT_URL, RELEASE_URL and OWNER in the environment"
    ):
        handed_in_here({})


def test_other_facts_have_a_usual_value() -> None:
    found = handed_in_here({**{name: FACTS[name] for name in NEEDED}, "USERNAME": "li"})
    assert (found["owner"], found["assignment_type"], found["review"]) == ("li", "individual", FACTS["COMMIT_URL"])


def test_the_time_is_that_of_the_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    for stamp in ("2026-03-04T05:06:07+02:00", "2026-04-04T05:06:07+02:00"):
        monkeypatch.setenv("GIT_COMMITTER_DATE", stamp)
        for command in (["init", "-q"], [*author, "commit", "-q", "--allow-empty", "-m", "a"]):
            subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert classroom50(FAILED)["datetime"] == "2026-04-04T03:06:07Z"
    head = ["git", "rev-parse", "HEAD~1"]
    monkeypatch.setenv("GITHUB_SHA", subprocess.run(head, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip())
    assert classroom50(FAILED)["datetime"] == "2026-03-04T03:06:07Z"


def test_without_any_time_the_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBMISSION_TAG", "submit/first")
    with pytest.raises(UsageError) as refused:
        render([FAILED], "classroom50")
    assert str(refused.value) == (
        'The time of the commit is not known: this folder is no Git repository, and SUBMISSION_TAG is "submit/first", not '
        '"submit/2026-02-02T09-30-00Z-…".'
    )
