"""The use of the whole terminal, which is given back at the end and while the command is stopped."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any, Self

from rich.console import Console, RenderableType

from normgrade.cli.keys import Keyboard

ENTER = "\x1b[?1049h\x1b[?25l\x1b[?2004h"  # alternate screen, no cursor, pasted text in brackets
LEAVE = "\x1b[?2004l\x1b[?25h\x1b[?1049l"
HOME, NEW_LINE = "\x1b[H", "\x1b[2K"


class FullScreen:
    """The whole terminal. `enter` and `leave` may be called at any time, even during `show`, and several times in a row."""

    def __init__(self, console: Console, keyboard: Keyboard) -> None:
        self.console, self.keyboard = console, keyboard
        console.file = console.file  # for good: while a mistake is played here, sys.stdout is captured
        self.frame = ""  # drawn last
        self.entered = False

    def show(self, content: RenderableType) -> None:
        """Draw a content over the one before. Lines below the last row are cut off."""
        height = self.console.height
        with self.console.capture() as captured:
            self.console.print(content)
        lines = captured.get().rstrip("\n").split("\n")[:height]
        lines += [""] * (height - len(lines))
        self.frame = HOME + "\n".join(NEW_LINE + line for line in lines)  # clearing the end of a full line would cut it
        if self.entered:  # a step may be drawn while the terminal is given back
            self.put(self.frame)

    def enter(self) -> None:
        """Take the terminal and draw the last frame. ENTER is sent once: sent again, it would replace the screen that LEAVE restores."""
        self.keyboard.begin()
        self.put(("" if self.entered else ENTER) + self.frame)
        self.entered = True

    def leave(self) -> None:
        """Give the terminal back."""
        entered, self.entered = self.entered, False
        self.put(LEAVE if entered else "")
        self.keyboard.end()

    def __enter__(self) -> Self:
        self.enter()
        return self

    def __exit__(self, *error: object) -> None:
        self.leave()

    def put(self, text: str) -> None:
        """Write to the terminal at once. A signal handler calls this, and a buffered stream refuses to be written to twice at a time."""
        stream: Any = self.console.file
        if sys.platform == "win32":
            stream.write(text)
            stream.flush()
            return
        left = text.encode(stream.encoding, stream.errors)
        with suppress(OSError):  # the terminal is closed, and the keyboard will say so
            while left:
                left = left[os.write(stream.fileno(), left) :]
