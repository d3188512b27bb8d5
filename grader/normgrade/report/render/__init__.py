"""A report in each format that people and programs read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType

from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.report.render.detail import USUAL, Detail
from normgrade.report.report import Report

Renderer = Callable[[Sequence[Report], Detail], str]
FROM_ENVIRONMENT = ("classroom50",)  # formats with facts that a runner tells in the environment


def render(reports: Sequence[Report], format: str, detail: Detail = USUAL) -> str:
    """Return the reports as one text in the format of that name; `detail` says how much a terminal shows."""
    return renderer(format)(reports, detail)


def renderer(format: str) -> Renderer:
    """Return the function that renders reports in the format of that name. Raise UsageError if there is no such format."""
    if format not in FORMATS:
        meant, known = did_you_mean(format, FORMATS), ", ".join(FORMATS)
        raise UsageError(_('"{name}" is not a valid format.{meant} Use one of: {known}.', name=format, meant=meant, known=known))
    return FORMATS[format]


def refuse_without_facts(format: str) -> None:
    """Raise UsageError if the environment lacks a fact that the format needs, as early as possible: rendering no reports tells it."""
    if format in FROM_ENVIRONMENT:
        render((), format)


def preload(format: str) -> None:
    """Import the modules that render that format, so that rendering need not."""
    import_module(f"{__name__}.{format}")


# Each format is imported when it is asked for, because rich is slow to import and only one format needs it.


def as_terminal(reports: Sequence[Report], detail: Detail) -> str:
    from normgrade.report.render.terminal import render_text  # loads NumPy

    return render_text(reports, detail)


def as_json(reports: Sequence[Report], detail: Detail) -> str:
    from normgrade.report.render.json import render_json  # loads NumPy

    return render_json(reports)


def as_junit(reports: Sequence[Report], detail: Detail) -> str:
    from normgrade.report.render.junit import render_junit  # loads NumPy

    return render_junit(reports)


def as_html(reports: Sequence[Report], detail: Detail) -> str:
    from normgrade.report.render.html import render_html  # loads NumPy

    return render_html(reports)


def as_gradescope(reports: Sequence[Report], detail: Detail) -> str:
    from normgrade.report.render.gradescope import render_gradescope  # loads NumPy

    return render_gradescope(reports)


def as_github(reports: Sequence[Report], detail: Detail) -> str:
    from normgrade.report.render.github import render_github  # loads NumPy

    return render_github(reports)


def as_classroom50(reports: Sequence[Report], detail: Detail) -> str:
    from normgrade.report.render.classroom50 import handed_in_here, render_classroom50  # loads NumPy

    return render_classroom50(reports, handed_in_here())


def as_prairielearn(reports: Sequence[Report], detail: Detail) -> str:
    from normgrade.report.render.prairielearn import render_prairielearn  # loads NumPy

    return render_prairielearn(reports)


FORMATS: Mapping[str, Renderer] = MappingProxyType(
    {
        "terminal": as_terminal,
        "json": as_json,
        "junit": as_junit,
        "html": as_html,
        "gradescope": as_gradescope,
        "github": as_github,
        "classroom50": as_classroom50,
        "prairielearn": as_prairielearn,
    }
)
