"""Lines that somebody types in a terminal."""

from __future__ import annotations

import sys


def somebody_is_there() -> bool:
    """Return True if there is a terminal to ask in."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def next_line(prompt: str) -> str:
    """Return a line that is typed; "" at the end of the input."""
    try:
        return input(prompt).strip()
    except EOFError:
        return ""
