"""Tests of the loop of `watch` on one screen, and of its keys: every key works, in its order, also during grading."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from normgrade.cli.screen import Differences, Help, Listing
from normgrade.cli.watch import Keyboard, Left, Screen, WindowsKeyboard, keys, name_of, until_q
from normgrade.course.course import Course
from normgrade.grading.grade import Submission, report_of_inspection
from normgrade.grading.grading_options import Options
from normgrade.inspection.inspection import Inspection
from normgrade.learner.watching import Watching
from normgrade.report.report import Check, Kind, Outcome, Report

# Keys


LATEST_S = 10.0  # for a key that is already there
posix = pytest.mark.skipif(sys.platform == "win32", reason="a terminal as POSIX has it")


class Keyed(Keyboard):
    """A keyboard that types bytes from the test."""

    def __init__(self) -> None:
        reading, self.writing = os.pipe()
        super().__init__(reading)

    def type(self, typed: bytes) -> None:
        os.write(self.writing, typed)

    def all(self) -> list[str]:
        """Return every key that was typed."""
        found = []
        while key := self.pressed(0.0):
            found.append(key)
        return found


@pytest.fixture
def keyboard() -> Iterator[Keyed]:
    keyboard = Keyed()
    with ExitStack() as opened:
        for end in (keyboard.terminal, keyboard.writing):
            assert end is not None
            opened.callback(os.close, end)
        yield keyboard


@posix
@pytest.mark.parametrize(
    ("typed", "key"),
    [
        (b"n", "n"),
        (b"?", "?"),
        (b"\x1b[A", "up"),
        (b"\x1bOA", "up"),
        (b"j", "down"),
        (b" ", "page down"),
        (b"\x1b[5~", "page up"),
        (b"\x1bOH", "home"),
        (b"\x1b[1~", "home"),
        (b"\x1b[F", "end"),
        (b"\r", "enter"),
        (b"\x1b", "escape"),
    ],
)
def test_a_key_has_a_name_or_is_its_character(typed: bytes, key: str, keyboard: Keyed) -> None:
    keyboard.type(typed)
    assert keyboard.pressed(LATEST_S) == key
    assert keyboard.pressed(0.0) == ""


@posix
@pytest.mark.parametrize(
    ("typed", "found"),
    [
        (b"h?s", ["h", "?", "s"]),
        (b"\x1b[A" * 40 + b"q", ["up"] * 40 + ["q"]),
        (b"\x1b\x1bOBq", ["escape", "down", "q"]),
        (b"\x1bq", ["escape", "q"]),
        ("dé范🙂q".encode(), ["d", "q"]),
        (b"\x1b[1;5A\x1b[24~\x01n", ["n"]),  # keys without a name here
        (b"\xffn\xe4\xbdn", ["n", "n"]),  # no text
    ],
)
def test_no_key_of_a_burst_is_lost(typed: bytes, found: list[str], keyboard: Keyed) -> None:
    keyboard.type(typed)
    assert keyboard.all() == found


@posix
@pytest.mark.parametrize(
    ("typed", "key"),
    [(b"\x1b[5~", "page up"), (b"\x1bOA", "up")],
)
def test_a_key_that_comes_in_pieces_is_one(typed: bytes, key: str, keyboard: Keyed) -> None:
    for place in range(1, len(typed)):
        keyboard.type(typed[:place])
        keyboard.read(LATEST_S)
        keyboard.type(typed[place:])
        assert keyboard.all() == [key]


@posix
def test_unfinished_sequence_does_not_block_later_keys(keyboard: Keyed) -> None:
    keyboard.type(b"\x1b[")
    assert keyboard.all() == ["escape", "["]
    keyboard.type(b"n")
    assert keyboard.all() == ["n"]


@posix
def test_without_a_key_nothing_is_returned(keyboard: Keyed) -> None:
    assert keyboard.pressed(0.0) == ""


@posix
def test_a_terminal_that_is_gone_quits() -> None:
    import pty

    reading, writing = os.pipe()
    ours, theirs = pty.openpty()
    os.close(writing)
    os.close(ours)
    assert [Keyboard(end).pressed(LATEST_S) for end in (reading, theirs)] == ["q", "q"]
    os.close(reading)
    os.close(theirs)


def test_without_a_keyboard_no_key_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("q"))
    with keys() as keyboard:
        assert keyboard.pressed(0.0) == ""


@posix
def test_terminal_is_restored_and_early_keys_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    import pty
    import termios

    ours, theirs = pty.openpty()
    with open(theirs, encoding="utf-8") as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        before = termios.tcgetattr(theirs)
        os.write(ours, b"h")
        with keys() as keyboard:
            assert termios.tcgetattr(theirs) != before
            os.write(ours, b"n")
            assert [keyboard.pressed(LATEST_S), keyboard.pressed(LATEST_S)] == ["h", "n"]
        assert termios.tcgetattr(theirs) == before
    os.close(ours)


@posix
def test_handlers_are_restored_and_ignored_signals_stay() -> None:
    handled = [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]
    hangs_up = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        before = [signal.getsignal(number) for number in handled]
        with keys():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not before[0]
        assert [signal.getsignal(number) for number in handled] == before
    finally:
        signal.signal(signal.SIGHUP, hangs_up)


def test_on_windows_keys_have_the_same_names(monkeypatch: pytest.MonkeyPatch) -> None:
    typed = [*"n", "\xe0", "H", " ", "\x1b", "\x00", ";"]
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(kbhit=lambda: bool(typed), getwch=lambda: typed.pop(0)))
    keyboard = WindowsKeyboard(None)
    assert [keyboard.pressed(LATEST_S) for _key in range(5)] == ["n", "up", "page down", "escape", ""]
    assert keyboard.pressed(0.0) == "" and not typed


# The loop


pyte = pytest.importorskip("pyte", reason="the screen is drawn by pyte")
CODE = "def rms(x, eps=1e-5):\n    return x\n"


class Typist(Keyboard):
    """A keyboard that presses one key after the other, without delay, and q at the end; "_" is a moment without a key."""

    def __init__(self, keys: str) -> None:
        super().__init__(None)
        self.keys = [*keys]

    def pressed(self, seconds: float) -> str:
        key = self.keys.pop(0) if self.keys else "q"
        return "" if key == "_" else name_of(key.encode())


class Terminal(Console):
    """A terminal that keeps all that is written to it."""

    def __init__(self, height: int) -> None:
        super().__init__(file=io.StringIO(), width=80, height=height, force_terminal=True, legacy_windows=False)

    @property
    def written(self) -> str:
        assert isinstance(self.file, io.StringIO)
        return self.file.getvalue()


def suites() -> dict[str, Any]:
    return {slug: SimpleNamespace(names=("a",), claims={"Claim.": ("a",)}) for slug in ("rms", "centring")}


@dataclass
class Grader:
    """A grader that fails one check instead of grading. `seeds` has the seeds of all gradings."""

    options: Options = field(default_factory=Options)
    suites: dict[str, Any] = field(default_factory=suites)
    seeds: list[int] = field(default_factory=list)

    def report_on(self, submission: Submission, inspection: Inspection, on_event: Callable[[Check | Report], None]) -> Report:
        if not inspection.playable:
            return report_of_inspection(submission, inspection, self.options.seed)
        self.seeds.append(self.options.seed)
        check = Check("a", "Claim.", Kind.FORMULA, Outcome.FAILED, 8, message="No.")
        on_event(check)
        report = Report(submission.exercise.slug, "x.py", Outcome.FAILED, 8, "linux", self.options.seed, 0.1, checks=(check,))
        on_event(report)
        self.options.progress("looking for the mistake", 1, 4)
        return report


Typed = Callable[..., Screen]


@pytest.fixture
def typed(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Typed:
    """Return a function that types keys while rms is watched in a workspace, and returns the screen. The keys are those of `Typist`."""
    (tmp_path / "normgrade.toml").touch()
    (tmp_path / "rms.py").write_text(CODE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("normgrade.grading.reporting.report_on", Grader.report_on)

    def after(keys: str, height: int = 24) -> Screen:
        grader: Any = Grader()
        watching = Watching(grader, tiny, tiny.exercise("rms"))
        screen = Screen(watching, Terminal(height), Typist(keys))
        watching.listen(screen.meanwhile, screen.on_progress)
        with suppress(Left):
            until_q(screen)
        return screen

    return after


def picture(screen: Screen) -> str:
    """Return the text on the terminal."""
    assert isinstance(screen.console, Terminal)
    terminal: Any = pyte.Screen(80, screen.console.height)
    pyte.Stream(terminal).feed(screen.console.written.replace("\n", "\r\n"))  # as terminals do
    return "\n".join(line.rstrip() for line in terminal.display)


def seeds(screen: Screen) -> list[int]:
    grader: Any = screen.watching.grader
    return list(grader.seeds)


GRADED = "_____"  # one moment for each request for keys during a grading, and one more for the picture


def test_it_is_graded_and_drawn(typed: Typed) -> None:
    screen = typed(GRADED)
    assert "0 of 8 points, not passed" in picture(screen) and seeds(screen) == [0]


def test_view_keys_work_during_grading(typed: Typed) -> None:
    screen = typed("?q")
    assert isinstance(screen.view, Help) and screen.watching.grading


def test_q_ends_a_grading(typed: Typed) -> None:
    screen = typed("q")
    assert screen.watching.grading and seeds(screen) == []


def test_other_keys_wait_for_the_grading_in_order(typed: Typed) -> None:
    screen = typed("hn?" + GRADED)
    assert screen.watching.exercise.slug == "centring" and isinstance(screen.view, Help)
    assert screen.watching.before[0].slug == "rms" and seeds(screen) == [0]


def test_key_of_a_view_opens_and_closes_it(typed: Typed) -> None:
    views = [typed(GRADED + keys).view for keys in ("?", "??", "?d", "dd", "l", "ll")]
    assert [type(view) for view in views] == [Help, type(None), Differences, type(None), Listing, type(None)]


def test_arrows_scroll_as_far_as_there_are_lines(typed: Typed) -> None:
    assert typed(GRADED + "?_", height=6).top == 0
    assert typed(GRADED + "?_jj_k_", height=6).top == 1
    screen = typed(GRADED + "?_" + " _" * 20, height=6)
    assert screen.top > 1 and "▼" not in picture(screen)
    assert typed(GRADED + "?_" + " " * 20 + "k_", height=6).top == screen.top - 1  # drawn once, but counted one by one
    assert typed(GRADED + "? d_", height=6).top == 0


def test_only_other_inputs_have_another_seed(typed: Typed, tmp_path: Path) -> None:
    screen = typed(GRADED + "t" + GRADED)
    usual, other = seeds(screen)
    assert usual == 0 < other
    assert f"These inputs have seed {other}." in picture(screen) and screen.watching.scores == [0]
    (tmp_path / "rms.py").write_text(CODE + "#", encoding="utf-8")
    screen.keyboard = Typist(GRADED)
    until_q(screen)
    assert seeds(screen) == [0, other, 0] and "No claim has changed since the last save." in picture(screen)


def test_keys_of_the_terminal_itself_do_nothing(typed: Typed) -> None:
    screen = typed(GRADED + "\x1a\x01_")
    assert screen.view is None and "0 of 8 points, not passed" in picture(screen)


def test_a_shorter_picture_erases_the_one_before(typed: Typed) -> None:
    assert picture(typed(GRADED + "?_?_")) == picture(typed(GRADED))
