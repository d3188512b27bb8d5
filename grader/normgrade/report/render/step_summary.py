"""Reports in the summary of a step of GitHub Actions: a table, then the details of each report that did not pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from normgrade.language import _
from normgrade.report.render.plain import plain
from normgrade.report.render.sections import named
from normgrade.report.render.wording import MARKS, titled
from normgrade.report.render.workflow_commands import folded, preformatted, table
from normgrade.report.report import Outcome, Report


def step_summary(reports: Sequence[Report]) -> Iterator[str]:
    """Yield the blocks of the summary."""
    titles = (_("exercise"), _("submission"), _("points"), _("mistake"))
    yield from table(titles, "|---|---|--:|---|", map(cells_of, reports))
    yield from (folded(titled(report), [preformatted(plain([report]))]) for report in reports if report.outcome is not Outcome.PASSED)


def cells_of(report: Report) -> tuple[str, ...]:
    """Return the row of a report in the table."""
    return f"{MARKS[report.outcome]} {report.exercise}", report.submission, f"{report.earned}/{report.possible}", named(report)
