"""Reports as Markdown for the summary of a step of GitHub Actions: a table, then the details of each report that did not pass."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from normgrade.language import _
from normgrade.language.visible import visible
from normgrade.report.render.plain import plain
from normgrade.report.render.sections import named
from normgrade.report.render.wording import MARKS, one_line, titled
from normgrade.report.report import Outcome, Report

MOST_BYTES = 1024**2  # of the summary of one step
NOTICE_BYTES = 1000  # kept for the notice that something is left out
STRUCTURE = re.compile(r"[!-/:-@\[-`{-~]")  # all signs that Markdown or HTML may read as structure


def render_summary(reports: Sequence[Report], most_bytes: int = MOST_BYTES) -> str:
    """Return the reports as Markdown of at most so many bytes. A notice tells if something is left out."""
    kept: list[str] = []
    room = most_bytes - NOTICE_BYTES
    for piece in pieces_of(reports):
        room -= len(piece.encode())
        if room < 0:
            left_out = _("The rest is left out, because a summary may not be longer. The log has all of it.")
            return "".join(kept) + (f"\n{inert(left_out)}\n" if most_bytes >= NOTICE_BYTES else "")
        kept.append(piece)
    return "".join(kept)


def pieces_of(reports: Sequence[Report]) -> Iterator[str]:
    """Yield the head of the table, its rows, and the details: each can stand at the end."""
    yield row_of([_("exercise"), _("submission"), _("points"), _("mistake")]) + "|---|---|--:|---|\n"
    for report in reports:
        mark, points = MARKS[report.outcome], f"{report.earned}/{report.possible}"
        yield row_of([f"{mark} {report.exercise}", report.submission, points, named(report)])
    for report in reports:
        if report.outcome is not Outcome.PASSED:
            text = html.escape(plain([report]))  # below an empty line, a block of `pre` ends at its tag only
            yield f"\n<details><summary>{html.escape(visible(titled(report)))}</summary>\n\n<pre><code>{text}\n</code></pre>\n</details>\n"


def row_of(cells: Sequence[str]) -> str:
    return "".join(f"| {inert(cell)} " for cell in cells) + "|\n"


def inert(text: str) -> str:
    """Return a text on one line that Markdown and HTML show as it is: a sign of structure is written as a reference to it."""
    return STRUCTURE.sub(lambda sign: f"&#{ord(sign[0])};", visible(one_line(text)))
