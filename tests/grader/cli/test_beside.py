"""Tests of two sources shown side by side."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from normgrade.cli.beside import beside, rows

OWN = "import torch\n\nmean = x.mean()\nreturn x - mean\n"
OTHER = "import torch\n\nreturn x - x.mean()\n"


def shown(own: str, other: str, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, force_terminal=False, color_system=None)
    console.print(beside(("yours", own), ("reference", other)))
    assert isinstance(console.file, io.StringIO)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_equal_lines_share_a_row_without_a_mark() -> None:
    assert list(rows(["a", "b"], ["a", "b"])) == [("a", "a", True), ("b", "b", True)]
    assert not set("".join(shown(OWN, OWN))) & set("−+")


@pytest.mark.parametrize(
    ("left", "right", "paired"),
    [
        (["a"], ["b"], [("a", "b", False)]),
        (["a", "b"], ["a"], [("a", "a", True), ("b", None, False)]),
        (["b"], ["a", "b"], [(None, "a", False), ("b", "b", True)]),
        (["a", "b"], ["c"], [("a", "c", False), ("b", None, False)]),
        ([], [], []),
    ],
)
def test_different_lines_are_paired_and_missing_ones_none(left: list[str], right: list[str], paired: list[object]) -> None:
    assert list(rows(left, right)) == paired


def test_marks_show_the_side_of_a_line() -> None:
    lines = shown(OWN, OTHER)
    assert lines[0].split() == ["yours", "reference"]
    assert lines[1].split() == ["import", "torch", "import", "torch"]
    assert lines[3].startswith("− mean = x.mean()") and "+ return x - x.mean()" in lines[3]
    assert lines[4] == "− return x - mean"


def test_markup_in_a_source_is_text() -> None:
    assert any("[red]x[/red]" in line for line in shown("[red]x[/red]\n", ""))


def test_a_long_line_is_folded_not_cut() -> None:
    text = "x" * 100
    assert "".join(shown(text, text, width=40)).count("x") == 200
