"""A command in a terminal, and the times of the changes on its screen."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

pexpect = pytest.importorskip("pexpect", reason="the terminal is opened by pexpect")
pyte = pytest.importorskip("pyte", reason="the screen is drawn by pyte")

HEIGHT, WIDTH = 40, 100


@dataclass(frozen=True)
class Frame:
    """The screen after a change, with the time in seconds since the start."""

    seconds: float
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines).rstrip()


def frames(arguments: Sequence[str], folder: Path, environment: Mapping[str, str], latest_s: float) -> tuple[list[Frame], int]:
    """Run normgrade to its end. Return each change of the screen, with the empty screen first and the end last, and the exit code."""
    started = time.monotonic()
    here = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "TERM": "xterm",
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }
    child = pexpect.spawn(
        sys.executable, ["-m", "normgrade", *arguments], cwd=str(folder), env={**here, **environment}, dimensions=(HEIGHT, WIDTH)
    )
    screen = pyte.Screen(WIDTH, HEIGHT)
    stream = pyte.ByteStream(screen)
    seen = [Frame(0.0, ())]
    while time.monotonic() - started < latest_s:
        try:
            stream.feed(child.read_nonblocking(2**16, timeout=latest_s))
        except pexpect.EOF:
            break
        lines = tuple(line.rstrip() for line in screen.display)
        if lines != seen[-1].lines:
            seen.append(Frame(time.monotonic() - started, lines))
    child.close(force=True)
    seen.append(Frame(time.monotonic() - started, seen[-1].lines))
    return seen, child.exitstatus


def longest_silence(seen: Sequence[Frame]) -> float:
    """Return the longest time without a change on the screen."""
    return max(later.seconds - earlier.seconds for earlier, later in pairwise(seen))
