"""Lines that are typed, and whether there is anybody to type them."""

from __future__ import annotations

import io

import pytest

from normgrade.cli.typed import next_line, somebody_is_there


def test_a_line_is_read_without_its_ends_and_the_end_of_the_input_is_an_empty_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("  so \n"))
    assert [next_line("> "), next_line("> ")] == ["so", ""]


def test_nobody_is_there_without_a_terminal() -> None:
    assert not somebody_is_there()
