"""Tests of the progress bar, which is shown only on a terminal and erased at the end."""

from __future__ import annotations

import io
import re
import sys
import time

import pytest
from rich.text import Text

from normgrade.cli.bar import Bar, progress

pyte = pytest.importorskip("pyte", reason="the screen is drawn by pyte")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_written_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
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
    assert bar.progress.tasks[0].total is None
    bar("rms.py", 1, 4)
    assert [(task.total, task.completed) for task in bar.progress.tasks] == [(4, 1)]
    bar.stop()


def test_the_time_left_is_that_of_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    bar = Bar()
    for done in range(3):
        bar("what is expected", done, 4)
    [first] = bar.progress.tasks
    assert first.time_remaining is not None
    bar("rms.py: check 1 of 4", 1, 4)
    [second] = bar.progress.tasks
    assert second.id != first.id and second.time_remaining is None
    bar.stop()


@pytest.mark.parametrize(("done", "total"), [(0, 0), (1, 4), (4, 4)])
def test_it_moves_by_itself(done: int, total: int, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress() as tell:
        tell("PyTorch starts", done, total)
        drawn = [terminal.getvalue()]
        for _moment in range(100):
            time.sleep(0.05)
            if terminal.getvalue() != drawn[-1]:
                drawn.append(terminal.getvalue())
            if len(marks(drawn[-1])) > 3:
                break
    assert len(marks(drawn[-1])) > 3


def marks(drawn: str) -> set[str]:
    """Return the marks drawn before the step."""
    return set(re.findall(r"(\S)\S* PyTorch starts", re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", drawn)))


def test_lines_above_the_bar_are_erased_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    bar = Bar()
    bar("looking for the mistake", 0, 0)
    bar.show([Text("first"), Text("second")])
    bar.stop()
    said = terminal.getvalue()
    assert "second" in said
    screen = pyte.Screen(80, 24)
    pyte.Stream(screen).feed(said.replace("\n", "\r\n"))
    assert not any(line.strip() for line in screen.display)


def test_without_stderr_the_bar_is_on_stdout(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, file = Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", file)
    monkeypatch.setenv("TERM", "xterm")
    with progress() as tell:
        tell("PyTorch starts", 0, 0)
    assert "PyTorch starts" in terminal.getvalue() and file.getvalue() == ""


def test_a_log_has_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    monkeypatch.setattr("normgrade.cli.bar.PAUSE_S", 0.01)
    with progress(lines=True) as tell:
        tell("1 of 4 graded", 1, 4)
        while "graded" not in log.getvalue():
            time.sleep(0.01)
    assert "1 of 4 graded · 25%" in log.getvalue().splitlines()
    with progress() as tell:
        tell("1 of 4 graded", 1, 4)
        length = len(log.getvalue())
        time.sleep(0.05)
    assert len(log.getvalue()) == length
