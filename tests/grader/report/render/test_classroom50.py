"""Reports as `result.json` of Classroom 50: its fields, its whole points, and the facts from the environment."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sample_reports import ASKED, EVERY_KIND, FAILED, FOUND, PASSED, hostile
from schemas import faults

from normgrade.language.errors import UsageError
from normgrade.report.render import render
from normgrade.report.render.classroom50 import NEEDED, handed_in_here
from normgrade.report.render.plain import plain
from normgrade.report.report import Report
from normgrade.report.reveal import reveal

GRANTED = replace(FAILED, granted=12)
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


def result(*reports: Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render(reports, "classroom50"))
    return found


@pytest.mark.parametrize("reports", [(), *((one,) for one in EVERY_KIND), EVERY_KIND, (hostile(),), (GRANTED, PASSED)])
def test_the_fields_are_those_of_classroom50(reports: tuple[Report, ...]) -> None:
    found = result(*reports)
    assert faults(found, "classroom50") == []
    assert found["score"] <= found["max-score"]
    assert all(test["score"] <= test["max-score"] for test in found["tests"])


@pytest.mark.parametrize(
    "wrong", [{"score": 1.5}, {"mark": 1}, {"submission": "a"}, {"datetime": "2026-02-02"}, {"tests": [{"passed": True}]}]
)
def test_the_schema_refuses_other_results(wrong: dict[str, Any]) -> None:
    assert faults({**result(FAILED), **wrong}, "classroom50")


def test_the_facts_come_from_the_environment() -> None:
    found = result(FAILED)
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
def test_the_score_is_the_earned_one(one: Report) -> None:
    found = result(one)
    assert (found["score"], found["max-score"]) == (one.earned, one.possible)
    assert sum(test["score"] for test in found["tests"]) == one.earned
    assert sum(test["max-score"] for test in found["tests"]) == one.possible


def test_the_first_test_is_the_whole_report() -> None:
    assert [(test["score"], test["max-score"]) for test in result(FAILED)["tests"]][:2] == [(0, 0), (2, 2)]
    whole, first, *_rest = result(GRANTED)["tests"]
    assert whole == {"test-name": "batch_norm", "passed": False, "score": 12, "max-score": 14, "output": plain([GRANTED])}
    assert first == {"test-name": "The output is normalised. [wide]", "passed": True, "score": 0, "max-score": 0, "output": ""}
    assert result(FOUND)["tests"][0]["max-score"] == 20
    assert result(reveal(PASSED, "score"))["tests"] == [
        {"test-name": "layer_norm", "passed": True, "score": 4, "max-score": 4, "output": "layer_norm: 4 of 4 points, passed"}
    ]


def test_a_failed_courtesy_does_not_make_a_commit_fail() -> None:
    assert all(test["passed"] for test in result(ASKED)["tests"])


def test_several_reports_are_summed_and_named() -> None:
    found = result(FAILED, PASSED)
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
    assert (found.owner, found.kind, found.review) == ("li", "individual", FACTS["COMMIT_URL"])


def test_the_time_is_that_of_the_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    for stamp in ("2026-03-04T05:06:07+02:00", "2026-04-04T05:06:07+02:00"):
        monkeypatch.setenv("GIT_COMMITTER_DATE", stamp)
        for command in (["init", "-q"], [*author, "commit", "-q", "--allow-empty", "-m", "a"]):
            subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert result(FAILED)["datetime"] == "2026-04-04T03:06:07Z"
    head = ["git", "rev-parse", "HEAD~1"]
    monkeypatch.setenv("GITHUB_SHA", subprocess.run(head, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip())
    assert result(FAILED)["datetime"] == "2026-03-04T03:06:07Z"


def test_without_any_time_the_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUBMISSION_TAG", "submit/first")
    with pytest.raises(UsageError) as refused:
        render([FAILED], "classroom50")
    assert str(refused.value) == (
        'The time of the commit is not known: this folder is no Git repository, and SUBMISSION_TAG is "submit/first", not '
        '"submit/2026-02-02T09-30-00Z-…".'
    )
