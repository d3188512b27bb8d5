"""Names of files and students as text that can be written anywhere."""

from __future__ import annotations

import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from normgrade.classes.hand_ins import printable_name, shown

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
