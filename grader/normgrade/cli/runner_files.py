"""The files that a runner of GitHub Actions names in the environment: the summary of a step, and its outputs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.report.render.workflow_commands import add_to_summary
from normgrade.report.report import Outcome, Report

OUTPUT = "GITHUB_OUTPUT"  # the variable that names the file of the outputs


def tell_runner(format: str, reports: Sequence[Report]) -> None:
    """Append all that belongs to a format to the files of the runner, if it names any."""
    if tell := TOLD.get(format):
        tell(reports)


def tell_summary(reports: Sequence[Report]) -> None:
    """Append the reports to the summary of the step."""
    from normgrade.report.render.github import step_summary  # loads NumPy

    add_to_summary(step_summary(reports))


def tell_outputs(reports: Sequence[Report]) -> None:
    """Append the state of a commit and a line about it to the outputs."""
    if not (path := os.environ.get(OUTPUT)):
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(outputs(reports))
    except OSError as error:
        raise UsageError(
            _(
                'The file "{path}" in {variable} cannot be written ({error}). Unset {variable} to do without it.',
                path=path,
                variable=OUTPUT,
                error=error.strerror,
            )
        ) from error


def outputs(reports: Sequence[Report]) -> str:
    """Return the state of a commit and a line about it."""
    passed = sum(report.outcome is Outcome.PASSED for report in reports)
    earned, possible = sum(report.earned for report in reports), sum(report.possible for report in reports)
    said = _(
        "{earned} of {possible} points, {passed} of {total} passed", earned=earned, possible=possible, passed=passed, total=len(reports)
    )
    return f"status={'success' if passed == len(reports) else 'failure'}\nsummary={said}\n"


TOLD: Mapping[str, Callable[[Sequence[Report]], None]] = MappingProxyType({"github": tell_summary, "classroom50": tell_outputs})
