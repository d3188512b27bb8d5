"""A pager for texts that are longer than the terminal, as `git` and `man` use one."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from normgrade.cli.options import WIDEST

if TYPE_CHECKING:
    from rich.console import Console, RenderableType  # not at run time: a pipe does without rich

DEFAULTS = {"LESS": "FRX", "LESSCHARSET": "utf-8", "LV": "-c"}  # unless the user says otherwise
COLOURS = re.compile(r"\x1b\[[\d;]*m")


def page(console: Console, renderable: RenderableType, wanted: bool = True) -> None:
    """Print a content, through the pager if that is `wanted` and the content is longer than the terminal."""
    with console.capture() as captured:
        console.print(renderable, width=min(console.width, WIDEST))
    text = captured.get()
    pager = pager_for(console, text) if wanted else ""
    if pager:
        run_pager(pager, text if takes_colours(pager) else COLOURS.sub("", text))
    else:
        console.print(renderable, width=min(console.width, WIDEST))


def pager_for(console: Console, text: str) -> str:
    """Return the command of the pager; "" if none is needed or there is none."""
    fits = text.count("\n") < console.height  # with the line of the shell's prompt
    if fits or console.is_dumb_terminal or not sys.stdout.isatty():
        return ""
    command = os.environ.get("MANPAGER", os.environ.get("PAGER", "less -R"))
    program = first_word(command)
    return command if program not in ("", "cat") and shutil.which(program) else ""


def first_word(command: str) -> str:
    """Return the program of a command; "" if it names none."""
    try:
        return next(iter(shlex.split(command)), "")
    except ValueError:  # a quote is not closed
        return ""


def takes_colours(pager: str) -> bool:
    """Return True if a pager shows colours: `less` does if its options, there or in LESS, have -R or -r."""
    options = f"{pager} -{os.environ.get('LESS', DEFAULTS['LESS']).lstrip('-')}"
    return os.path.basename(first_word(pager)) == "less" and re.search(r"\s-\w*[Rr]|--RAW|--raw", options) is not None


def run_pager(pager: str, text: str) -> None:
    """Show a text in the pager until the reader quits."""
    sys.stdout.flush()
    with interrupts_left_to_it():
        subprocess.run(pager, shell=True, input=text.encode(), env=DEFAULTS | os.environ, check=False)


@contextmanager
def interrupts_left_to_it() -> Iterator[None]:
    """Leave Ctrl-C to the pager. This process gets a handler that does nothing, which the pager does not inherit."""
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
