"""Two sources next to each other, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest

from rich.table import Table
from rich.text import Text

WIDE = 120  # columns; a narrower terminal has no room for two sources


def beside(own: tuple[str, str], other: tuple[str, str]) -> Table:
    """Return a table of two sources, each given as name and text: "−" marks lines only in the first, "+" lines only in the second."""
    table = Table.grid(padding=(0, 1, 0, 0), expand=True)
    for _side in range(2):
        table.add_column(no_wrap=True)
        table.add_column(ratio=1, overflow="fold")
    table.add_row("", Text(own[0], style="bold"), "", Text(other[0], style="bold"))
    for left, right, same in rows(own[1].splitlines(), other[1].splitlines()):
        table.add_row(*cells(left, same, "−", "red"), *cells(right, same, "+", "green"))
    return table


def cells(line: str | None, same: bool, mark: str, style: str) -> tuple[Text, Text]:
    """Return the mark and the line of one side; there is no mark if the line is on both sides."""
    if line is None or same:
        return Text(" "), Text(line or "", style="dim")
    return Text(mark, style=style), Text(line, style=style)


def rows(left: list[str], right: list[str]) -> Iterator[tuple[str | None, str | None, bool]]:
    """Yield pairs of lines, each with true if both are equal; a line is None if its side has none."""
    for kind, i, j, k, m in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        for pair in zip_longest(left[i:j], right[k:m]):
            yield *pair, kind == "equal"
