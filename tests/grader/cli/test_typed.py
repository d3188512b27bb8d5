"""Tests of typed lines, and of the test for a terminal."""

from __future__ import annotations

import io

import pytest

from normgrade.cli.typed import next_line, somebody_is_there


def test_line_is_stripped_and_end_of_input_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("  so \n"))
    assert [next_line("> "), next_line("> ")] == ["so", ""]


def test_nobody_is_there_without_a_terminal() -> None:
    assert not somebody_is_there()
