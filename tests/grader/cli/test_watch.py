"""Tests of the command `watch` in a real terminal, with its keys and verdicts."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from normgrade.cli.watch import LEAVE, open_for_all
from normgrade.course.course import Course
from normgrade.grading.grading_options import Options
from normgrade.language.errors import CourseError

WRONG = "def rms(x, eps=1e-5):\n    return (0.5 * x / (x.float() ** 2).mean(-1, keepdim=True).add(eps) ** 0.5).to(x.dtype)\n"
LATEST_S = 120.0  # only a guard: on a busy machine importing PyTorch takes 10 s, and more than one process does


def test_nothing_to_watch_is_said(run: Callable[..., tuple[int, str, str]]) -> None:
    code, out, err = run("watch")
    assert (code, out) == (2, "")
    assert (
        err == "Error: There is no exercise to continue with. "
        "Run `normgrade watch SLUG` to watch one, and `normgrade list` to see all exercises."
    )


# In its own terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a terminal as POSIX has it")


class Terminal:
    """A command in a terminal of 80 columns, and its output."""

    def __init__(self, folder: Path, course: Course, *arguments: str, kind: str = "xterm", lines: int = 60,
                 ignored: Sequence[int] = ()) -> None:  # fmt: skip
        import pty

        from normgrade.worker.trusted import launch

        self.ours, theirs = pty.openpty()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "NO_COLOR"))}
        ours = {"NORMGRADE_COURSE": str(course.root), "TERM": kind, "COLUMNS": "80", "LINES": str(lines), "NORMGRADE_LANG": "en"}
        paths = {"PYTHONPATH": str(Path(launch.__file__).parents[2])}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "normgrade", *arguments],
            cwd=folder, env=kept | ours | paths, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
            preexec_fn=partial(set_signals, ignored),
        )  # fmt: skip
        os.close(theirs)
        self.shown = ""
        self.unread = b""

    def see(self, pattern: str) -> str:
        """Read until the output matches a pattern, across line breaks, and forget everything up to the match."""
        pattern = pattern.replace(" ", r"\s+")
        deadline = time.monotonic() + LATEST_S
        while not (found := re.search(pattern, self.shown)):
            assert time.monotonic() < deadline, self.shown[-3000:]
            if select.select([self.ours], [], [], 0.1)[0]:
                self.shown += without_codes(os.read(self.ours, 2**16))
        self.shown = self.shown[found.end() :]
        return found[0]

    def code(self) -> int:
        """Return the exit code when the process has ended. Read meanwhile, because it cannot write to a full terminal."""
        deadline = time.monotonic() + LATEST_S
        while self.process.poll() is None:
            assert time.monotonic() < deadline, "the process has not ended"
            if select.select([self.ours], [], [], 0.1)[0]:
                with suppress(OSError):  # Linux raises it if nobody writes any more
                    self.unread += (more := os.read(self.ours, 2**16))
                    self.shown += without_codes(more)
        return self.process.wait()

    def everything(self) -> str:
        """Return all unread output, with its codes, when the last writer has closed the terminal."""
        written, self.unread = self.unread, b""
        with suppress(OSError):
            while more := os.read(self.ours, 2**16):
                written += more
        return written.decode()

    def press(self, keys: str) -> None:
        os.write(self.ours, keys.encode())

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.ours)


def set_signals(ignored: Sequence[int]) -> None:
    """Have this process ignore these signals and no others, however the tests were started: `nohup` and shells have some ignored."""
    for number in (signal.SIGHUP, signal.SIGQUIT, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)


def without_codes(written: bytes) -> str:
    """Return the text of written bytes without the codes of a terminal; a line that begins somewhere is a line of its own."""
    lines = re.sub(r"\x1b\[[0-9;]*H", "\n", written.decode("utf-8", "replace"))
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "normgrade.toml").touch()
    return tmp_path


Begin = Callable[..., Terminal]


@pytest.fixture
def begin(folder: Path, tiny: Course, expectations: Path) -> Iterator[Begin]:
    """Yield a function that watches a wrong answer in a terminal, which is closed at the end."""
    (folder / "rms.py").write_text(WRONG, encoding="utf-8")
    with ExitStack() as opened:

        def begun(**options: Any) -> Terminal:
            terminal = Terminal(folder, tiny, "watch", "rms", **options)
            opened.callback(terminal.close)
            return terminal

        yield begun


def quit_watching(terminal: Terminal) -> None:
    terminal.press("q")
    assert terminal.code() == 0


def mend_and_quit(terminal: Terminal, folder: Path, tiny: Course) -> None:
    terminal.see(r"points(, | · )not passed")
    (folder / "rms.py").write_bytes(tiny.exercise("rms").reference.read_bytes())
    terminal.see(r"8 of 8 points(, | · )passed")
    quit_watching(terminal)


def test_an_afternoon(begin: Begin, folder: Path, tiny: Course) -> None:
    path, terminal = folder / "rms.py", begin()
    terminal.see(r"n next · .* · h hint .* q quit")
    terminal.see(r"\d of 8 points, not passed")
    terminal.see(r"✓ It can be called and returns a tensor")
    terminal.see(r"✗")
    terminal.press("h")
    terminal.see(r"Hint: About the first failure of your last check: Average over the last dimension\.")
    path.write_text("def rms(x,\n", encoding="utf-8")
    terminal.see(r"syntax: The file is not valid Python")
    path.unlink()
    terminal.see(r"does not exist: check the name")
    terminal.press("?")
    terminal.see(r"give a hint")
    terminal.press("\x1a?")
    path.write_bytes(tiny.exercise("rms").reference.read_bytes())
    terminal.see(r"8 of 8 points, passed")
    terminal.see(r"\+\d points: now hold: .* · last scores: \d 8")
    terminal.see(r"Passed\. Press n to continue with centring\.")
    terminal.press("h")
    terminal.see(r"The exercise has passed, so there are no hints\.")
    terminal.press("n")
    terminal.see(r"centring\.py does not exist")
    terminal.press("n")
    terminal.see(r"There is no other exercise to continue with\.")
    terminal.press("l")
    terminal.see(r"1 of 2 passed")
    terminal.press("\x1b[A\r")
    terminal.see(r"8 of 8 points, passed")
    terminal.press("pp")
    terminal.see(r"8 of 8 points, passed")
    terminal.press("p")
    terminal.see(r"No exercise was watched before this one\.")
    quit_watching(terminal)
    terminal.see(r"✓ rms · rms\.py · 8 of 8 points · passed · sandbox: \w+")


def test_low_screen_has_marks_and_scrolls(begin: Begin) -> None:
    terminal = begin(lines=6)
    terminal.see(r"(starting PyTorch|rms\.py: check \d of 5 · \d+ %)\s+[✓✗·]+ [✓✗·]+")  # all checks may end between two looks
    terminal.see(r"points, not passed")
    terminal.see(r"▼ \d+ more lines: arrows, space")
    terminal.press("\x1b[F")
    terminal.see(r"Next: normgrade")
    quit_watching(terminal)


def test_all_differences_are_shown(begin: Begin) -> None:
    terminal = begin()
    terminal.see(r"points, not passed")
    terminal.press("d")
    terminal.see(r"numbers differ")
    terminal.see(r"numbers differ")
    terminal.press("d")
    terminal.see(r"points, not passed")
    quit_watching(terminal)


def test_q_works_during_grading(begin: Begin) -> None:
    terminal = begin()
    terminal.see(r"rms\.py: grading")
    quit_watching(terminal)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_terminal_is_restored_when_watch_is_ended(number: signal.Signals, begin: Begin) -> None:
    import termios

    terminal = begin()
    settings = termios.tcgetattr(terminal.ours)
    terminal.see(r"points, not passed")
    assert termios.tcgetattr(terminal.ours) != settings
    terminal.process.send_signal(number)
    assert terminal.code() == -number
    assert termios.tcgetattr(terminal.ours) == settings
    assert terminal.everything().endswith(LEAVE)


def test_a_hang_up_that_is_ignored_quits(begin: Begin) -> None:
    """A terminal that is closed reads as q, as under `nohup`."""
    terminal = begin(ignored=(signal.SIGHUP,))
    terminal.press("h")
    terminal.see(r"Hint: ")  # which waits for the end of the grading
    os.close(terminal.ours)
    code = terminal.process.wait(LATEST_S)
    terminal.ours = os.open(os.devnull, os.O_RDWR)
    assert code == 2  # the last verdict cannot be written


def test_a_dumb_terminal_gets_reports_one_below_the_other(begin: Begin, folder: Path, tiny: Course) -> None:
    mend_and_quit(begin(kind="dumb"), folder, tiny)


# A course with a broken suite


def test_broken_suite_does_not_stop_another_exercise(
    edited_course: Callable[..., Course], expectations: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course = edited_course({"tests/hidden/test_rms.py": "def test_it(:\n"})
    with open_for_all(course, course.exercise("centring"), Options(), None) as (grader, rest):
        assert grader.suites.keys() == {"centring"} == set(rest.slugs)
    assert capsys.readouterr().err.startswith(f'Warning: "rms" is skipped. {course.root}/tests/hidden/test_rms.py, line 1: ')
    with (
        pytest.raises(CourseError, match="the hidden suite cannot be collected"),
        open_for_all(course, course.exercise("rms"), Options(), None),
    ):
        pass
