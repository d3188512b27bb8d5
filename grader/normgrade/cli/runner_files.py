"""The files that a runner of GitHub Actions names in the environment: the summary of a step, and its outputs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.report.report import Outcome, Report

SUMMARY, OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"


def tell_runner(format: str, reports: Sequence[Report]) -> None:
    """Append all that belongs to a format into the files of the runner, if it names any."""
    for variable, content in TOLD.get(format, {}).items():
        if path := os.environ.get(variable):
            append(variable, Path(path), content(reports, size_of(path)))


def append(variable: str, path: Path, text: str) -> None:
    """Append a text to a file of the runner."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(
            _(
                'The file "{path}" in {variable} cannot be written ({error}). Unset {variable} to do without it.',
                path=path,
                variable=variable,
                error=error.strerror,
            )
        ) from error


def size_of(path: str) -> int:
    """Return the size of a file in bytes; 0 if there is none."""
    return os.stat(path).st_size if os.path.isfile(path) else 0


def step_summary(reports: Sequence[Report], size: int) -> str:
    """Return the summary of the reports, if a summary of that size is there already."""
    from normgrade.report.render.step_summary import MOST_BYTES, render_summary  # loads NumPy

    return render_summary(reports, MOST_BYTES - size)


def outputs(reports: Sequence[Report], size: int) -> str:
    """Return the state of a commit and a line about it."""
    passed = sum(report.outcome is Outcome.PASSED for report in reports)
    earned, possible = sum(report.earned for report in reports), sum(report.possible for report in reports)
    said = _(
        "{earned} of {possible} points, {passed} of {total} passed", earned=earned, possible=possible, passed=passed, total=len(reports)
    )
    return f"status={'success' if passed == len(reports) else 'failure'}\nsummary={said}\n"


TOLD: Mapping[str, Mapping[str, Callable[[Sequence[Report], int], str]]] = MappingProxyType(
    {"github": {SUMMARY: step_summary}, "classroom50": {OUTPUT: outputs}}
)
