"""Tests that suites of one course share helpers, and those of another course have their own."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import copytree
from types import ModuleType

import pytest

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.suite.collection import collect
from normgrade.suite.helpers import found_in

SUITE = """from normgrade.suite import claim
from shared import CLAIM

@claim("formula")
def test_it(agree): pass

test_it.__doc__ = CLAIM
"""
TINY = Path(__file__).parents[1] / "fixtures" / "courses" / "tiny"


def test_module_of_the_same_name_is_restored_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = ModuleType("shared")
    monkeypatch.setitem(sys.modules, "shared", theirs)
    (tmp_path / "shared.py").write_text("value = 3\n")
    paths = [*sys.path]
    with found_in(tmp_path):
        import shared  # type: ignore[import-not-found]

        assert shared.value == 3
    assert sys.modules["shared"] is theirs
    assert sys.path == paths


def test_helper_is_removed_afterwards(tmp_path: Path) -> None:
    (tmp_path / "shared.py").write_text("value = 3\n")
    with found_in(tmp_path):
        import shared  # noqa: F401
    assert "shared" not in sys.modules


def with_helper(exercise: Exercise, claim: str) -> Exercise:
    """Rewrite the suite of an exercise so that it takes its claim from a helper. Return the exercise."""
    exercise.suite.with_name("shared.py").write_text(f"CLAIM = {claim!r}\n")
    exercise.suite.write_text(SUITE)
    return exercise


def test_each_course_has_its_own_helper(tmp_path: Path) -> None:
    for name, claim in (("here", "It holds here."), ("there", "It holds there.")):
        exercise = with_helper(next(iter(Course(copytree(TINY, tmp_path / name)))), claim)
        found = collect([exercise])[exercise.slug]
        assert [test.claim for test in found.tests if test.name == "test_it"] == [claim]
