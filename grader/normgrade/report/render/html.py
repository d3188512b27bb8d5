"""Reports as a page: one file that needs nothing else, for a browser, a notebook, a printer.

What the page looks like is in `page.html.jinja` and the templates that it includes; here is what they show.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup

from normgrade.language import _, n_, spoken
from normgrade.language.text import lines_of
from normgrade.language.visible import disarmed, printable
from normgrade.report.render.cases import Cases, grouped, which_cases
from normgrade.report.render.detail import BRIEF, FULL, Detail
from normgrade.report.render.heatmap import Picture, picture_of
from normgrade.report.render.numbers import Row, as_pair, cells_of, sides
from normgrade.report.render.wording import (
    MARKS,
    bounded,
    course_in_words,
    credit_in_words,
    deaths_in_words,
    difference_in_words,
    explained,
    losses_in_words,
    names_of,
    next_step,
    not_recognised,
    not_started,
    one_line,
    outcome_in_words,
    pointed_at,
    sandbox_in_word,
    score_in_words,
    search_stopped,
    what_it_is,
    word_of,
)
from normgrade.report.report import ArrayDifference, Check, Difference, Outcome, Report

FOLDER = Path(__file__).parent
STYLE = (FOLDER / "page.css").read_text(encoding="utf-8")
# In somebody else's page no rule may touch the page as a whole, and ours have to outweigh the page's own.
EMBEDDED_STYLE = STYLE.replace("> .normgrade", "> main.normgrade").replace(".normgrade ", ".normgrade.normgrade.normgrade ")
SCRIPT = (FOLDER / "page.js").read_text(encoding="utf-8")
LINES = 60  # of a message, or of what was printed
SOURCE_LINES = 2000
LAYOUT = re.compile(r"(?<=[>}])\s*\n\s*(?=[<{])")  # line ends and indentation between the tags of a template


# The templates


def first_line_and_rest(text: str) -> tuple[str, str]:
    """A finding's sentence, and the source below it."""
    first, _newline, rest = bounded(text, LINES).partition("\n")
    return first, rest


WORDS = (  # what the templates call
    bounded, cells_of, course_in_words, credit_in_words, deaths_in_words, difference_in_words, explained, first_line_and_rest, names_of,
    next_step, not_recognised, not_started, one_line, outcome_in_words, pointed_at, sandbox_in_word, score_in_words, search_stopped,
    what_it_is, word_of,
)  # fmt: skip


def template(name: str) -> Template:
    """The template in the file of that name."""
    return environment().get_template(name)


@cache
def environment() -> Environment:
    """What all templates know: how to say things, and that every text is escaped and printable."""
    made = Environment(autoescape=True, finalize=as_text, undefined=StrictUndefined, loader=FunctionLoader(source_of))
    made.globals |= {"_": _, "n_": n_, "LINES": LINES, "MARKS": MARKS, "Outcome": Outcome}
    made.globals |= {function.__name__: function for function in WORDS}
    return made


def source_of(name: str) -> str:
    """The source of a template, without its layout: what is shown there are tags and texts alone."""
    return LAYOUT.sub("", (FOLDER / name).read_text(encoding="utf-8"))


def as_text(value: object) -> object:
    """Text from outside as it may stand in a page; markup is made by the templates and stays."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


# What they show


@dataclass(frozen=True, slots=True)
class Shown:
    """A difference: two arrays have rows and a picture, two other values the words for both."""

    difference: Difference
    rows: tuple[Row, ...] = ()
    picture: Picture | None = None
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A case that failed, with the names of those that are not shown; and how many of its differences are left out."""

    name: str
    check: Check
    differences: tuple[Shown, ...]
    beyond: int


@dataclass(frozen=True, slots=True)
class Claim:
    """The checks of one claim, and the cases of it that failed, as far as the course reveals them."""

    key: str
    group: Cases
    cases: tuple[Case, ...]
    with_hint: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the learner's code, and what is said about it."""

    text: str
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A report; its key begins all its ids. Of the lines of the code, so many are left out."""

    key: str
    report: Report
    claims: tuple[Claim, ...]
    lines: tuple[Line, ...]
    left_out: int


def render_html(reports: Sequence[Report]) -> str:
    """A whole page. It can load nothing and run nothing but its own script."""
    page = template("page.html.jinja").render(
        language={"zh": "zh-Hans"}.get(spoken(), spoken()),
        policy=f"default-src 'none'; style-src '{digest(STYLE)}'; script-src '{digest(SCRIPT)}'; base-uri 'none'; form-action 'none'",
        title=title(reports),
        style=Markup(STYLE),
        script=Markup(SCRIPT),
        sections=sections(reports, "", FULL),
        losses=losses_in_words(reports),
    )
    return disarmed(f"{page}\n")


def render_fragment(reports: Sequence[Report], prefix: str, detail: Detail = BRIEF) -> str:
    """The same for a page that is there already, a notebook's. All ids begin with the prefix, which no other fragment there may have."""
    shown = sections(reports, prefix, detail)
    return disarmed(template("fragment.html.jinja").render(style=Markup(EMBEDDED_STYLE), sections=shown, losses=losses_in_words(reports)))


def digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def title(reports: Sequence[Report]) -> str:
    if len(reports) == 1:
        return f"{one_line(reports[0].exercise)}: {score_in_words(reports[0])}"
    return n_("{n} report", "{n} reports", len(reports))


def sections(reports: Sequence[Report], prefix: str, detail: Detail) -> list[Section]:
    return [section(report, f"{prefix}r{number}", detail) for number, report in enumerate(reports, 1)]


def section(report: Report, key: str, detail: Detail) -> Section:
    written = lines_of(report.source.rstrip()) if report.source.strip() else []
    said = remarks(report)
    lines = tuple(Line(text.expandtabs(4), tuple(said.get(number, ()))) for number, text in enumerate(written[:SOURCE_LINES], 1))
    return Section(key, report, tuple(claims(report, key, detail)), lines, len(written) - len(lines))


def claims(report: Report, key: str, detail: Detail) -> Iterator[Claim]:
    """All claims. Only the first that fails has a hint, and none where a diagnosis knows better: as in a terminal."""
    hinted = bool(report.diagnoses)
    for number, group in enumerate(grouped(report.checks), 1):
        failing = group.outcome in (Outcome.FAILED, Outcome.ERROR)
        yield Claim(f"{key}-c{number}", group, tuple(cases(group, detail)), with_hint=failing and not hinted)
        hinted |= failing


def cases(group: Cases, detail: Detail) -> Iterator[Case]:
    """The first cases that failed; those that are too many are named with the last one."""
    failed = failures(group)
    for number, check in enumerate(failed[: detail.cases], 1):
        alike = failed[number - 1 :] if number == detail.cases else [check]
        differences = tuple(shown(each, detail) for each in check.differences[: detail.differences])
        yield Case(which_cases(group.stem, alike), check, differences, len(check.differences) - len(differences))


def failures(group: Cases) -> list[Check]:
    """The cases that did not hold and of which the course reveals something."""
    ended = (*group.ended(Outcome.ERROR), *group.ended(Outcome.FAILED))
    return [check for check in ended if check.message.strip() or check.differences or check.stdout.strip()]


def shown(difference: Difference, detail: Detail) -> Shown:
    if isinstance(difference, ArrayDifference):
        return Shown(difference, rows=sides(difference), picture=picture_of(difference, detail.cells))
    return Shown(difference, words=tuple(map(one_line, as_pair(difference.expected, difference.actual))))


def remarks(report: Report) -> dict[int, list[str]]:
    """By line of the code: what inspection found there, the mistakes that stand there, and the claims for which it raised something."""
    said: dict[int, list[str]] = {}
    for each in report.findings:
        said.setdefault(each.line, []).append(f"{word_of(each.rule)}: {one_line(each.text.partition(chr(10))[0])}")
    for spot in (spot for diagnosis in report.diagnoses for spot in diagnosis.spots):
        remark = _(": ").join(filter(None, (one_line(spot.mistake), one_line(spot.remedy))))
        if remark not in said.setdefault(spot.line, []):
            said[spot.line].append(remark)
    for group in grouped(report.checks):
        for line in dict.fromkeys(line for check in group.checks for line in check.lines):
            said.setdefault(line, []).append(_("raised here: {claim}", claim=group.claim))
    return said
