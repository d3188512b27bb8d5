"""The loop of `normgrade watch` in a terminal: wait for saves and keys, grade, draw."""

from __future__ import annotations

import secrets
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, RLock, Thread

from rich.console import Console, ConsoleDimensions

from normgrade.cli.check import MOST_SEEDS
from normgrade.cli.full_screen import FullScreen
from normgrade.cli.keys import keys
from normgrade.cli.reset import put_stub_back
from normgrade.cli.screen import MOVES_S, Window, screens
from normgrade.cli.suspend import signal_wakes, stepping_aside
from normgrade.cli.views import Differences, Help, Listing, Question, Task, View
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.learner.watching import Watching
from normgrade.report.render.terminal import line_of

PAUSE_S = 0.05  # between two looks at the file
FRAME_S = 0.03  # at least, between two drawings while checks are played
SCROLLED = {"up": -1, "down": 1, "page up": -15, "page down": 15, "home": -(10**6), "end": 10**6}  # lines
VIEWS: dict[str, type[View]] = {view.key: view for view in (Help, Task, Differences, Listing)}
LOOKS = {*VIEWS, *SCROLLED, "left", "right", "escape"}  # keys that work during a grading


class Left(KeyboardInterrupt):
    """The exception that q raises during a grading. It ends the grading as Ctrl-C does, but is not reported as an interrupt."""


@dataclass
class Screen:
    """The exercise that is watched, the view that is open, and the lines of it that are on the screen."""

    watching: Watching
    stage: FullScreen
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
            self.size = size = self.stage.console.size
            window = Window(screens(self.watching, size, self.view), self.top)
            self.stage.show(window)
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
        if self.stale or self.stage.console.size != self.size:
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
        while key := self.stage.keyboard.pressed(0.0):
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
        return self.later.popleft() if self.later else self.stage.keyboard.pressed(seconds)

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
            case "x":
                question = _("Reset {file} to the stub? Your file is kept.", file=watching.watched.path.name)
                self.view = Question(watching, question, self.reset)

    def reset(self) -> None:
        """Put the stub back as `normgrade reset` does, and say so."""
        watching = self.watching
        try:
            said = put_stub_back(watching.exercise)
        except UsageError as error:
            said = str(error)
        if watching.begin_if_saved():
            watching.grade()
            watching.compared = None
        watching.note = said


def on_one_screen(watching: Watching, console: Console) -> None:
    """Watch in a terminal until q or Ctrl-C, then print the last verdict."""
    with signal_wakes() as signals, keys(signals) as keyboard:
        stage = FullScreen(console, keyboard)
        screen = Screen(watching, stage)
        watching.listen(screen.meanwhile, screen.on_progress)
        try:
            with stepping_aside(stage.leave, stage.enter), stage, suppress(Left):
                until_q(screen, PAUSE_S)
        finally:
            if (report := screen.watching.report) is not None and not screen.watching.grading:
                console.print(line_of(report))


def until_q(screen: Screen, pause_s: float) -> None:
    """Handle saves and keys until q, and draw when no key is waiting."""
    key = ""
    while key != "q":
        if key:
            screen.press(key)
        screen.grade_if_due()
        key = screen.next_key(0.0)
        if not key:
            screen.draw_if_stale()
            key = screen.next_key(pause_s)
