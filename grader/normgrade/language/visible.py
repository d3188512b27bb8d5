"""Text from outside as people may be shown it: no terminal and no CI system obeys it, and every stream takes it, whatever its encoding."""

from __future__ import annotations

import codecs
import re
import sys
import unicodedata
from typing import IO

from normgrade.language.text import without_escapes

STEERS = re.compile(  # control characters, turners of the writing direction, and what no UTF-8 or XML can hold
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
ON_A_LINE = re.compile(rf"[\t\n]|{STEERS.pattern}")
UNSEEN = (  # characters that take no room; .NET skips them where it looks for a text, and so do the runners of GitHub and Azure
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
    r"\U000e0000-\U000e0fff"
)
BEGINS_A_COMMAND = re.compile(  # "::error::…" where a line begins, except for blanks and colours: GitHub
    rf"(?<![^\r\n])((?:[^\S\r\n]|[{UNSEEN}]|\x1b\[[0-9;]*m)*):(?=[{UNSEEN}]*:)"
)
HOLDS_A_COMMAND = re.compile(rf"#(?=[{UNSEEN}]*#[\w{UNSEEN}]*\[)")  # "##[error]…" anywhere: GitHub, Azure, TeamCity
DOT = "·"  # stands for every character that steers, and for the first of a command
STAND_INS = {  # where an encoding lacks a sign
    **dict(zip("✓✗–—−▶…·×•“”‘’→←▼▲↓↑", "+x--->..x*\"\"''><v^v^", strict=True)),
    **dict.fromkeys("─━╶╴╸╺", "-"),
    **dict.fromkeys("│┃╷╵", "|"),
    **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼", "+"),
    **{"√": "sqrt", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "²": "^2", "³": "^3", "ε": "eps"},
    "\u3000": " ",  # in place of a wide sign that is "?"
}
HANDLER = "normgrade"


def visible(text: str) -> str:
    """The text with a dot for every character that steers a terminal, and no command of a CI system. Newlines and tabs stay."""
    return disarmed(STEERS.sub(DOT, text))


def disarmed(text: str) -> str:
    """The text with a dot for the first character of every command that a CI system would find in it. Its columns stay."""
    return HOLDS_A_COMMAND.sub(DOT, BEGINS_A_COMMAND.sub(rf"\g<1>{DOT}", text))


def printable(text: str) -> str:
    """The text without escape sequences and without characters that steer a terminal. Newlines and tabs stay."""
    return STEERS.sub("", without_escapes(text))


def visible_name(name: object) -> str:
    """The text of a name, with a dot for newlines and tabs too: a name takes a single line."""
    return ON_A_LINE.sub(DOT, str(name))


def in_columns(text: str) -> str:
    """The text with a known width: four spaces for a tab, and a dot for every character that takes no column or moves the cursor."""
    return "".join(sign if sign.isprintable() else DOT for sign in text.replace("\t", "    "))


def width(text: str) -> int:
    """The columns of a terminal that the text takes: two for an East Asian sign, none for a combining mark."""
    return sum(0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def blank(text: str) -> str:
    """Spaces as wide as the text. Below a wide sign stands a wide space, since a font may draw both less than two columns wide."""
    return "".join("" if not (columns := width(sign)) else " " if columns == 1 else "\u3000" for sign in text)


def stand_in(error: UnicodeError) -> tuple[str, int]:
    """The error handler of codecs: writes a stand-in, or "?", for every sign that an encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(STAND_INS.get(sign, "?") for sign in lacking), error.end


codecs.register_error(HANDLER, stand_in)


def forgiving(stream: IO[str]) -> IO[str]:
    """Have the stream take every text from now on, whatever its encoding. Returns the stream."""
    if reconfigure := getattr(stream, "reconfigure", None):
        reconfigure(errors=HANDLER)
    return stream


def write_data(text: str) -> None:
    """Write text for programs to stdout, always in UTF-8. On a terminal a person reads it, so it is made visible."""
    if sys.stdout.isatty() or not hasattr(sys.stdout, "buffer"):
        sys.stdout.write(visible(text))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()
