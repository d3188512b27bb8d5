"""A report in each format that people and programs read, and the levels of detail in which it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType, ModuleType

from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.report.report import Report

EVERYTHING = 10**6


@dataclass(frozen=True, slots=True)
class Detail:
    """The numbers of failed claims, of cases of each claim and of differences of each case that are shown."""

    claims: int
    cases: int
    differences: int
    whole: bool = False  # every claim with its numbers, seed and times, not one screen
    maps: int = 0  # claims with a heat map
    cells: tuple[int, int] = (10, 32)  # rows and columns of each
    lines: int = 1000  # of the learner's code
    more: str = "-v"  # the option or key that shows the rest
    advice: bool = True  # with the next step


QUIET = Detail(claims=0, cases=0, differences=0)  # one line for a report
USUAL = Detail(claims=3, cases=1, differences=2)
BRIEF = Detail(claims=3, cases=1, differences=2, maps=1, cells=(6, 12), lines=60)  # in a notebook, or on a page of many reports
FULL = Detail(EVERYTHING, cases=1, differences=3, maps=3)  # on a page of its own
VERBOSE = Detail(EVERYTHING, EVERYTHING, EVERYTHING, whole=True)


# The formats


Renderer = Callable[[Sequence[Report], Detail], str]
FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "terminal": "terminal.render_text",
        "json": "json.render_json",
        "junit": "junit.render_junit",
        "html": "html.render_html",
        "gradescope": "dialects.render_gradescope",
        "github": "github.render_github",
        "classroom50": "dialects.render_classroom50",
        "prairielearn": "dialects.render_prairielearn",
    }
)  # the module and the function of each; it is imported when it is asked for: rich is slow to import, and only one format needs it
FROM_ENVIRONMENT = ("classroom50",)  # formats with facts that a runner tells in the environment


def render(reports: Sequence[Report], format: str, detail: Detail = USUAL) -> str:
    """Return the reports as one text in the format of that name; `detail` says how much a terminal shows."""
    return renderer(format)(reports, detail)


def renderer(format: str) -> Renderer:
    """Return the function that renders reports in the format of that name. Raise UsageError if there is no such format."""
    if format not in FORMATS:
        meant, known = did_you_mean(format, FORMATS), ", ".join(FORMATS)
        raise UsageError(_('"{name}" is not a valid format.{meant} Use one of: {known}.', name=format, meant=meant, known=known))

    def rendered(reports: Sequence[Report], detail: Detail) -> str:
        function: Callable[..., str] = getattr(module_of(format), FORMATS[format].partition(".")[2])
        return function(reports, detail) if format == "terminal" else function(reports)

    return rendered


def refuse_without_facts(format: str) -> None:
    """Raise UsageError if the environment lacks a fact that the format needs, as early as possible: rendering no reports tells it."""
    if format in FROM_ENVIRONMENT:
        render((), format)


def preload(format: str) -> None:
    """Import the modules that render that format, so that rendering need not."""
    module_of(format)


def module_of(format: str) -> ModuleType:
    return import_module(f"{__name__}.{FORMATS[format].partition('.')[0]}")
