"""Tests of the full screen: every line is drawn completely, old text is erased, and the picture comes back after a stop."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from normgrade.cli.full_screen import ENTER, LEAVE, FullScreen
from normgrade.cli.keys import Keyboard

pyte = pytest.importorskip("pyte", reason="the screen is drawn by pyte")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a terminal as POSIX has it")
WIDTH, HEIGHT = 20, 4


class Stage(FullScreen):
    """A full screen whose output is kept in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        file = path.open("w", encoding="utf-8")
        super().__init__(Console(file=file, width=WIDTH, height=HEIGHT, force_terminal=True, legacy_windows=False), Keyboard(None))

    def written(self) -> str:
        return self.path.read_text(encoding="utf-8")

    def drawn(self) -> list[str]:
        """Return the lines on the screen."""
        screen: Any = pyte.Screen(WIDTH, HEIGHT)
        pyte.Stream(screen).feed(self.written().replace("\n", "\r\n"))  # as terminals do
        return [line.rstrip() for line in screen.display]


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    stage = Stage(tmp_path / "out")
    yield stage
    stage.console.file.close()


def test_lines_replace_earlier_ones_completely(stage: Stage) -> None:
    with stage:
        stage.show(Text("\n".join(["x" * WIDTH] * HEIGHT)))
        assert stage.drawn() == ["x" * WIDTH] * HEIGHT
        stage.show(Text("y" * WIDTH + "\nz"))
        assert stage.drawn() == ["y" * WIDTH, "z", "", ""]


def test_lines_without_room_are_left_out_at_the_end(stage: Stage) -> None:
    stage.enter()
    stage.show(Text("\n".join("abcdef")))
    assert stage.drawn() == ["a", "b", "c", "d"]


def test_picture_comes_back_after_leaving(stage: Stage) -> None:
    with stage:
        stage.show(Text("here"))
        stage.leave()
        stage.leave()
        before = stage.written()
        stage.enter()
        stage.enter()
    again = stage.written().removeprefix(before)
    assert before.startswith(ENTER) and before.endswith(LEAVE) and before.count(LEAVE) == 1
    assert again.startswith(ENTER) and again.endswith(LEAVE)
    assert (again.count(ENTER), again.count("here")) == (1, 2)


def test_a_terminal_that_is_gone_is_no_error() -> None:
    import os
    import pty

    ours, theirs = pty.openpty()
    os.close(ours)
    with (
        open(theirs, "w", encoding="utf-8") as terminal,
        FullScreen(Console(file=terminal, width=WIDTH, height=HEIGHT, force_terminal=True), Keyboard(None)) as stage,
    ):
        stage.show(Text("here"))
