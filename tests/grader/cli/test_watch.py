"""Watching: every way of saving is noticed, every state is drawn, and in a real terminal keys and verdicts come at once."""

from __future__ import annotations

import io
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from normgrade.cli.screen import Window, screens
from normgrade.course.course import Course
from normgrade.grade import Submission
from normgrade.inspection.inspection import Inspection
from normgrade.learner.file_saves import Watched, waker
from normgrade.learner.watch_session import Watching
from normgrade.report.report import Check, Kind, Outcome, Report

WRONG = "def rms(x, eps=1e-5):\n    return 0.5 * x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5\n"
LATEST_S = 30.0  # for anything to be seen, on a machine that is busy


def test_what_is_there_at_first_is_news(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("1")
    watched = Watched(path)
    assert watched.saved() and not watched.saved()


def test_every_way_of_saving_is_noticed_once(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    watched = Watched(path)
    assert watched.saved() and not watched.saved()  # there is none
    path.write_text("1")
    assert watched.saved() and not watched.saved()
    (tmp_path / "b.py").write_text("2")
    os.replace(tmp_path / "b.py", path)
    assert watched.saved() and not watched.saved()
    path.unlink()
    assert watched.saved() and not watched.saved()


def test_half_a_save_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("")
    watched = Watched(path)
    monkeypatch.setattr(time, "sleep", lambda seconds: path.write_text("the rest") and None)
    assert not watched.saved()  # it grew while nobody should have been writing
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    assert watched.saved() and not watched.saved()


def test_nothing_to_watch_is_said(run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = run("watch")
    assert (code, out) == (2, "")
    assert err == "Error: Which exercise is to be watched? Name it: `normgrade watch SLUG`; `normgrade list` shows them all."


# What is drawn


class Grader:
    """Grades without grading: it gives the reports that it was given, and keeps what was on the screen meanwhile."""

    watching: Watching

    def __init__(self, claims: int, *reports: Report) -> None:
        self.reports, self.seen = list(reports), ""
        self.suites = {"rms": SimpleNamespace(names=("a",), claims={f"Claim {number}.": ("a",) for number in range(claims)})}

    def report_on(self, submission: Submission, inspection: Inspection, on_event: Callable[..., None]) -> Report:
        self.seen = drawn(self.watching)
        return self.reports.pop(0)


def drawn(watching: Watching, height: int = 24) -> str:
    console = Console(file=io.StringIO(), width=80, height=height, legacy_windows=False)
    console.print(Window(screens(watching, height), 0))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def of_rms(outcome: Outcome, **more: Any) -> Report:
    check = Check("a", "Claim 0.", Kind.FORMULA, outcome, 8, **more)
    return Report("rms", "rms.py", outcome, 8, "linux", 0, 0.1, checks=(check,))


Graded = Callable[..., Watching]


@pytest.fixture
def watched(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Graded:
    """Watching rms, which is saved before each of these reports."""
    monkeypatch.chdir(tmp_path)

    def graded(claims: int, *reports: Report) -> Watching:
        grader: Any = Grader(claims, *reports)
        monkeypatch.setattr("normgrade.learner.watch_session.report_on", Grader.report_on)
        grader.watching = watching = Watching(grader, tiny, tiny.exercise("rms"))
        for number in range(len(reports)):
            (tmp_path / "rms.py").write_text(f"def rms(x, eps=1e-5):\n    return x + {'1' * number}0\n", encoding="utf-8")
            assert watching.begin_if_saved()
            watching.grade()
        return watching

    return graded


def test_while_a_file_is_graded_nothing_of_the_last_verdict_is_shown(watched: Graded) -> None:
    watching = watched(3, of_rms(Outcome.PASSED), of_rms(Outcome.FAILED, message="No."))
    grader: Any = watching.grader
    assert [line.rstrip() for line in grader.seen.splitlines()[1:]] == [
        "· Claim 0.",
        "· Claim 1.",
        "· Claim 2.",
        "rms.py: grading …",
    ]
    assert "0 of 8 points · not passed" in drawn(watching) and "last scores: 8 0" in drawn(watching)


def test_a_line_for_each_claim_is_shown_where_all_of_it_has_room(watched: Graded) -> None:
    watching = watched(12, of_rms(Outcome.PASSED))
    assert "Claim 11." in drawn(watching) and "Passed: n goes on with centring." in drawn(watching)
    assert "Claim 11." not in drawn(watching, height=16) and "Passed: n goes on with centring." in drawn(watching, height=16)


def test_what_is_below_is_counted(watched: Graded) -> None:
    watching = watched(3, of_rms(Outcome.FAILED, message="one\ntwo\nthree"))
    lines = len(drawn(watching, height=5).splitlines()) - 1
    whole = len(drawn(watching, height=100).splitlines())
    low = next(height for height in range(5, 30) if "▼" not in drawn(watching, height))
    assert lines == 4 < whole
    assert drawn(watching, low - 1).splitlines()[-1] == "▼ 1 more line: arrows, space"
    assert drawn(watching, low - 2).splitlines()[-1] == "▼ 2 more lines: arrows, space"


def test_the_key_that_shows_the_rest_is_named(watched: Graded) -> None:
    failed = of_rms(Outcome.FAILED, message="No.")
    second = replace(failed.checks[0], name="b", claim="Another.")
    assert "and 1 more claim that does not hold: d shows it" in drawn(watched(1, replace(failed, checks=(*failed.checks, second))), 60)


# In a terminal of its own

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a terminal as POSIX has it")


class Terminal:
    """A command in a terminal of 80 columns, and what it showed."""

    def __init__(self, folder: Path, course: Course, *arguments: str, kind: str = "xterm", lines: int = 60, before: str = "") -> None:
        import pty

        from normgrade.worker import launch

        self.ours, theirs = pty.openpty()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "NO_COLOR"))}
        ours = {"NORMGRADE_COURSE": str(course.root), "TERM": kind, "COLUMNS": "80", "LINES": str(lines), "NORMGRADE_LANG": "en"}
        paths = {"PYTHONPATH": os.pathsep.join(filter(None, (before, str(Path(launch.__file__).parents[2]))))}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "normgrade", *arguments],
            cwd=folder, env=kept | ours | paths, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self.shown = ""

    def see(self, pattern: str) -> str:
        """Read until this is shown, wherever its lines break, and forget what was shown before."""
        pattern = pattern.replace(" ", r"\s+")
        deadline = time.monotonic() + LATEST_S
        while not (found := re.search(pattern, self.shown)):
            assert time.monotonic() < deadline, self.shown[-3000:]
            if select.select([self.ours], [], [], 0.1)[0]:
                self.shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", os.read(self.ours, 2**16).decode("utf-8", "replace"))
        self.shown = self.shown[found.end() :]
        return found[0]

    def press(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.ours)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "normgrade.toml").touch()
    return tmp_path


Begin = Callable[..., Terminal]


@pytest.fixture
def begin(folder: Path, tiny: Course, expectations: Path) -> Iterator[Begin]:
    """Watch a wrong answer, in a terminal that is closed at the end."""
    (folder / "rms.py").write_text(WRONG, encoding="utf-8")
    with ExitStack() as opened:

        def begun(**options: Any) -> Terminal:
            terminal = Terminal(folder, tiny, "watch", "rms", **options)
            opened.callback(terminal.close)
            return terminal

        yield begun


def quit_watching(terminal: Terminal) -> None:
    terminal.press("q")
    assert terminal.process.wait(LATEST_S) == 0


def mend_and_quit(terminal: Terminal, folder: Path, tiny: Course) -> None:
    terminal.see(r"points · not passed")
    (folder / "rms.py").write_bytes(tiny.exercise("rms").reference.read_bytes())
    terminal.see(r"8 of 8 points · passed")
    quit_watching(terminal)


def test_an_afternoon(begin: Begin, folder: Path, tiny: Course) -> None:
    path, terminal = folder / "rms.py", begin()
    terminal.see(r"n next exercise · p back · h hint")
    terminal.see(r"✓ It can be called and returns a tensor")
    terminal.see(r"✗")
    terminal.see(r"\d of 8 points · not passed")
    terminal.press("h")
    terminal.see(r"Hint: About what failed first at your last check: Average over the last dimension\.")
    path.write_text("def rms(x,\n", encoding="utf-8")
    terminal.see(r"syntax: The file is not valid Python")
    path.unlink()
    terminal.see(r"does not exist: check the name")
    terminal.press("s")
    terminal.see(r"Root mean square")
    terminal.press("s")
    path.write_bytes(tiny.exercise("rms").reference.read_bytes())
    terminal.see(r"8 of 8 points · passed")
    terminal.see(r"last scores: \d 8")
    terminal.see(r"Passed: n goes on with centring\.")
    terminal.press("h")
    terminal.see(r"It has passed: nothing is left to hint at\.")
    terminal.press("n")
    terminal.see(r"centring\.py does not exist")
    terminal.press("n")
    terminal.see(r"There is no other exercise to go on with\.")
    terminal.press("p")
    terminal.see(r"8 of 8 points · passed")
    terminal.press("p")
    terminal.see(r"No other exercise was watched before this one\.")
    quit_watching(terminal)
    terminal.see(r"✓ rms · rms\.py · 8 of 8 points · passed · sandbox: \w+")


def test_a_low_screen_has_a_mark_for_each_check_and_scrolls(begin: Begin) -> None:
    terminal = begin(lines=12)
    terminal.see(r"[✓✗·]+ [✓✗·]+ .*rms · rms\.py")
    terminal.see(r"points · not passed")
    terminal.see(r"▼ \d+ more lines: arrows, space")
    terminal.press(" ")
    terminal.see(r"allowed")
    quit_watching(terminal)


def test_without_watchfiles_the_file_is_looked_at_again_and_again(begin: Begin, folder: Path, tiny: Course) -> None:
    (folder / "absent").mkdir()
    (folder / "absent" / "watchfiles.py").write_text("raise ImportError\n")
    mend_and_quit(begin(before=str(folder / "absent")), folder, tiny)


@pytest.mark.parametrize("change", ["write", "replace", "remove"])
def test_a_change_in_the_folder_wakes(tmp_path: Path, change: str) -> None:
    pytest.importorskip("watchfiles")
    path, other = tmp_path / "a.py", tmp_path / "b.py"
    path.write_text("1")
    other.write_text("2")
    with waker(tmp_path) as wakes:
        assert wakes is not None
        time.sleep(0.2)  # until the watcher has begun
        if change == "write":
            path.write_text("3")
        elif change == "replace":
            os.replace(other, path)
        else:
            path.unlink()
        assert select.select([wakes], [], [], LATEST_S)[0]


def test_a_dumb_terminal_gets_reports_one_below_the_other(begin: Begin, folder: Path, tiny: Course) -> None:
    mend_and_quit(begin(kind="dumb"), folder, tiny)
