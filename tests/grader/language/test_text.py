"""Text from outside: its lines as Python counts them, and no escape sequences."""

from __future__ import annotations

import pytest

from normgrade.language.text import lines_of, without_escapes


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a\x1b[1;31mb\x1b[0mc", "abc"),
        ("a\x9b2Jb", "ab"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]8;;https://x\x1b\\b", "ab"),
        ("a\x1b(Bb", "ab"),
        ("a\x1b]never ended\nb", "a\nb"),
        ("a\r\nb\rc\nd", "a\nb\nc\nd"),
        ("α\tβ", "α\tβ"),
    ],
)
def test_escapes_are_removed_and_line_ends_unified(text: str, left: str) -> None:
    assert without_escapes(text) == left


@pytest.mark.parametrize(
    ("source", "lines"),
    [("", [""]), ("a", ["a"]), ("a\nb\r\nc\rd", ["a", "b", "c", "d"]), ("a\n", ["a", ""]), ("a\x0cb\u2028c\x85d", ["a\x0cb\u2028c\x85d"])],
)
def test_lines_end_as_in_python(source: str, lines: list[str]) -> None:
    assert lines_of(source) == lines
