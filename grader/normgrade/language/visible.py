"""Text from outside as people may be shown it: nothing in it steers a terminal, and every stream takes it, whatever its encoding."""

from __future__ import annotations

import codecs
import re
import sys
from typing import IO

STEERS = re.compile(  # control characters, turners of the writing direction, and what no UTF-8 or XML can hold
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
ON_A_LINE = re.compile(rf"[\t\n]|{STEERS.pattern}")
DOT = "·"  # stands for every such character
STAND_INS = {  # where an encoding lacks a sign
    **dict(zip("✓✗–—−▶…·×•“”‘’→←▼▲", "+x--->..x*\"\"''><v^", strict=True)),
    **dict.fromkeys("─━╶╴╸╺", "-"),
    **dict.fromkeys("│┃╷╵", "|"),
    **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼", "+"),
    **{"√": "sqrt", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "²": "^2", "³": "^3", "ε": "eps"},
}
HANDLER = "normgrade"


def visible(text: str) -> str:
    """The text with a dot for whatever steers a terminal; newlines and tabs stay."""
    return STEERS.sub(DOT, text)


def visible_name(name: object) -> str:
    """A name, which takes a single line."""
    return ON_A_LINE.sub(DOT, str(name))


def stand_in(error: UnicodeError) -> tuple[str, int]:
    """What is written in the place of signs that an encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(STAND_INS.get(sign, "?") for sign in lacking), error.end


codecs.register_error(HANDLER, stand_in)


def forgiving(stream: IO[str]) -> IO[str]:
    """The stream, which from now on takes every text."""
    if reconfigure := getattr(stream, "reconfigure", None):
        reconfigure(errors=HANDLER)
    return stream


def write_data(text: str) -> None:
    """Write what programs read to stdout: in UTF-8, whatever people are shown there; on a terminal it is for people."""
    if sys.stdout.isatty() or not hasattr(sys.stdout, "buffer"):
        sys.stdout.write(visible(text))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()
