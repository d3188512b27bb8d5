"""The command `watch`: in a real terminal keys and verdicts come at once."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from normgrade.cli.watch import open_for_all
from normgrade.course.course import Course
from normgrade.language.errors import CourseError
from normgrade.suite.grading_options import Options

WRONG = "def rms(x, eps=1e-5):\n    return 0.5 * x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5\n"
LATEST_S = 30.0  # for anything to be seen, on a machine that is busy


def test_nothing_to_watch_is_said(run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = run("watch")
    assert (code, out) == (2, "")
    assert err == "Error: Which exercise is to be watched? Name it: `normgrade watch SLUG`; `normgrade list` shows them all."


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


def test_a_dumb_terminal_gets_reports_one_below_the_other(begin: Begin, folder: Path, tiny: Course) -> None:
    mend_and_quit(begin(kind="dumb"), folder, tiny)


# A course with a broken suite


def test_a_broken_suite_does_not_stop_what_is_watched(
    edited_course: Callable[..., Course], expectations: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course = edited_course({"tests/hidden/test_rms.py": "def test_it(:\n"})
    with open_for_all(course, course.exercise("centring"), Options(), None) as (grader, rest):
        assert grader.suites.keys() == {"centring"} == set(rest.slugs)
    assert capsys.readouterr().err.startswith(f'Warning: "rms" is left out. {course.root}/tests/hidden/test_rms.py, line 1: ')
    with (
        pytest.raises(CourseError, match="the hidden suite cannot be collected"),
        open_for_all(course, course.exercise("rms"), Options(), None),
    ):
        pass
