"""The result of grading in a notebook: reports that display themselves, and the verdict that is shown before them."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib import import_module
from secrets import token_hex
from typing import Any

from normgrade.report.render import USUAL
from normgrade.report.report import Outcome, Report

TEXT = replace(USUAL, more="")  # a notebook has no options that show more


@dataclass(frozen=True, repr=False)
class Graded:
    """Reports that display themselves: as HTML in a notebook, as text elsewhere."""

    reports: tuple[Report, ...]
    below: tuple[str, ...] = ()  # lines below the reports

    @property
    def passed(self) -> bool:
        return all(report.outcome is Outcome.PASSED for report in self.reports)

    def _repr_html_(self) -> str:
        """Return the HTML. Every display has unique ids, because one notebook may show many, some of them from before a restart."""
        from normgrade.report.render.html import render_fragment  # loads NumPy

        return render_fragment(self.reports, f"normgrade-{token_hex(6)}-") + paragraphs(self.below)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def __repr__(self) -> str:
        from normgrade.report.render.terminal import render_text  # loads NumPy

        return "\n".join([render_text(self.reports, TEXT).rstrip("\n"), *self.below])


def paragraphs(lines: Sequence[str]) -> str:
    """Return lines as HTML; backticks enclose code. The style of the fragment before them applies to them too."""
    if not lines:
        return ""
    shown = (re.sub("`([^`]*)`", r"<code>\1</code>", escape(line)) for line in lines)
    return f'<div class="normgrade"><p>{"<br>".join(shown)}</p></div>'


class ShownEarly:
    """A display below the cell that goes when the result comes. A front end that cannot remove output shows one line of text."""

    def __init__(self) -> None:
        self.handle: Any = None

    def show(self, graded: Graded) -> None:
        """Show the first results, if this is IPython."""
        if self.shell is None:
            return
        from normgrade.report.render.terminal import line_of  # loads NumPy

        line = "\n".join(line_of(report).plain for report in graded.reports)
        display: Any = import_module("IPython.display").display
        self.handle = display({"text/html": graded._repr_html_(), "text/plain": line}, raw=True, display_id=True)

    def clear(self) -> None:
        """Remove the display. In a terminal nothing is done, because an update would print an empty line."""
        if self.handle is not None and hasattr(self.shell, "kernel"):
            self.handle.update({"text/html": "", "text/plain": ""}, raw=True)

    @property
    def shell(self) -> Any:
        """The current IPython shell; None in plain Python."""
        return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
