"""What grading in a notebook gives back: reports that show themselves."""

from __future__ import annotations

from dataclasses import dataclass
from secrets import token_hex
from typing import Any

from normgrade.report.report import Outcome, Report


@dataclass(frozen=True, repr=False)
class Graded:
    """Reports that show themselves: as a picture in a notebook, as text elsewhere."""

    reports: tuple[Report, ...]

    @property
    def passed(self) -> bool:
        return all(report.outcome is Outcome.PASSED for report in self.reports)

    def _repr_html_(self) -> str:
        """Return the picture. Every display has ids of its own: one notebook may show many, some of them from before it was restarted."""
        from normgrade.report.render.html import render_fragment

        return render_fragment(self.reports, f"normgrade-{token_hex(6)}-")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def __repr__(self) -> str:
        from normgrade.report.render.terminal import render_text

        return render_text(self.reports).rstrip("\n")
