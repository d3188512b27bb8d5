"""The early display in a notebook: the verdict, shown as soon as it is known, until the final result comes."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from normgrade.notebook.graded import Graded


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
