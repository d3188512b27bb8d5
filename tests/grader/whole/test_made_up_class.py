"""Tests of the made-up class, which tests/benchmarks/classes.py grades."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from made_up_class import HOSTILE, Kind, MadeUp, backwards, forwards, made_up_class, path_of, write_folders, write_zip

from normgrade.classes.collecting import handed_in
from normgrade.course.course import Course

SLUGS = ["layer_norm", "softmax"]
STUDENTS = 110  # all hostile answers of both exercises


@pytest.fixture(scope="module")
def answers() -> list[MadeUp]:
    return made(STUDENTS)


def made(students: int) -> list[MadeUp]:
    return made_up_class([Course.find().exercise(slug) for slug in SLUGS], students)


def test_class_is_always_the_same(answers: list[MadeUp]) -> None:
    assert made(STUDENTS) == answers


def test_no_two_files_are_equal(answers: list[MadeUp]) -> None:
    assert len({answer.content for answer in answers}) == len(answers) == 2 * STUDENTS


@pytest.mark.parametrize("slug", SLUGS)
def test_each_exercise_has_its_share_of_each_kind(answers: list[MadeUp], slug: str) -> None:
    kinds = Counter(answer.kind for answer in answers if answer.slug == slug)
    assert kinds == {Kind.RIGHT: 44, Kind.WRONG: 55, Kind.HOSTILE: len(HOSTILE)}


def test_all_but_hostile_answers_are_python(answers: list[MadeUp]) -> None:
    for answer in answers:
        if answer.kind is not Kind.HOSTILE:
            compile(answer.content, answer.file_name, "exec")


@pytest.mark.parametrize("name", [forwards, backwards])
def test_class_is_read_as_a_download_from_moodle(tmp_path: Path, name: Callable[[int], str]) -> None:
    write_folders(made(20), tmp_path, name)
    found = handed_in((tmp_path,), SLUGS, None, None, None)
    assert len(found.hand_ins) == 40 and len({each.student for each in found.hand_ins}) == 20


def test_zip_holds_the_same_files(tmp_path: Path) -> None:
    some = made(10)
    write_zip(some, tmp_path / "class.zip")
    with ZipFile(tmp_path / "class.zip") as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {path_of(answer): answer.content for answer in some}
