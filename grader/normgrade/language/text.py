"""Functions for text from outside: split it into lines, and remove the escape sequences of terminals."""

from __future__ import annotations

import re

CELL = re.compile(r"^# In ?\[[ \d]*\]:?[ \t]*$", re.MULTILINE)  # the comment above each cell in a notebook that was saved as a script
ESCAPE = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]")


def without_escapes(text: str) -> str:
    """Return the text without the escape sequences of terminals, and with "\\n" at the end of every line."""
    return ESCAPE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def lines_of(source: str) -> list[str]:
    """Split a source into lines as Python counts them: a form feed ends none, unlike in `str.splitlines`."""
    return re.split(r"\r\n|\r|\n", source)


def in_cells(source: str) -> bool:
    """Return True if a source is a notebook as a script: its cells run one by one, and one that fails does not end the others."""
    return CELL.search(source) is not None
