"""Tests that right answers pass, and that unrequested behaviour costs no more than its own claim.

The first line of each answer in `fixtures/fair` tells its outcome and its failing checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.package import carried
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.inspection.inspection import inspect_source
from normgrade.report.report import Outcome, judgement

ANSWERS = sorted((Path(__file__).parents[1] / "fixtures" / "fair").glob("*/*.py"))
EXERCISES = {slug: Course(carried()).exercise(slug) for slug in sorted({path.parent.name for path in ANSWERS})}


@pytest.fixture(scope="module")
def grader(expectations: Path) -> Iterator[Grader]:
    with open_grader([*EXERCISES.values()], Options()) as opened:
        yield opened


def expected(path: Path) -> tuple[str, set[str]]:
    """Return the outcome and the failing checks that the first line names."""
    outcome, _colon, names = path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ").partition(":")
    return outcome, set(names.split())


@pytest.mark.parametrize("path", ANSWERS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_it_ends_as_its_first_line_says(path: Path, grader: Grader) -> None:
    exercise, source = EXERCISES[path.parent.name], read_text(path)
    inspection = inspect_source(source, exercise)
    checks = [result.check for result in grader.results(exercise, source, path.name)]
    failing: Mapping[str, str] = {check.name: check.message for check in checks if check.outcome is not Outcome.PASSED}
    assert (judgement(checks, inspection.findings), set(failing)) == expected(path), (failing, inspection.findings)
