"""Tests of the names of students' pages: safe for every file system, and never shared."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath

import pytest
from hostile_texts import HOSTILE_TEXTS
from hypothesis import given
from hypothesis import strategies as st

from normgrade.classes.page_names import moodle_folder, page_names


@pytest.mark.parametrize("name", ["Anna Li", "李 小龙", "O'Brien, Siobhán (7)", "مح مد", "a.b_c-d", "हिन्दी"])
def test_an_ordinary_name_stays(name: str) -> None:
    assert page_names([name]) == {name: name}


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../x", "a/b", "a\\b", "CON", "nul.txt", "index", " x", "x.", "a:b", "-rf", "a" * 91, "é" * 46]
)
def test_another_name_has_a_hash(name: str) -> None:
    [made] = page_names([name]).values()
    assert made != name and made[-11] == "-" and set(made[-10:]) <= set("0123456789abcdef")


@given(st.lists(st.text(max_size=120) | st.sampled_from(HOSTILE_TEXTS), unique=True, max_size=8))
def test_every_name_becomes_a_safe_one(names: list[str]) -> None:
    made = page_names(names)
    for name in made.values():
        assert PurePosixPath(name).name == name and len(f"{name}.html".encode()) <= 100
        assert name.isprintable() and not set(name) & set('/\\:*?"<>|%#') and name[0] not in ".-" and name[-1] not in " ."
    assert len({unicodedata.normalize("NFKC", name).casefold() for name in made.values()}) == len(names)


def test_names_alike_both_have_a_hash() -> None:
    made = page_names(["Zoë", "Zoe\u0308", "zoë", "Zoe"])
    assert made["Zoe"] == "Zoe"
    assert len({name.casefold() for name in made.values()}) == 4 and "Zoë" not in made.values()


@pytest.mark.parametrize(
    ("given", "folder"),
    [
        ("Anna Li_7_assignsubmission_file_", "Anna Li_7_assignsubmission_file_"),
        ("A_B_7_assignsubmission_file_", "A B_7_assignsubmission_file_"),
        ("<b>: \\x_7_assignsubmission_file_", "b-- -x_7_assignsubmission_file_"),
        ("", ""),
    ],
)
def test_folder_of_moodle_is_a_safe_name(given: str, folder: str) -> None:
    assert moodle_folder(given) == folder
