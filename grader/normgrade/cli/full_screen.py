"""A terminal that is used as a whole: what stood there comes back at the end, and for as long as the command is stopped."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any, Self

from rich.console import Console, RenderableType

from normgrade.cli.keys import Keyboard

ENTER = "\x1b[?1049h\x1b[?25l\x1b[?2004h"  # another screen, no cursor, and pasted text is marked
LEAVE = "\x1b[?2004l\x1b[?25h\x1b[?1049l"
HOME, NEW_LINE = "\x1b[H", "\x1b[2K"


class FullScreen:
    """The whole terminal. `enter` and `leave` may be called at any time, also in the middle of `show`, and several times."""

    def __init__(self, console: Console, keyboard: Keyboard) -> None:
        self.console, self.keyboard = console, keyboard
        self.frame = ""  # what stands there
        self.entered = False

    def show(self, content: RenderableType) -> None:
        """Draw a content in place of what stood there. Lines for which there is no room are left out."""
        height = self.console.height
        with self.console.capture() as captured:
            self.console.print(content)
        lines = captured.get().rstrip("\n").split("\n")[:height]
        lines += [""] * (height - len(lines))
        self.frame = HOME + "\n".join(NEW_LINE + line for line in lines)  # cleared before it is written: a full line has no end to clear
        self.put(self.frame)

    def enter(self) -> None:
        """Take the terminal, and draw what stood there. A terminal that is taken already would forget what it has to bring back."""
        self.keyboard.begin()
        self.put(("" if self.entered else ENTER) + self.frame)
        self.entered = True

    def leave(self) -> None:
        """Give the terminal back."""
        self.put(LEAVE if self.entered else "")
        self.entered = False
        self.keyboard.end()

    def __enter__(self) -> Self:
        self.enter()
        return self

    def __exit__(self, *error: object) -> None:
        self.leave()

    def put(self, text: str) -> None:
        """Write to the terminal at once; a stream with a buffer could not be written to in the middle of another writing."""
        stream: Any = self.console.file
        if sys.platform == "win32":
            stream.write(text)
            stream.flush()
            return
        left = text.encode(stream.encoding, stream.errors)
        with suppress(OSError):  # nobody is there any more, and the next key will be q
            while left:
                left = left[os.write(stream.fileno(), left) :]
