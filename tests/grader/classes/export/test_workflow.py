"""Tests of the workflow for GitHub Actions: its permissions, and the walls around a submission."""

from __future__ import annotations

import re

from normgrade.classes.export.workflow import FIRST_LINE, workflow
from normgrade.course.course import Course
from normgrade.grading.grading_options import Options


def value_of(name: str, text: str) -> str:
    """Return the rest of the only line that begins with a name."""
    [value] = re.findall(rf"^\s+(?:- )?{name}: (.*)$", text, re.MULTILINE)
    return str(value)


def written(options: Options = Options(), index: str = "") -> str:  # noqa: B008  (frozen)
    course = Course.find()
    return workflow([course.exercise("layer_norm"), course.exercise("rms_norm")], options, index)


def test_the_files_of_the_exercises_are_graded() -> None:
    text = written(Options(seed=7, timeout_s=2.5))
    assert value_of("FILES", text) == "'layer_norm.py rms_norm.py'"
    assert value_of("OPTIONS", text) == "'--require-isolation linux --timeout 2.5 --seed 7'"


def test_stronger_walls_are_kept_and_weaker_ones_raised() -> None:
    assert value_of("OPTIONS", written(Options(required="container"))) == "'--require-isolation container --seed 0'"
    assert value_of("OPTIONS", written(Options(required="process"))) == "'--require-isolation linux --seed 0'"


def test_an_index_is_the_default_of_a_variable() -> None:
    text = written(index="https://example.org/it's")
    assert value_of("PIP_EXTRA_INDEX_URL", text) == "${{ vars.PIP_EXTRA_INDEX_URL || 'https://example.org/it''s' }}"


def test_no_step_has_more_rights_than_it_needs() -> None:
    text = written()
    assert text.startswith(FIRST_LINE)
    assert re.findall(r"^permissions:\n  (.*)\n\n", text, re.MULTILINE) == ["contents: read"]
    assert value_of("persist-credentials", text) == "false"
    assert value_of("timeout-minutes", text) == "15"


def test_python_imports_nothing_of_the_repository() -> None:
    assert [line.split()[:2] for line in re.findall(r"run: (.*)", written())] == [["python", "-I"], ["python", "-P"]]
