"""Tests of the exercises that count as changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

import pytest
from committed import commit

from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.verify.changed import Changed, among, changed
from normgrade.verify.repository import Changes

EditedCourse = Callable[..., Course]
BOTH = ("centring", "rms")


def after(course: Course, *paths: str) -> Changed:
    return among(course, Changes("main", tuple(map(PurePath, paths))))


@pytest.mark.parametrize(
    "path",
    [
        "exercises/rms/README.md",
        "exercises/rms/probes.py",
        "solutions/rms/alternatives/einsum.py",
        "solutions/rms/footprints.npz",
        "tests/hidden/test_rms.py",
    ],
)
def test_exercise_changes_with_its_own_files(path: str, tiny: Course) -> None:
    assert after(tiny, path) == Changed("main", ("rms",))


@pytest.mark.parametrize(
    "path",
    [
        "course.toml",
        "exercises/shared_probes.py",
        "exercises/zh.toml",
        "solutions/mistakes.toml",
        "solutions/wrong.toml",
        "tests/hidden/shared.py",
        "solutions/gone/reference.py",
        "tests/hidden/test_gone.py",
    ],
)
def test_every_exercise_changes_with_shared_files(path: str, tiny: Course) -> None:
    assert after(tiny, "exercises/rms/README.md", path) == Changed("main", BOTH, path)


@pytest.mark.parametrize(
    "path",
    ["README.md", "docs/rms.md", "grader/normgrade/cli/verify.py", "exercises/__pycache__/a.pyc", "exercises/.x/a", "exercises/_x/a"],
)
def test_other_files_change_no_exercise(path: str, tiny: Course) -> None:
    assert after(tiny, path) == Changed("main", ())


@pytest.mark.parametrize("path", ["grader/normgrade/cli/verify.py", "constraints.txt"])
def test_carried_course_changes_with_the_grader(path: str) -> None:
    course = Course(carried())
    assert after(course, path) == Changed("main", course.folders, path)


def test_new_exercise_has_changed(edited_course: EditedCourse) -> None:
    course = edited_course({})
    commit(course.root)
    (course.root / "exercises/draft").mkdir()
    (course.root / "exercises/draft/README.md").touch()
    assert changed(course, "HEAD") == Changed("HEAD", ("draft",))
    (course.root / "solutions/rms/reference.py").write_text("", encoding="utf-8")
    assert changed(course, "HEAD") == Changed("HEAD", ("draft", "rms"))


def test_first_commit_changes_every_exercise(edited_course: EditedCourse) -> None:
    course = edited_course({})
    commit(course.root)
    found = changed(course, "")
    assert (found.since, found.slugs, found.every) == ("", BOTH, True)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (Changed("main", ()), "No exercise has changed since main: nothing is verified."),
        (Changed("main", ("rms",)), "1 exercise has changed since main: rms."),
        (Changed("main", BOTH), "2 exercises have changed since main: centring, rms."),
        (Changed("a\x1b[1m", BOTH, "ex\nercises/zh.toml"), "ex·ercises/zh.toml has changed since a·[1m: every exercise is verified."),
        (Changed("", BOTH), "There is no earlier commit to compare with: every exercise is verified."),
    ],
)
def test_changes_are_told_in_a_sentence(found: Changed, says: str) -> None:
    assert str(found) == says
