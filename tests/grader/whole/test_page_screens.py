"""Tests that the screens in README and docs are real: every page is played, and every line that it shows has to come."""

from __future__ import annotations

from pathlib import Path

import pytest
from played_page import as_typed, commands_in, played
from session import ON_POSIX, lines_of
from thorough import all_or

pytestmark = ON_POSIX
ROOT = Path(__file__).parents[3]
OWN_TESTS = {"authors.md"}  # test_authors_page.py plays it
PAGES = [path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if path.name not in OWN_TESTS]
OF_THE_MACHINE = ("normgrade doctor",)  # its screen differs from machine to machine


@pytest.mark.parametrize("path", all_or(4, PAGES), ids=lambda path: path.name)
def test_every_line_of_a_screen_is_real(path: Path, expectations: Path, tmp_path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    for command, shown, said in played(page, tmp_path):
        assert "Traceback" not in said and "Error: " not in said
        if command not in OF_THE_MACHINE:
            real = lines_of(said)
            assert [line for line in lines_of(shown) if line and line != "…" and line not in real] == [], said


def test_commands_of_a_block_are_those_that_work_anywhere() -> None:
    block = "$ make demo\nGraded.\n\n$ make test\n$ normgrade list\na\nb\n"
    assert list(commands_in(block)) == [("make demo", "Graded.\n\n"), ("normgrade list", "a\nb\n")]
    assert as_typed("make demo") == "normgrade demo"
