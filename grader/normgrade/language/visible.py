"""Text from outside made safe to show: no terminal and no CI system obeys it, and a stream of any encoding takes it."""

from __future__ import annotations

import codecs
import re
import sys
import unicodedata
from typing import IO

from normgrade.language.text import without_escapes

STEERS = re.compile(  # control characters, changes of the writing direction, and characters that UTF-8 or XML cannot hold
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
ON_A_LINE = re.compile(rf"[\t\n]|{STEERS.pattern}")
UNSEEN = (  # characters that take no room; .NET skips them when it looks for a text, and so do the runners of GitHub and Azure
    r"\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
    r"\U000e0000-\U000e0fff"
)
BEGINS_A_COMMAND = re.compile(  # "::error::…" at the beginning of a line, after any blanks and colours: GitHub
    rf"(?<![^\r\n])((?:[^\S\r\n]|[{UNSEEN}]|\x1b\[[0-9;]*m)*):(?=[{UNSEEN}]*:)"
)
HOLDS_A_COMMAND = re.compile(rf"#(?=[{UNSEEN}]*#[\w{UNSEEN}]*\[)")  # "##[error]…" anywhere: GitHub, Azure, TeamCity
DOT = "·"  # replaces every control character, and the first character of a command
STAND_INS = {  # for signs that an encoding lacks
    **dict(zip("✓✗–—−▶…·×•“”‘’→←▼▲↓↑", "+x--->..x*\"\"''><v^v^", strict=True)),
    **dict.fromkeys("─━╶╴╸╺", "-"),
    **dict.fromkeys("│┃╷╵", "|"),
    **dict.fromkeys("╭╮╰╯┌┐└┘├┤┬┴┼", "+"),
    **{"√": "sqrt", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "²": "^2", "³": "^3", "ε": "eps"},
    "\u3000": " ",  # below a wide sign, which becomes "?"
}
HANDLER = "normgrade"


def visible(text: str) -> str:
    """Return the text with a dot for every character that steers a terminal, and no command of a CI system. Newlines and tabs stay."""
    return disarmed(STEERS.sub(DOT, text))


def disarmed(text: str) -> str:
    """Return the text with a dot for the first character of every command that a CI system would find in it. Its columns stay."""
    return HOLDS_A_COMMAND.sub(DOT, BEGINS_A_COMMAND.sub(rf"\g<1>{DOT}", text))


def printable(text: str) -> str:
    """Return the text without escape sequences and without characters that steer a terminal. Newlines and tabs stay."""
    return STEERS.sub("", without_escapes(text))


def visible_name(name: object) -> str:
    """Return the text of a name on a single line: newlines and tabs become dots, too."""
    return ON_A_LINE.sub(DOT, str(name))


def in_columns(text: str) -> str:
    """Return the text with a known width: four spaces for a tab, and a dot for every character that is not printable."""
    return "".join(sign if sign.isprintable() else DOT for sign in text.replace("\t", "    "))


def width(text: str) -> int:
    """Return how many columns of a terminal the text takes: two for a wide East Asian sign, none for a combining mark."""
    return sum(0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def blank(text: str) -> str:
    """Return spaces as wide as the text. A wide sign gets a wide space, because a font may draw both less than two columns wide."""
    return "".join("" if not (columns := width(sign)) else " " if columns == 1 else "\u3000" for sign in text)


def stand_in(error: UnicodeError) -> tuple[str, int]:
    """Handle an encoding error: return a stand-in, or "?", for every sign that the encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(STAND_INS.get(sign, "?") for sign in lacking), error.end


codecs.register_error(HANDLER, stand_in)


def forgiving(stream: IO[str]) -> IO[str]:
    """Have the stream take every text from now on, in any encoding, and return it."""
    if reconfigure := getattr(stream, "reconfigure", None):
        reconfigure(errors=HANDLER)
    return stream


def write_data(text: str) -> None:
    """Write text for programs to stdout, always in UTF-8. On a terminal a person reads it, so it is made visible."""
    if sys.stdout.isatty() or not hasattr(sys.stdout, "buffer"):
        sys.stdout.write(visible(text.replace("\r\n", "\n")))  # CSV ends its lines so
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()
