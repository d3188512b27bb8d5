"""The source of a notebook: its code cells as a script, without the lines that only IPython understands."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from normgrade.inspection.source import LIMIT_BYTES
from normgrade.language import _
from normgrade.language.text import lines_of

LIMIT_NOTEBOOK_BYTES = 4 * 1024**2
OLDEST = 4  # the version of the format in which cells stand at the top
PLAIN_CELLS = frozenset({"%%capture", "%%normgrade", "%%time"})  # magics that run the code of their cell as it is
PIECES = re.compile(r'\\.|"""|\'\'\'|["\'#()\[\]{}]', re.DOTALL)  # everything that opens, closes or escapes
OPENING, CLOSING = "([{", ")]}"
MAGIC = re.compile(r"[%!?]|[\w.,\s*]+=\s*[%!](?!=)|[\w.*]+\?{1,2}\s*$")  # "%time f()", "!ls", "?f", "x = !ls", "f?"


def source_of_notebook(content: bytes) -> bytes | str:
    """Return the source of a notebook's code cells, or the reason in a sentence why there is none.

    Each cell begins with the comment that Jupyter writes above the cells of a script, with its number. Lines for IPython become comments,
    so a cell keeps the numbers of its lines.
    """
    if len(content) > LIMIT_NOTEBOOK_BYTES:
        return _("The notebook is larger than 4 MiB: clear its outputs, and save it again.")
    try:
        cells = code_cells(json.loads(content.decode("utf-8-sig")))
    except (ValueError, RecursionError, LookupError, TypeError, OverflowError):
        return _("The notebook is damaged, since its JSON cannot be read: open it in Jupyter, and save it again.")
    if cells is None:
        return _("The notebook has a format older than version 4: open it in Jupyter, and save it again.")
    if not any(cell.strip() for cell in cells):
        return _("The notebook has no code cell: hand in one with the code of the exercise.")
    source = "\n".join(f"# In[{number}]:\n{as_python(cell)}\n" for number, cell in enumerate(cells, 1))
    return source.encode(errors="surrogatepass")[: LIMIT_BYTES + 1]


def code_cells(notebook: Any) -> list[str] | None:
    """Return the sources of the code cells, or None if the format is too old. Raise an error of Python if this is no notebook."""
    if int(notebook["nbformat"]) < OLDEST:
        return None
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def as_python(cell: str) -> str:
    """Return the source of a cell with comments in place of magics, commands of the shell, and questions."""
    lines = lines_of(cell)
    name = cell.split(maxsplit=1)[0] if cell.strip() else ""
    if name.startswith("%%") and name not in PLAIN_CELLS:
        return "\n".join(f"# {line}".rstrip() for line in lines)
    return "\n".join(lines_as_python(lines))


def lines_as_python(lines: list[str]) -> Iterator[str]:
    """Yield each line, or a comment if it is for IPython: only a line that begins a statement can be."""
    scan, magic = Scan(), False
    for line in lines:
        magic = magic or (scan.outside and MAGIC.match(line.lstrip()) is not None)
        yield as_comment(line) if magic else line
        if not magic:
            scan.read(line)
        magic = magic and line.endswith("\\")


def as_comment(line: str) -> str:
    """Return the line as a comment; an indented line becomes a statement that does nothing, because a block needs one."""
    text = line.lstrip()
    blanks = line[: len(line) - len(text)]
    return f"{blanks}pass  # {text}" if blanks and text else f"# {text}".rstrip()


class Scan:
    """The place in a source after some of its lines: inside of brackets, of a string, or of a continued line."""

    def __init__(self) -> None:
        self.depth, self.quote, self.continued = 0, "", False

    @property
    def outside(self) -> bool:
        """True if the next line begins a statement."""
        return not (self.depth or self.quote or self.continued)

    def read(self, line: str) -> None:
        """Go on to the end of a line."""
        self.continued = False
        for piece in PIECES.finditer(line):
            text = piece[0]
            if self.quote:
                self.quote = "" if text == self.quote else self.quote
            elif text == "#":
                return
            elif text[0] in "\"'":
                self.quote = text
            else:
                self.depth = max(0, self.depth + (text in OPENING) - (text in CLOSING))
        self.continued = line.endswith("\\")
        if len(self.quote) == 1 and not self.continued:
            self.quote = ""  # a string in single quotes ends with its line
