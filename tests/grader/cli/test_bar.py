"""The progress bar: on a terminal alone, and gone at the end."""

from __future__ import annotations

import io
import sys

import pytest

from normgrade.cli.bar import Bar, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_where_nobody_watches_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    with progress() as tell:
        tell("rms.py", 1, 2)
    assert capsys.readouterr() == ("", "")


def test_on_a_terminal_the_last_news_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress() as tell:
        assert terminal.getvalue() == ""  # the bar begins when there is something to say
        tell("first.py", 0, 2)
        tell("a\x1b[31m.py", 2, 2)
    assert "a·[31m.py" in terminal.getvalue() and "100%" in terminal.getvalue()


def test_without_a_total_the_bar_just_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    bar = Bar()
    bar("looking for the mistake", 0, 0)
    assert bar.progress is not None and bar.progress.tasks[0].total is None
    bar("rms.py", 1, 4)
    assert [(task.total, task.completed) for task in bar.progress.tasks] == [(4, 1)]
    bar.stop()
