"""Reports as a page: one file that needs nothing else, for a browser, a notebook, a printer.

`page.html.jinja` and the templates that it includes define the look of the page, `sections.py` the parts of a report that they show.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from textwrap import dedent

from jinja2 import ChoiceLoader, Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup

from normgrade.language import _, n_, spoken
from normgrade.language.visible import disarmed, printable
from normgrade.report.render.detail import BRIEF, FULL, Detail
from normgrade.report.render.numbers import cells_of
from normgrade.report.render.sections import named, raised_at, sections
from normgrade.report.render.summary import (
    claims_without_more,
    cost_in_words,
    crash_of,
    diagnosis_of,
    example_of,
    in_short,
    in_vain,
    left_open,
    mistakes_of,
    next_commands,
    not_tried,
    reach_of,
    step_of,
    verdict,
)
from normgrade.report.render.wording import (
    CLAIMS,
    MARKS,
    bounded,
    course_in_words,
    credit_in_words,
    deaths_in_words,
    difference_in_words,
    losses_in_words,
    names_of,
    next_step,
    not_started,
    one_line,
    pointed_at,
    said_first,
    sandbox_in_word,
    score_in_words,
    search_in_words,
    what_it_is,
    word_of,
)
from normgrade.report.report import Outcome, Report

FOLDER = Path(__file__).parent
STYLE = (FOLDER / "page.css").read_text(encoding="utf-8")
# In another page no rule may apply to the page as a whole, and our rules have to outweigh the page's own.
EMBEDDED_STYLE = STYLE.replace("> .normgrade", "> main.normgrade").replace(".normgrade ", ".normgrade.normgrade.normgrade ")
SCRIPT = (FOLDER / "page.js").read_text(encoding="utf-8")
BOUNDS = {  # of the parts that are not folded
    "LINES": 20,  # of a message, or of printed output
    "FINDINGS": 5,
    "SPOTS": 2,  # of each mistake
    "OPENED": 3,  # claims that the diagnosis does not explain
    "CLAIMS": CLAIMS,
}
LAYOUT = re.compile(r"(?<=[>}])\s*\n\s*(?=[<{])")  # line ends and indentation between the tags of a template


# The templates


def first_line_and_rest(text: str) -> tuple[str, str]:
    """Return a finding's sentence, and the source below it, without its indentation."""
    first, _newline, rest = bounded(text, BOUNDS["LINES"]).partition("\n")
    return first, dedent(rest)


WORDS = (  # the functions that the templates call
    bounded, cells_of, claims_without_more, cost_in_words, course_in_words, crash_of, credit_in_words, deaths_in_words, diagnosis_of,
    difference_in_words, example_of, first_line_and_rest, in_short, in_vain, left_open, mistakes_of, named, names_of, next_commands,
    next_step, not_started, not_tried, one_line, pointed_at, raised_at, reach_of, said_first, sandbox_in_word, search_in_words,
    step_of, verdict, what_it_is, word_of,
)  # fmt: skip


def template(name: str) -> Template:
    """Return the template in the file of that name."""
    return environment().get_template(name)


@cache
def environment() -> Environment:
    """Return the environment of all templates: it has the functions for words, and makes every text escaped and printable."""
    made = Environment(autoescape=True, finalize=as_text, undefined=StrictUndefined, loader=FunctionLoader(source_of))
    made.globals |= {"_": _, "n_": n_, "MARKS": MARKS, "Outcome": Outcome} | BOUNDS
    made.globals |= {function.__name__: function for function in WORDS}
    return made


@cache
def environment_with(folder: Path) -> Environment:
    """Return the environment of all templates, with those of another page, which are in this folder."""
    return environment().overlay(loader=ChoiceLoader([FunctionLoader(partial(source_of, folder=folder)), FunctionLoader(source_of)]))


def source_of(name: str, folder: Path = FOLDER) -> str | None:
    """Return the source of a template without the white space of its layout; None if the folder has none of that name."""
    path = folder / name
    return LAYOUT.sub("", path.read_text(encoding="utf-8")) if path.is_file() else None


def as_text(value: object) -> object:
    """Return a text made printable for a page. Markup comes from the templates and stays as it is."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


# The pages


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a page, above its reports: its title, sentences, and a link to the page above it."""

    title: str = ""
    sentences: tuple[str, ...] = ()
    up: str = ""


NO_HEAD = Head()


def render_html(reports: Sequence[Report], head: Head = NO_HEAD) -> str:
    """Return a whole page. It can load nothing and run only its own script."""
    page = template("page.html.jinja").render(
        language=language_of_page(),
        policy=policy(STYLE, SCRIPT),
        title=head.title or title(reports),
        head=head,
        style=Markup(STYLE),
        script=Markup(SCRIPT),
        sections=sections(reports, "", FULL if len(reports) == 1 else BRIEF),
        losses=losses_in_words(reports),
    )
    return disarmed(f"{page}\n")


def render_fragment(reports: Sequence[Report], prefix: str, detail: Detail = BRIEF) -> str:
    """Return the reports as a fragment of an existing page, such as a notebook. All ids begin with the prefix, which is unique there."""
    shown, losses = sections(reports, prefix, detail), losses_in_words(reports)
    return disarmed(template("fragment.html.jinja").render(style=Markup(EMBEDDED_STYLE), sections=shown, losses=losses, head=NO_HEAD))


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
