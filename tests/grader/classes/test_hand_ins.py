"""Names of files and students as text that can be written anywhere, and that a verdict that can change has another origin."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import normgrade
from normgrade.classes.hand_ins import digest_of_exercise, origin_of, printable_name, shown
from normgrade.course.course import Course

NAMES = st.text(st.characters(exclude_characters="\0/", categories=("L", "M", "N", "P", "S", "Z", "C", "Cs")), min_size=1, max_size=12)


@pytest.mark.parametrize("name", ["Anna Li", "Siobhán O'Brien", "李", "Zoe\u0301", "a\nb", ".."])
def test_a_usual_name_stays(name: str) -> None:
    assert printable_name(name) == name


@pytest.mark.parametrize(
    ("raw", "printable"), [(b"Jos\xe9", r"Jos\xe9"), (b"a\\xe9", r"a\\xe9"), (b"\\\xff", r"\\\xff"), (b"\xc0\xc1", r"\xc0\xc1")]
)
def test_bytes_that_are_not_utf_8_are_escaped(raw: bytes, printable: str) -> None:
    assert printable_name(os.fsdecode(raw)) == printable


def test_half_a_character_is_escaped_too() -> None:
    assert printable_name("\ud800") == r"\ud800"


@settings(deadline=None)
@given(NAMES, NAMES)
def test_two_names_never_become_one(one: str, other: str) -> None:
    assert (printable_name(one) == printable_name(other)) == (one == other)
    printable_name(one).encode()


def test_in_a_message_a_name_is_on_one_line() -> None:
    assert shown("a\nb\udce9\x1b[31m") == "a·b\\xe9·[31m"


# Origins


EditedCourse = Callable[[dict[str, Any]], Course]


@pytest.mark.parametrize(
    "file",
    [
        "course.toml",
        "exercises/centring/exercise.toml",
        "exercises/centring/centring.py",
        "solutions/centring/reference.py",
        "solutions/centring/mistakes.toml",
        "solutions/centring/alternatives/new.py",
        "solutions/mistakes.toml",
        "tests/hidden/test_centring.py",
        "tests/hidden/shared.py",
    ],
)
def test_every_file_that_decides_changes_the_digest(file: str, tiny: Course, edited_course: EditedCourse) -> None:
    path = tiny.root / file
    text = (path.read_text(encoding="utf-8") if path.exists() else "") + "\n# changed\n"
    changed = edited_course({file: text})
    assert digest_of_exercise(changed.exercise("centring")) != digest_of_exercise(tiny.exercise("centring"))


@pytest.mark.parametrize("file", ["exercises/centring/README.md", "exercises/rms/probes.py", "tests/hidden/test_rms.py"])
def test_other_files_leave_the_digest_alone(file: str, tiny: Course, edited_course: EditedCourse) -> None:
    changed = edited_course({file: (tiny.root / file).read_text(encoding="utf-8") + "\n# changed\n"})
    assert digest_of_exercise(changed.exercise("centring")) == digest_of_exercise(tiny.exercise("centring"))


def test_origin_has_the_versions(tiny: Course) -> None:
    origin = origin_of(tiny.exercise("rms"), 3)
    assert origin.versions["normgrade"] == normgrade.__version__
    assert {*origin.versions} == {"normgrade", "python", "numpy", "torch"}
    assert (origin.seed, len(origin.course), len(origin.program)) == (3, 64, 64)
