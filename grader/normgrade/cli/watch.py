"""`normgrade watch`: grade again at every save."""

from __future__ import annotations

import os
import secrets
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, RLock, Thread
from typing import TYPE_CHECKING

import click
from rich.console import Console, ConsoleDimensions
from rich.control import Control
from rich.screen import Screen as WholeScreen

from normgrade.cli import INTERRUPTED, streams
from normgrade.cli.bar import progress
from normgrade.cli.check import MOST_SEEDS
from normgrade.cli.keys import Keyboard, keys
from normgrade.cli.options import course_option, isolation_option
from normgrade.cli.screen import MOVES_S, Differences, Help, Listing, View, Window, screens
from normgrade.cli.shell_words import slugs_alike
from normgrade.cli.warn import warn_of_folders, warn_of_unfinished, without_hindered
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.grading.grading_options import Options, available
from normgrade.grading.opening import open_grader
from normgrade.language import _
from normgrade.language.errors import CourseError, UsageError
from normgrade.learner.interviews import refuse_in_interview
from normgrade.learner.standing import next_record, records
from normgrade.learner.watching import Watching
from normgrade.learner.workspace import Workspace, find_course
from normgrade.report.render.terminal import line_of, open_console, show

if TYPE_CHECKING:
    from normgrade.grading.grader import Grader

PAUSE_S = 0.05  # between two looks at the file
FRAME_S = 0.03  # at least, between two drawings while checks are played
ENTER = "\x1b[?1049h\x1b[?25l\x1b[?2004h"  # alternate screen, no cursor, pasted text in brackets
LEAVE = "\x1b[?2004l\x1b[?25h\x1b[?1049l"
SCROLLED = {"up": -1, "down": 1, "page up": -15, "page down": 15, "home": -(10**6), "end": 10**6}  # lines
VIEWS: dict[str, type[View]] = {view.key: view for view in (Help, Differences, Listing)}
LOOKS = {*VIEWS, *SCROLLED, "left", "right", "escape"}  # keys that work during a grading


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
    drawing: RLock = field(default_factory=RLock)

    def draw(self) -> None:
        """Draw everything."""
        with self.drawing:
            self.size = size = self.console.size
            window = Window(screens(self.watching, size, self.view), self.top)
            with self.console:  # which writes it at once
                self.console.control(Control.home())
                self.console.print(WholeScreen(window), end="")
            self.top, self.deepest = window.top, window.deepest
            self.drawn_s, self.stale = time.monotonic(), False

    @contextmanager
    def moving(self) -> Iterator[None]:
        """Draw again and again while a step takes long, so that its mark moves."""
        ended = Event()

        def move() -> None:
            while not ended.wait(MOVES_S):
                if self.watching.doing and time.monotonic() - self.drawn_s > MOVES_S:
                    self.draw()

        thread = Thread(target=move, daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def draw_if_stale(self) -> None:
        """Draw if anything has changed, or the terminal has another size."""
        if self.stale or self.console.size != self.size:
            self.draw()

    def grade_if_due(self) -> None:
        """Grade the file if it was saved, or if a key asked for it."""
        if self.watching.begin_if_saved() or self.watching.grading:
            self.draw()
            with self.moving():
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
        stream.write(ENTER)
        try:
            with suppress(Left):
                until_q(screen)
        finally:
            stream.write(LEAVE)
            stream.flush()
            if (report := screen.watching.report) is not None and not screen.watching.grading:
                console.print(line_of(report))


def until_q(screen: Screen) -> None:
    """Handle saves and keys until q, and draw when no key is waiting."""
    key = ""
    while key != "q":
        if key:
            screen.press(key)
        screen.grade_if_due()
        key = screen.next_key(0.0)
        if not key:
            screen.draw_if_stale()
            key = screen.next_key(PAUSE_S)
