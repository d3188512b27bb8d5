"""Courses: where they are found, and which exercises they have."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from written_course import LAYER_NORM, Write

from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.language.errors import CourseError, UsageError


def refused(course: Course, slug: str) -> str:
    """Return the message about the exercise, after the path of its exercise.toml."""
    with pytest.raises(CourseError) as caught:
        course.exercise(slug)
    return str(caught.value).removeprefix(f"{course.files(slug).description}: ")


# Finding a course


def test_a_named_course_is_found(monkeypatch: pytest.MonkeyPatch, write: Write, tmp_path: Path) -> None:
    write()
    monkeypatch.setenv("NORMGRADE_COURSE", "/elsewhere")
    assert Course.find(tmp_path).root == tmp_path


def test_the_course_is_found_by_the_variable(monkeypatch: pytest.MonkeyPatch, write: Write, tmp_path: Path) -> None:
    write()
    monkeypatch.setenv("NORMGRADE_COURSE", str(tmp_path))
    assert Course.find().root == tmp_path


@pytest.mark.parametrize("variable", [None, ""])
def test_the_carried_course_is_the_default(monkeypatch: pytest.MonkeyPatch, variable: str | None) -> None:
    monkeypatch.delenv("NORMGRADE_COURSE", raising=False)
    if variable is not None:
        monkeypatch.setenv("NORMGRADE_COURSE", variable)
    assert Course.find().root == carried()
    assert {"batch_norm", "layer_norm"} <= set(Course.find().slugs)


def test_a_course_stays_found_when_the_folder_changes(monkeypatch: pytest.MonkeyPatch, write: Write, tmp_path: Path) -> None:
    write()
    monkeypatch.chdir(tmp_path.parent)
    course = Course.find(Path(tmp_path.name))
    monkeypatch.chdir("/")
    assert course.exercise("layer_norm").stub.is_file() and os.path.isabs(course.root)


@pytest.mark.parametrize("by_variable", [False, True])
def test_a_folder_without_exercises_is_no_course(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, by_variable: bool) -> None:
    monkeypatch.setenv("NORMGRADE_COURSE", str(tmp_path))
    with pytest.raises(UsageError) as caught:
        Course.find(None if by_variable else tmp_path)
    assert (
        str(caught.value)
        == f'No course at "{tmp_path}": it has no folder "exercises". Use --course DIR or NORMGRADE_COURSE to choose a course.'
    )


# Exercises


def test_exercises_come_in_their_order(write: Write) -> None:
    write(LAYER_NORM.replace("20", "30"), slug="a")
    write(slug="c")
    course = write(slug="b")
    assert [exercise.slug for exercise in course] == ["b", "c", "a"]
    assert course.slugs == ("a", "b", "c")


def after(*names: str) -> str:
    """Return an `exercise.toml` that comes after these exercises."""
    return f"{LAYER_NORM}after = {list(names)}\n"


def test_an_exercise_comes_after_its_predecessors(write: Write) -> None:
    write(after("c"), slug="a")
    write(slug="b")
    course = write(slug="c")
    assert [exercise.slug for exercise in course] == ["c", "a", "b"]
    assert course.exercise("a").after == ("c",) and course.exercise("b").after == ()


def test_an_unknown_predecessor_is_refused(write: Write) -> None:
    write(slug="batch_norm")
    course = write(after("batchnorm"))
    said = 'after: no exercise is named "batchnorm". Did you mean "batch_norm"? Name a folder in `exercises`, or leave it out.'
    assert refused(course, "layer_norm") == said
    assert [exercise.slug for exercise in course] == ["batch_norm"]


def test_no_exercise_comes_after_itself(write: Write) -> None:
    write(after("b"), slug="a")
    write(after("a"), slug="b")
    write(after("a"), slug="c")
    course = write(after("layer_norm"))
    said = 'after: "{}" would come after itself: {}. Remove one of these names.'
    assert refused(course, "layer_norm") == said.format("layer_norm", "layer_norm → layer_norm")
    assert refused(course, "a") == said.format("a", "a → b → a")
    assert [exercise.slug for exercise in course] == ["c"] and set(course.unfinished) == {"a", "b", "layer_norm"}


def test_an_exercise_after_an_unfinished_one_can_be_used(write: Write, tmp_path: Path) -> None:
    write("after = 3", slug="broken")
    (tmp_path / "exercises" / "empty").mkdir()
    course = write(after("broken", "empty"))
    assert [exercise.slug for exercise in course] == ["layer_norm"]
    assert [exercise.slug for exercise in Course(tmp_path, frozenset({"broken"}))] == ["layer_norm"]


def test_a_folder_without_exercise_toml_is_no_exercise(write: Write, tmp_path: Path) -> None:
    course = write()
    for name in ("draft", ".cache", "__pycache__"):
        (tmp_path / "exercises" / name).mkdir()
    (tmp_path / "exercises" / "README.md").touch()
    assert (course.slugs, course.folders) == (("layer_norm",), ("draft", "layer_norm"))
    assert course.unfinished == {"draft": f"{tmp_path}/exercises/draft: it has no file exercise.toml."}


def test_unusable_exercises_are_left_out_and_named(write: Write, tmp_path: Path) -> None:
    write(slug="whole")
    write(LAYER_NORM.replace("level = 1", "level = 9"), slug="wrong")
    course = write(slug="partly")
    (tmp_path / "solutions/partly/reference.py").unlink()
    assert [exercise.slug for exercise in course] == ["whole"]
    assert course.unfinished == {
        "partly": f'{tmp_path}/exercises/partly: the exercise "partly" needs the file {tmp_path}/solutions/partly/reference.py, '
        "which does not exist.",
        "wrong": f"{tmp_path}/exercises/wrong/exercise.toml: level: must be a whole number from 1 to 4, not 9.",
    }


def test_a_draft_is_unfinished_without_its_reference(edited_course: Callable[..., Course]) -> None:
    course = edited_course({"solutions/rms/reference.py": 'def rms(x, eps=1e-5):\n    raise NotImplementedError("TODO")\n'})
    assert "rms" not in [exercise.slug for exercise in course]
    assert course.unfinished == {"rms": f"{course.root}/solutions/rms/reference.py: the reference is not written yet."}
    assert course.exercise("rms").slug == "rms"


def test_a_wrong_course_toml_blames_no_exercise(write: Write) -> None:
    course = write(course="titel = 'Norms'")
    with pytest.raises(CourseError, match="titel: unknown key"):
        list(course)
    with pytest.raises(CourseError, match="titel: unknown key"):
        _ = course.unfinished


def test_an_excluded_folder_is_ignored(write: Write) -> None:
    write(slug="other")
    course = Course(write().root, frozenset({"other"}))
    assert [exercise.slug for exercise in course] == ["layer_norm"] == [*course.slugs] == [*course.folders]


def test_a_near_miss_is_suggested(write: Write) -> None:
    with pytest.raises(UsageError) as caught:
        write().exercise("layernrom")
    assert str(caught.value) == 'No exercise named "layernrom". Did you mean "layer_norm"? `normgrade list` shows them all.'


def test_nothing_is_suggested_for_a_distant_name(write: Write) -> None:
    with pytest.raises(UsageError) as caught:
        write().exercise("zzz")
    assert str(caught.value) == 'No exercise named "zzz". `normgrade list` shows them all.'


@pytest.mark.parametrize(
    "missing",
    [
        "exercises/layer_norm/README.md",
        "exercises/layer_norm/layer_norm.py",
        "solutions/layer_norm/reference.py",
        "solutions/layer_norm/mistakes.toml",
        "tests/hidden/test_layer_norm.py",
    ],
)
def test_a_missing_file_is_named(write: Write, tmp_path: Path, missing: str) -> None:
    course = write()
    (tmp_path / missing).unlink()
    with pytest.raises(CourseError) as caught:
        course.exercise("layer_norm")
    folder = tmp_path / "exercises" / "layer_norm"
    assert str(caught.value) == f'{folder}: the exercise "layer_norm" needs the file {tmp_path / missing}, which does not exist.'
