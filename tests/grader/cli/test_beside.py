"""Two sources side by side: which lines are marked."""

from __future__ import annotations

import io

from rich.console import Console

from normgrade.cli.beside import beside, rows


def test_lines_of_one_side_stand_beside_nothing() -> None:
    assert list(rows(["a", "b"], ["b", "c"])) == [("a", None, False), ("b", "b", True), (None, "c", False)]
    assert list(rows(["a"], ["b", "c"])) == [("a", "b", False), (None, "c", False)]
    assert list(rows([], [])) == []


def test_marks_say_which_side_has_a_line() -> None:
    console = Console(file=io.StringIO(), width=60)
    console.print(beside(("mine.py", "x = 1\ny = 2\n"), ("reference.py", "x = 1\ny = 3\n")))
    assert isinstance(console.file, io.StringIO)
    lines = [line.split() for line in console.file.getvalue().splitlines()]
    assert lines == [["mine.py", "reference.py"], ["x", "=", "1", "x", "=", "1"], ["−", "y", "=", "2", "+", "y", "=", "3"]]
