"""A page of the documentation, played: its files are written, and its commands are typed in a terminal of 80 columns.

`python tests/grader/harness/played_page.py docs/diagnosis.md` prints the session, to update the page from.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from session import Session

from normgrade.course.package import carried

# A block of code, which may have the name of its file above it. The tour is played by test_day.py.
BLOCK = re.compile(r"^(?:`([\w./ -]+)`\n\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TOUR = re.compile(r"<!-- the tour -->.*<!-- its end -->", re.DOTALL)
PROGRAMS = ("normgrade", "pytest", "python")
OF_A_CLONE = {"make demo": "normgrade demo"}


class Screen(NamedTuple):
    """A command of a page, the output that the page shows, and the real session."""

    command: str
    shown: str
    said: str


def played(page: str, folder: Path) -> Iterator[Screen]:
    """Yield the screen of every command of a page that can be typed anywhere, in its order."""
    session = Session(folder)
    try:
        for name, language, text in BLOCK.findall(TOUR.sub("", page)):
            if language == "console":
                yield from (Screen(command, shown, session.type(as_typed(command))) for command, shown in commands_in(text))
            elif name:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text, encoding="utf-8")
    finally:
        session.close()


def commands_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the commands in a block that can be typed anywhere, each with the output below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _end, shown = part.partition("\n")
        if as_typed(command).split()[0] in PROGRAMS:
            yield command, shown


def as_typed(command: str) -> str:
    """Return a command as it is typed outside of a clone, without its comment."""
    command = command.partition(" #")[0].rstrip()
    return OF_A_CLONE.get(command, command).replace("tests/hidden", f"{carried()}/tests/hidden")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        for screen in played(Path(sys.argv[1]).read_text(encoding="utf-8"), Path(home)):
            print(screen.said)
