"""Tests of the reports on submissions as learners write them, each in its own folder: their important parts stay as they are.

`reports.toml` holds the part of each JSON report that matters: everything in it must be in the report.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.grading.grade import Submission, grade
from normgrade.report.render.json import render_json

pytestmark = pytest.mark.usefixtures("expectations")
FOLDER = Path(__file__).parents[1] / "fixtures" / "submissions"
GOLDEN = tomllib.loads((FOLDER / "reports.toml").read_text(encoding="utf-8"))
LECTURES = [name for name in GOLDEN if name.startswith("lecture_")]
Reports = Mapping[str, dict[str, Any]]


@pytest.fixture(scope="module")
def reports(expectations: Path) -> Reports:
    """Return the reports on all submissions, graded in one call."""
    course = Course(carried())
    exercises = {name: course.exercise(part["exercise"]) for name, part in GOLDEN.items()}
    submissions = [Submission(exercise, FOLDER / name / exercise.file_name, exercise.file_name) for name, exercise in exercises.items()]
    whole = json.loads(render_json(grade(submissions)))
    return dict(zip(exercises, whole["reports"], strict=True))


def missing(part: Any, whole: Any, where: str) -> list[str]:
    """Return the places of `part` that `whole` does not have. Lists agree item by item; checks are found by name."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return [line for key, value in part.items() for line in missing(value, whole.get(key), f"{where}.{key}")]
    if isinstance(part, list) and isinstance(whole, list) and where.endswith(".checks") and part and isinstance(part[0], dict):
        by_name = {check["name"]: check for check in whole}
        return [line for check in part for line in missing(check, by_name.get(check["name"]), f"{where}[{check['name']}]")]
    if isinstance(part, list) and isinstance(whole, list) and len(part) == len(whole):
        return [line for index, pair in enumerate(zip(part, whole, strict=True)) for line in missing(*pair, f"{where}[{index}]")]
    return [] if part == whole else [f"{where}: {part!r}, not {whole!r}"]


def test_the_five_lectures_are_among_them() -> None:
    assert len(LECTURES) == 5


@pytest.mark.parametrize("name", GOLDEN)
def test_report_contains_its_golden_part(name: str, reports: Reports) -> None:
    assert missing(GOLDEN[name], reports[name], "report") == []


@pytest.mark.parametrize("name", LECTURES)
def test_failed_checks_are_explained_or_listed_as_unexplained(name: str, reports: Reports) -> None:
    report = reports[name]
    explained = [check for diagnosis in report["diagnoses"][:1] for check in diagnosis["checks"]]
    assert sorted([*explained, *report["unexplained"]]) == sorted(
        check["name"] for check in report["checks"] if check["outcome"] == "failed"
    )


@pytest.mark.parametrize(
    ("part", "lines"),
    [
        ({"a": 1}, ["report.a: 1, not 2"]),
        ({"b": [1]}, ["report.b: [1], not [1, 2]"]),
        ({"checks": [{"name": "x", "outcome": "passed"}]}, ["report.checks[x].outcome: 'passed', not 'failed'"]),
        ({"checks": [{"name": "y"}]}, ["report.checks[y]: {'name': 'y'}, not None"]),
        ({"c": None, "d": 0}, ["report.d: 0, not None"]),
    ],
)
def test_missing_parts_are_found(part: dict[str, Any], lines: list[str]) -> None:
    assert missing(part, {"a": 2, "b": [1, 2], "checks": [{"name": "x", "outcome": "failed"}]}, "report") == lines
