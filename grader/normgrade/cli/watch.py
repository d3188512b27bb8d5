"""`normgrade watch`: grade again at every save. In a terminal it is one screen with keys, none of which is lost."""

from __future__ import annotations

import io
import os
import re
import secrets
import select
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console, ConsoleDimensions

from normgrade.cli import INTERRUPTED, streams
from normgrade.cli.bar import progress
from normgrade.cli.check import MOST_SEEDS
from normgrade.cli.options import course_option, isolation_option, slugs_alike
from normgrade.cli.screen import Differences, Help, Listing, View, Window, screens
from normgrade.cli.warn import warn_of_folders, warn_of_unfinished, without_hindered
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.grading.grading_options import Options, available
from normgrade.grading.opening import open_grader
from normgrade.language import _
from normgrade.language.errors import CourseError, UsageError
from normgrade.learner.interviews import refuse_in_interview
from normgrade.learner.standing import next_record, records
from normgrade.learner.watching import PAUSE_S, Watching
from normgrade.learner.workspace import Workspace, find_course
from normgrade.report.render.terminal import line_of, open_console, show

if TYPE_CHECKING:
    from normgrade.grading.grader import Grader


# Keys, which are read when they are pressed, and the settings of the terminal


CLOSED = b"q"  # typed by a terminal that is closed
ENDING = ("SIGTERM", "SIGHUP", "SIGQUIT")  # signals that end a process
NAMED = {"\x1b": "escape", "\r": "enter", "\n": "enter", " ": "page down", "k": "up", "j": "down"} | {
    f"\x1b[{code}": name
    for name, codes in {
        "up": ("A",),
        "down": ("B",),
        "home": ("H", "1~", "7~"),
        "end": ("F", "4~", "8~"),
        "page up": ("5~",),
        "page down": ("6~",),
    }.items()
    for code in codes
}
NAMED_ON_WINDOWS = {"H": "up", "P": "down", "G": "home", "O": "end", "I": "page up", "Q": "page down"}
KEY = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|O)[@-~]|.", re.DOTALL)  # an escape sequence, or a byte: no other key has several
BEGUN = re.compile(rb"\x1b(\[[0-?]*[ -/]*|O)?\Z")


class Keyboard:
    """The keys of a terminal, in the order in which they are pressed. `terminal` is its file descriptor.

    With None there is no keyboard, and no key is ever pressed.
    """

    def __init__(self, terminal: int | None) -> None:
        self.terminal = terminal
        self.typed = b""  # read, but not returned yet
        self.before: list[Any] | None = None  # settings of the terminal

    def pressed(self, seconds: float) -> str:
        """Return the name or the character of the next key; "" if none is pressed within so many seconds."""
        while self.typed or self.read(seconds):
            if name := name_of(self.next_key()):
                return name
        return ""

    def next_key(self) -> bytes:
        """Return the bytes of the next key, once all of them are there."""
        while BEGUN.match(self.typed) and self.read(PAUSE_S):  # terminals send the rest at once
            pass
        found = KEY.match(self.typed)
        key = found[0] if found else b""
        self.typed = self.typed[len(key) :]
        return key

    def read(self, seconds: float) -> bool:
        """Read all typed bytes, waiting so many seconds for the first, and return if there were any."""
        if self.terminal is None:
            time.sleep(seconds)
            return False
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        try:
            self.typed += os.read(self.terminal, io.DEFAULT_BUFFER_SIZE) or CLOSED
        except OSError:  # the terminal is closed
            self.typed += CLOSED
        return True

    def begin(self) -> None:
        """Have the terminal send each key at once and not show it. Ctrl-Z is a key as any other; keys that were typed ahead are kept."""
        if self.terminal is not None:
            import termios  # not on every system
            import tty  # not on every system

            self.before = termios.tcgetattr(self.terminal)
            with suppress(termios.error):  # in the background this stops the process, and fails when it continues
                tty.setcbreak(self.terminal, termios.TCSANOW)
                settings = termios.tcgetattr(self.terminal)
                settings[6][termios.VSUSP] = os.fpathconf(self.terminal, "PC_VDISABLE")
                termios.tcsetattr(self.terminal, termios.TCSANOW, settings)

    def end(self) -> None:
        """Restore the settings of the terminal."""
        if self.terminal is not None and self.before is not None:
            import termios  # not on every system

            with suppress(termios.error):  # the terminal is closed
                termios.tcsetattr(self.terminal, termios.TCSADRAIN, self.before)


class WindowsKeyboard(Keyboard):
    """The keys of a Windows console, which must be polled."""

    def pressed(self, seconds: float) -> str:
        msvcrt: Any = __import__("msvcrt")
        deadline = time.monotonic() + seconds
        while not msvcrt.kbhit():
            if time.monotonic() > deadline:
                return ""
            time.sleep(0.01)
        key = str(msvcrt.getwch())
        return NAMED_ON_WINDOWS.get(str(msvcrt.getwch()), "") if key in "\x00\xe0" else NAMED.get(key, key)


def name_of(key: bytes) -> str:
    """Return the name or the character of a key; "" for a key without a name here."""
    text = key.decode("utf-8", "ignore")
    if key.startswith(b"\x1bO"):
        text = text.replace("O", "[", 1)
    return NAMED.get(text, text if text.isprintable() else "")


@contextmanager
def keys(leave: Callable[[], None] | None = None) -> Iterator[Keyboard]:
    """Yield the keyboard, and restore the settings of the terminal at the end of the block.

    If a signal ends the process, they are restored as well, after `leave` was called, which may happen at any moment.
    """
    somebody = sys.stdin.isatty()
    if sys.platform == "win32":
        yield WindowsKeyboard(None) if somebody else Keyboard(None)
        return
    keyboard = Keyboard(sys.stdin.fileno() if somebody else None)

    def end(number: int, frame: FrameType | None) -> None:
        if leave is not None:
            leave()
        keyboard.end()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    numbers = [number for name in ENDING if signal.getsignal(number := getattr(signal, name)) is not signal.SIG_IGN]
    before = {number: signal.signal(number, end) for number in numbers}
    try:
        keyboard.begin()
        yield keyboard
    finally:
        keyboard.end()
        for number, earlier in before.items():
            signal.signal(number, earlier)


# The command


FRAME_S = 0.1  # at least, between two drawings while checks are played
LEAVE = "\x1b[?25h\x1b[?1049l"  # as rich gives a terminal back: the cursor, and the lines that were there before
SCROLLED = {"up": -1, "down": 1, "page up": -15, "page down": 15, "home": -(10**6), "end": 10**6}  # lines
VIEWS: dict[str, type[View]] = {view.key: view for view in (Help, Differences, Listing)}
LOOKS = {*VIEWS, *SCROLLED, "escape"}  # keys that work during a grading


@click.command("watch")
@click.argument("slug", required=False, shell_complete=slugs_alike)
@isolation_option
@course_option
def watch_command(slug: str | None, required: str, course_folder: Path | None) -> int:
    """Grade an exercise again whenever its file is saved.

    Without SLUG, the next exercise is watched. In a terminal, the report stays on one screen: n goes to the next exercise, h gives a hint,
    d shows all differences, ? shows all keys, and q quits. If the output does not go to a terminal, every report is
    printed. Ctrl-C also quits.
    """

    refuse_in_interview("normgrade watch")
    course = find_course(course_folder)
    warn_of_unfinished(course, course_folder)
    exercise = course.exercise(slug) if slug is not None else to_go_on_with(course)
    warn_of_folders()
    console = open_console()

    try:
        with ExitStack() as opened:
            with progress() as watched:
                options = Options(required=required, progress=watched, cores=available())
                grader, course = opened.enter_context(open_for_all(course, exercise, options, course_folder))
            watching = Watching(grader, course, exercise)
            if console.is_terminal and not console.is_dumb_terminal:
                on_one_screen(watching, console)
            else:
                written_out(watching, console)
    except KeyboardInterrupt:  # an ordinary way to end it, which needs no message
        return INTERRUPTED
    return 0


@contextmanager
def open_for_all(course: Course, exercise: Exercise, options: Options, course_folder: Path | None) -> Iterator[tuple[Grader, Course]]:
    """Yield a grader for every exercise that can be graded, and the course without the others.

    Raise CourseError if `exercise` cannot be graded.
    """
    with ExitStack() as opened:
        try:
            grader = opened.enter_context(open_grader(list(course), options))
        except CourseError:
            sound = without_hindered(course, course_folder)
            if exercise not in sound:
                raise
            course = replace(course, without=frozenset(course.folders) - {each.slug for each in sound})
            grader = opened.enter_context(open_grader(sound, options))
        yield grader, course


def to_go_on_with(course: Course) -> Exercise:
    """Return the exercise that `normgrade` calls next. Raise a UsageError outside of a workspace, or if all exercises have passed."""
    workspace = Workspace.find()
    record = next_record(records(course, workspace)) if workspace is not None else None
    if record is None:
        raise UsageError(
            _("There is no exercise to continue with. Run `normgrade watch SLUG` to watch one, and `normgrade list` to see all exercises.")
        )
    return record.exercise


def written_out(watching: Watching, console: Console) -> None:
    """Print every report below the one before, until q, or until nobody reads them any more."""

    with keys() as keyboard:
        while streams.why_dropped() is None:
            if watching.begin_if_saved():
                with progress() as watched:
                    watching.listen(watching.on_change, watched)
                    watching.grade()
                if watching.report is not None:
                    show([watching.report], console)
            if keyboard.pressed(PAUSE_S) == "q":
                return


# In a terminal


class Left(KeyboardInterrupt):
    """The exception that q raises during a grading. It ends the grading as Ctrl-C does, but is not reported as an interrupt."""


@dataclass
class Screen:
    """The exercise that is watched, the view that is open, and the lines of it that are on the screen."""

    watching: Watching
    console: Console
    keyboard: Keyboard
    view: View | None = None  # None: the verdict
    top: int = 0  # first line on the screen
    deepest: int = 0  # last line that can be the first
    later: deque[str] = field(default_factory=deque)  # keys that wait for the end of a grading
    size: ConsoleDimensions | None = None  # at the last drawing
    stale: bool = True  # changed since then
    drawn_s: float = 0.0

    def draw(self) -> None:
        """Draw everything."""
        self.size = self.console.size
        window = Window(screens(self.watching, self.size, self.view), self.top)
        self.console.update_screen(window)
        self.top, self.deepest = window.top, window.deepest
        self.drawn_s, self.stale = time.monotonic(), False

    def draw_if_stale(self) -> None:
        """Draw if anything has changed, or the terminal has another size."""
        if self.stale or self.console.size != self.size:
            self.draw()

    def grade_if_due(self) -> None:
        """Grade the file if it was saved, or if a key asked for it."""
        if self.watching.begin_if_saved() or self.watching.grading:
            self.draw()
            self.watching.grade()
            self.stale = True

    def meanwhile(self) -> None:
        """Handle keys and draw during a grading. Keys that open a view or scroll work at once, q quits, and all others wait.

        Drawing slows the checks down, so FRAME_S lie between two drawings.
        """
        while key := self.keyboard.pressed(0.0):
            if key == "q":
                raise Left
            if self.later or key not in LOOKS:
                self.later.append(key)
            else:
                self.press(key)
        if time.monotonic() - self.drawn_s > FRAME_S:
            self.draw()

    def on_progress(self, what: str, done: int, total: int) -> None:
        """Show the step that takes long."""
        self.watching.doing = f"{what} · {done * 100 // total} %" if total else what
        self.meanwhile()

    def next_key(self, seconds: float) -> str:
        """Return the next key; "" if none is pressed within so many seconds."""
        return self.later.popleft() if self.later else self.keyboard.pressed(seconds)

    def press(self, key: str) -> None:
        """Handle a key. The open view comes first, then scrolling, then everything else."""
        self.stale = True
        if self.view is not None and self.view.press(key):
            self.top, self.deepest = 0, SCROLLED["end"]
            self.watching = self.view.watching
            self.view = None if self.view.closed else self.view
        elif key in SCROLLED:
            self.top = max(0, min(self.top + SCROLLED[key], self.deepest))
        else:
            self.top, self.deepest = 0, SCROLLED["end"]
            self.view = VIEWS[key](self.watching) if key in VIEWS and not isinstance(self.view, VIEWS[key]) else None
            self.do(key)

    def do(self, key: str) -> None:
        """Handle a key that changes something about the exercise."""
        watching = self.watching
        match key:
            case "n":
                self.watching = watching.next()
            case "p":
                self.watching = watching.back()
            case "h":
                watching.note = watching.next_hint()
            case "t":
                watching.begin(1 + secrets.randbelow(MOST_SEEDS - 1))


def on_one_screen(watching: Watching, console: Console) -> None:
    """Watch in a terminal until q or Ctrl-C, then print the last verdict."""
    console.file = stream = console.file  # for good: while a mistake is played here, sys.stdout is captured

    def leave() -> None:
        """Give the terminal back. A signal may come during a write, and a buffered stream refuses to be written to twice at a time."""
        with suppress(OSError):  # the terminal is closed
            os.write(stream.fileno(), LEAVE.encode())

    with keys(leave) as keyboard:
        screen = Screen(watching, console, keyboard)
        watching.listen(screen.meanwhile, screen.on_progress)
        try:
            with suppress(Left):
                until_q(screen)
        finally:
            if (report := screen.watching.report) is not None and not screen.watching.grading:
                console.print(line_of(report))


def until_q(screen: Screen) -> None:
    """Handle saves and keys until q, and draw when no key is waiting."""
    key = ""
    with screen.console.screen():
        while key != "q":
            if key:
                screen.press(key)
            screen.grade_if_due()
            key = screen.next_key(0.0)
            if not key:
                screen.draw_if_stale()
                key = screen.next_key(PAUSE_S)
