"""Reports as a page: one file that needs nothing else, for a browser, a notebook, a printer.

`page.html.jinja` and the templates that it includes define the look of the page: the outline of each report, its claims, the first cases
that failed with pictures of a few of them, and the learner's code.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import dedent

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup

from normgrade.language import _, n_, spoken
from normgrade.language.text import lines_of
from normgrade.language.visible import disarmed, printable
from normgrade.report.render import BRIEF, FULL, Detail
from normgrade.report.render.numbers import CELL, GAP, LABEL, HeatMap, as_pair, caption, cells_of, heat_map, meaning, sides
from normgrade.report.render.outline import NO_HEAD, Head, Outline, on_line, outline, raised_at
from normgrade.report.render.summary import named, verdict
from normgrade.report.render.wording import (
    LINES,
    MARKS,
    Cases,
    bounded,
    course_in_words,
    credit_in_words,
    cut,
    difference_in_words,
    grouped,
    losses_in_words,
    not_started,
    one_line,
    place_of,
    pointed_at,
    sandbox_in_word,
    score_in_words,
    what_it_is,
    word_of,
)
from normgrade.report.report import ArrayDifference, Check, Difference, Kind, Outcome, Report, WorstNumber

FOLDER = Path(__file__).parent
STYLE = (FOLDER / "page.css").read_text(encoding="utf-8")
# In another page no rule may apply to the page as a whole, and our rules have to outweigh the page's own.
EMBEDDED_STYLE = STYLE.replace("> .normgrade", "> main.normgrade").replace(".normgrade ", ".normgrade.normgrade.normgrade ")
SCRIPT = (FOLDER / "page.js").read_text(encoding="utf-8")
CHARACTERS = 400  # of a line of code
SIZES = {"LINES": LINES, "CELL": CELL, "GAP": GAP, "LABEL": LABEL}  # that the templates name
LAYOUT = re.compile(r"(?<=[>}])\s*\n\s*(?=[<{])")  # line ends and indentation between the tags of a template


# The templates


def kind_of(block: object) -> str:
    """Return the name of the kind of a block."""
    return type(block).__name__


WORDS = (  # the functions that the templates call
    as_pair, bounded, caption, cells_of, course_in_words, credit_in_words, dedent, difference_in_words, kind_of, meaning, named,
    not_started, on_line, one_line, place_of, pointed_at, raised_at, sandbox_in_word, sides, verdict, what_it_is, word_of,
)  # fmt: skip


class Layout(Extension):
    """An extension of Jinja that leaves out the white space of a template's layout."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return LAYOUT.sub("", source)


@cache
def environment(*folders: Path) -> Environment:
    """Return the environment of the templates here, and of another page in these folders: they have the functions for words.

    Every text in them is escaped and printable.
    """
    loader = FileSystemLoader([*folders, FOLDER])
    made = Environment(autoescape=True, finalize=as_text, undefined=StrictUndefined, loader=loader, extensions=[Layout])
    made.globals |= {"_": _, "n_": n_, "MARKS": MARKS, "Outcome": Outcome} | SIZES
    made.globals |= {function.__name__: function for function in WORDS}
    return made


def as_text(value: object) -> object:
    """Return a text made printable for a page. Markup comes from the templates and stays as it is."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


# The parts of a page


@dataclass(frozen=True, slots=True)
class Case:
    """A case that failed, with the names of the cases that are not shown, and its first differences, perhaps with a picture."""

    name: str
    check: Check
    differences: tuple[tuple[Difference, HeatMap | None], ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """The checks of one claim, and its failed cases as far as the course reveals them."""

    key: str
    group: Cases
    cases: tuple[Case, ...]
    with_hint: bool


@dataclass(frozen=True, slots=True)
class Section:
    """A report; its key begins all its ids. Each line of code has the remarks on it; `left_out` counts those that are left out."""

    key: str
    report: Report
    claims: tuple[Claim, ...]
    lines: tuple[tuple[str, list[str]], ...]
    left_out: int
    told: Outline

    @property
    def kinds(self) -> list[tuple[Kind, list[Claim]]]:
        """The claims by kind, in the order in which each kind first appears."""
        kinds = dict.fromkeys(claim.group.kind for claim in self.claims)
        return [(kind, [claim for claim in self.claims if claim.group.kind is kind]) for kind in kinds]

    @property
    def why_skipped(self) -> list[str]:
        """The reasons why claims were skipped, each once."""
        skipped = [claim.group.shown.message for claim in self.claims if claim.group.outcome is Outcome.SKIPPED]
        return list(dict.fromkeys(filter(None, map(one_line, skipped))))

    @property
    def untold(self) -> int:
        """The number of failing claims without a shown case, though the course reveals one."""
        return sum(bool(claim.group.failures) and not claim.cases for claim in self.claims)

    @property
    def holding(self) -> int:
        return sum(claim.group.outcome is Outcome.PASSED for claim in self.claims)


def sections(reports: Sequence[Report], prefix: str, detail: Detail) -> list[Section]:
    return [section(report, f"{prefix}r{number}", detail) for number, report in enumerate(reports, 1)]


def section(report: Report, key: str, detail: Detail) -> Section:
    written = lines_of(report.source.rstrip()) if report.source.strip() else []
    said = remarks(report)
    shown = (cut(text.expandtabs(4), CHARACTERS) for text in written[: detail.lines])
    lines = tuple((text, said.get(number, [])) for number, text in enumerate(shown, 1))
    return Section(key, report, tuple(claims(report, key, detail)), lines, len(written) - len(lines), outline(report))


def claims(report: Report, key: str, detail: Detail) -> Iterator[Claim]:
    """Yield all claims. The first failing ones are shown in full, and the very first have pictures.

    As in a terminal, only the first failing claim has a hint, and none has one if there is a diagnosis.
    """
    hinted, told = bool(report.diagnoses), 0
    for number, group in enumerate(grouped(report.checks), 1):
        failing = group.outcome in (Outcome.FAILED, Outcome.ERROR)
        cases = tuple(cases_of(group, detail, pictured=told < detail.maps)) if told < detail.claims else ()
        yield Claim(f"{key}-c{number}", group, cases, with_hint=failing and not hinted)
        hinted, told = hinted or failing, told + bool(cases)


def cases_of(group: Cases, detail: Detail, pictured: bool) -> Iterator[Case]:
    """Yield the first failed cases. Only the very first has a picture."""
    for name, check in group.first_failures(detail.cases):
        yield Case(name, check, tuple(differences_of(check, detail, pictured)))
        pictured = False


def differences_of(check: Check, detail: Detail, pictured: bool) -> Iterator[tuple[Difference, HeatMap | None]]:
    """Yield the first differences of a case; a picture shows only the first two arrays."""
    for difference in check.differences[: detail.differences]:
        if isinstance(difference, ArrayDifference) and pictured:
            yield difference, None if isinstance(difference.numbers, WorstNumber) else heat_map(difference, detail.cells)
            pictured = False
        else:
            yield difference, None


def remarks(report: Report) -> dict[int, list[str]]:
    """Return the remarks on each line: findings of inspection, mistakes, and claims for which the line raised an exception."""
    said: dict[int, list[str]] = {}
    for each in report.findings:
        said.setdefault(each.line, []).append(f"{word_of(each.rule)}: {one_line(each.text.partition(chr(10))[0])}")
    for spot in (spot for diagnosis in report.diagnoses for spot in diagnosis.spots):
        remark = _(": ").join(filter(None, (one_line(spot.mistake), one_line(spot.remedy))))
        if remark not in said.setdefault(spot.line, []):
            said[spot.line].append(remark)
    for group in grouped(report.checks):
        for line in dict.fromkeys(line for check in group.checks for line in lines_raised(check)):
            said.setdefault(line, []).append(_("raised an exception: {claim}", claim=group.claim))
    return said


def lines_raised(check: Check) -> list[int]:
    """Return the lines that raised an exception in a check."""
    return [*check.lines, *([check.raised.line] if check.raised is not None and check.raised.line else [])]


# The pages


def render_html(reports: Sequence[Report], head: Head = NO_HEAD) -> str:
    """Return a whole page. It can load nothing and run only its own script."""
    page = (
        environment()
        .get_template("page.html.jinja")
        .render(
            language=language_of_page(),
            policy=policy(STYLE, SCRIPT),
            title=head.title or title(reports),
            head=head,
            style=Markup(STYLE),
            script=Markup(SCRIPT),
            sections=sections(reports, "", FULL if len(reports) == 1 else BRIEF),
            losses=losses_in_words(reports),
        )
    )
    return disarmed(f"{page}\n")


def render_fragment(reports: Sequence[Report], prefix: str, detail: Detail = BRIEF) -> str:
    """Return the reports as a fragment of an existing page, such as a notebook. All ids begin with the prefix, which is unique there."""
    shown, losses = sections(reports, prefix, detail), losses_in_words(reports)
    template = environment().get_template("fragment.html.jinja")
    return disarmed(template.render(style=Markup(EMBEDDED_STYLE), sections=shown, losses=losses, head=NO_HEAD))


def language_of_page() -> str:
    """Return the current language as HTML names it."""
    return {"zh": "zh-Hans"}.get(spoken(), spoken())


def policy(style: str, script: str) -> str:
    """Return the policy of a page that loads nothing, and has only this style and this script."""
    return f"default-src 'none'; style-src '{digest(style)}'; script-src '{digest(script)}'; base-uri 'none'; form-action 'none'"


def digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def title(reports: Sequence[Report]) -> str:
    if len(reports) == 1:
        return f"{one_line(reports[0].exercise)}: {score_in_words(reports[0])}"
    return n_("{n} report", "{n} reports", len(reports))
