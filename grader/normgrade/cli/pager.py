"""A pager for texts that are longer than the terminal, as `git` and `man` use one."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from normgrade.cli.options import WIDEST

if TYPE_CHECKING:
    from rich.console import Console, RenderableType  # not at run time: a pipe does without rich


def page(console: Console, renderable: RenderableType, wanted: bool = True) -> None:
    """Print a content, through the pager if that is `wanted` and the content is longer than the terminal."""
    with console.capture() as captured:
        console.print(renderable, width=min(console.width, WIDEST))
    text = captured.get()
    fits = text.count("\n") < console.height  # with the line of the shell's prompt
    if not wanted or fits or console.is_dumb_terminal or not sys.stdout.isatty():
        console.print(renderable, width=min(console.width, WIDEST))
        return
    with interrupts_left_to_it():
        click.echo_via_pager(text.removesuffix("\n"))  # it adds one


@contextmanager
def interrupts_left_to_it() -> Iterator[None]:
    """Leave Ctrl-C to the pager. This process gets a handler that does nothing, which the pager does not inherit."""
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
