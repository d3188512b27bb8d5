"""A shell in a real terminal of 80 columns: commands are typed, and the screen is read."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from pathlib import Path

import pytest

pexpect = pytest.importorskip("pexpect", reason="the session is typed by pexpect")
pyte = pytest.importorskip("pyte", reason="the screen is drawn by pyte")

WIDTH, HEIGHT = 80, 40
LATEST_S = 240  # only a guard: the first check plays every known mistake, while other tests use the cores
PROMPT = "$ "
PLACES = ("NORMGRADE_CACHE", "NORMGRADE_CONFIG")  # of expectations and their key, so that those of other tests are used
ON_POSIX = pytest.mark.skipif(sys.platform == "win32" or shutil.which("bash") is None, reason="a shell as POSIX has it")


class Session:
    """A shell in a terminal that types commands and reads the screen."""

    def __init__(self, folder: Path) -> None:
        command = Path(sys.executable).with_name("normgrade")
        paths = os.pathsep.join((str(command.parent), os.environ["PATH"]))
        kept = {name: os.environ[name] for name in PLACES if name in os.environ}
        environment = {
            "PATH": paths, "HOME": str(folder), "PS1": PROMPT, "TERM": "xterm", "LANG": "C.UTF-8",
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""), **kept,
        }  # fmt: skip
        self.child = pexpect.spawn(
            shutil.which("bash"), ["--norc", "--noprofile"], cwd=str(folder), env=environment, dimensions=(HEIGHT, WIDTH), timeout=LATEST_S
        )
        self.screen = pyte.HistoryScreen(WIDTH, HEIGHT, history=10_000)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""  # since the last command
        self.wait_for(PROMPT.strip() + "$")

    def wait_for(self, pattern: str, scrolled: bool = False) -> str:
        """Wait until the screen shows a pattern, across line breaks, and return the whole screen. `scrolled` text counts as well."""
        deadline = time.monotonic() + LATEST_S
        while True:
            shown = self.everything() if scrolled else self.shown()
            if re.search(pattern, " ".join(shown.split())) and not self.more():
                return self.shown()
            assert time.monotonic() < deadline, f"{pattern!r} is not on the screen:\n{shown}"
            self.more()

    def more(self) -> bool:
        """Feed new output to the screen; return True if there was any within 0.2 s."""
        try:
            read = self.child.read_nonblocking(2**16, timeout=0.2)
        except pexpect.TIMEOUT:
            return False
        self.raw += read
        self.stream.feed(read)
        return True

    def shown(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    def everything(self) -> str:
        """Return the lines that have scrolled away, and the screen below them."""
        columns = range(self.screen.columns)
        history = ["".join(line[column].data for column in columns).rstrip() for line in self.screen.history.top]
        return "\n".join([*history, self.shown()])

    def said(self) -> str:
        """Return all lines, scrolled away or not, and clear the screen."""
        whole = self.everything()
        self.screen.reset()
        return whole

    def type(self, command: str) -> str:
        """Type a command, wait for the next prompt, and return the command with its output."""
        self.screen.reset()
        self.screen.history.top.clear()
        self.raw = b""
        self.child.sendline(command)
        typed_so = r"\s*".join(map(re.escape, command.replace(" ", "")))  # a long command goes on in the next line
        self.wait_for(typed_so, scrolled=True)
        self.wait_for(r"\$$")
        said = self.said().removesuffix(PROMPT.strip()).rstrip()
        typed = re.search(typed_so, said)
        assert typed is not None, said
        return f"{PROMPT}{command}{said[typed.end() :]}\n"

    def press(self, key: str) -> None:
        self.child.send(key)

    def close(self) -> None:
        self.child.close(force=True)

    def resize(self, height: int, width: int) -> None:
        self.child.setwinsize(height, width)
        self.screen.resize(height, width)


def lines_of(text: str) -> list[str]:
    """Return the lines of a screen or of a page, without the name of the sandbox, which depends on the machine."""
    return [re.sub(r"sandbox: \w+", "sandbox: …", line.strip()) for line in text.splitlines()]
