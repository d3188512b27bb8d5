"""Reports as a picture: one file that needs nothing else, for a browser, a notebook, a printer."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from normgrade.language import _, n_, spoken
from normgrade.language.text import lines_of
from normgrade.report.render import heatmap
from normgrade.report.render.cases import Cases, grouped, which_cases
from normgrade.report.render.detail import BRIEF, FULL, Detail
from normgrade.report.render.markup import as_html, joined, prose, put, table, tag
from normgrade.report.render.numbers import Row, as_pair, cells_of, sides
from normgrade.report.render.wording import (
    MARKS,
    bounded,
    course_in_words,
    difference_in_words,
    explained,
    kind_in_word,
    losses_in_words,
    names_of,
    next_step,
    not_started,
    one_line,
    outcome_in_word,
    outcome_in_words,
    rule_in_word,
    sandbox_in_word,
    score_in_words,
    search_stopped,
    what_it_is,
)
from normgrade.report.report import Check, Diagnosis, Difference, Finding, Outcome, Report

STYLE = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
# In a page that is there already, what is said of whole pages holds for none, and the rest outweighs the page's own rules.
EMBEDDED_STYLE = STYLE.replace("> .normgrade", "> main.normgrade").replace(".normgrade ", ".normgrade.normgrade.normgrade ")
SCRIPT = Path(__file__).with_name("page.js").read_text(encoding="utf-8")
LINES = 60  # of a message, or of what was printed
SOURCE_LINES = 2000


def render_html(reports: Sequence[Report]) -> str:
    """A whole page. It can load nothing and run nothing but its own script."""
    policy = f"default-src 'none'; style-src '{digest(STYLE)}'; script-src '{digest(SCRIPT)}'; base-uri 'none'; form-action 'none'"
    heading = title(reports)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", heading),
        tag("style", STYLE),
    )
    main = tag("main", tag("h1", heading), *parts(reports), class_="normgrade")
    page = tag("html", head, tag("body", main, tag("script", SCRIPT)), lang={"zh": "zh-Hans"}.get(spoken(), spoken()))
    return f"<!DOCTYPE html>\n{as_html(page)}\n"


def render_fragment(reports: Sequence[Report], prefix: str, detail: Detail = BRIEF) -> str:
    """The same for a page that is there already, a notebook's; the prefix tells its ids from those of other fragments there."""
    return as_html(tag("div", tag("style", EMBEDDED_STYLE), *parts(reports, prefix, detail), class_="normgrade"))


def digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def title(reports: Sequence[Report]) -> str:
    if len(reports) == 1:
        return f"{one_line(reports[0].exercise)}: {score_in_words(reports[0])}"
    return n_("{n} report", "{n} reports", len(reports))


def parts(reports: Sequence[Report], prefix: str = "", detail: Detail = FULL) -> Iterator[Element]:
    keys = [f"{prefix}r{number}" for number in range(1, len(reports) + 1)]
    if not reports:
        yield tag("p", *prose(_("Nothing was graded: `normgrade list` shows the exercises.")))
    if len(reports) > 1:
        yield summary(reports, keys)
    for report, key in zip(reports, keys, strict=True):
        yield section(report, key, detail)
    if losses := losses_in_words(reports):
        yield tag("footer", *(tag("p", *prose(line.strip())) for line in losses))


def summary(reports: Sequence[Report], keys: Sequence[str]) -> Element:
    rows = [
        tag(
            "tr",
            outcome_cell(report.outcome),
            tag("td", tag("a", one_line(report.exercise), href=f"#{key}")),
            tag("td", one_line(report.submission)),
            tag("td", f"{report.earned}/{report.possible}", class_="number"),
        )
        for report, key in zip(reports, keys, strict=True)
    ]
    return table((_("outcome"), _("exercise"), _("submission"), _("points")), rows, _("all reports"))


def section(report: Report, key: str, detail: Detail) -> Element:
    """One report, from top to bottom."""
    element = tag("section", id=key, aria_labelledby=f"{key}-h")
    children: list[Element | None] = [
        tag("h2", tag("span", one_line(report.exercise)), " ", tag("small", one_line(report.submission)), id=f"{key}-h"),
    ]
    if report.outcome is Outcome.NOT_STARTED:
        children += [tag("p", *prose(not_started(report))), course(report)]
    else:
        children += [
            score(report),
            course(report),
            findings(report.findings, key),
            diagnoses(report),
            checks(report, key, detail),
            code(report, key),
        ]
    for child in children:
        put(element, child)
    unlink(element)
    return element


def unlink(element: Element) -> None:
    """Make text of each link to a line that is not shown: of a file that could not be read, or beyond the end."""
    known = {f"#{each.get('id')}" for each in element.iter()}
    for link in element.iter("a"):
        if link.get("href") not in known:
            link.tag = "span"
            del link.attrib["href"]


def score(report: Report) -> Element:
    facts = _("sandbox: {tier} · seed {seed}", tier=sandbox_in_word(report), seed=report.seed)
    step = next_step(report)
    verdict = tag("strong", f"{MARKS[report.outcome]} {score_in_words(report)} · {outcome_in_words(report)}", class_=css(report.outcome))
    return tag("div", tag("p", verdict), tag("p", facts, class_="quiet"), tag("p", *prose(step)) if step else None, class_="score")


def course(report: Report) -> Element | None:
    said = course_in_words(report)
    return tag("p", said, class_="quiet") if said else None


def css(outcome: Outcome) -> str:
    return f"outcome {outcome.value.replace(' ', '-')}"


def findings(found: Sequence[Finding], key: str) -> Element | None:
    if not found:
        return None
    return tag("ul", *(tag("li", *finding(each, key)) for each in found), class_="findings", aria_label=_("findings"))


def finding(found: Finding, key: str) -> Iterator[Element | str]:
    first, _rest, source = bounded(found.text, LINES).partition("\n")
    yield tag("strong", f"{MARKS[Outcome.FAILED]} {rule_in_word(found)}")
    yield ": "
    if found.line:
        yield tag("a", _("line {line}", line=found.line), href=f"#{key}-l{found.line}")
        yield ": "
    yield from prose(first)
    if source:
        yield tag("pre", source)


def diagnoses(report: Report) -> Element | None:
    """Several are alternatives."""
    if stopped := search_stopped(report):
        return tag("aside", tag("p", *prose(stopped)), class_="diagnosis")
    if not report.diagnoses:
        return None
    blocks = [diagnosis(each, report.checks) for each in report.diagnoses]
    with_or = [blocks[0], *(part for block in blocks[1:] for part in (tag("p", _("or"), class_="quiet"), block))]
    return tag("aside", tag("h3", _("Diagnosis")), *with_or, class_="diagnosis")


def diagnosis(found: Diagnosis, checks: Sequence[Check]) -> Element:
    says = [tag("p", *prose(line)) for line in bounded(found.says, LINES).split("\n")]
    claims = [tag("li", *prose(line)) for line in explained(found, checks)]
    return tag("div", tag("p", tag("strong", names_of(found))), *says, tag("ul", *claims, class_="quiet"))


# The checks


def checks(report: Report, key: str, detail: Detail) -> Element | None:
    cases = grouped(report.checks)
    if not cases:
        return None
    rows = [row(group, f"{key}-c{number}") for number, group in enumerate(cases, 1)]
    failing = [number for number, group in enumerate(cases, 1) if group.outcome in (Outcome.FAILED, Outcome.ERROR)]
    hinted = () if report.diagnoses else failing[:1]  # as in a terminal
    details = [failure(cases[number - 1], f"{key}-c{number}", key, detail, with_hint=number in hinted) for number in failing]
    heading = tag("h3", _("Checks"))
    columns = _("outcome"), _("claim"), _("kind"), _("points")
    return tag("div", heading, table(columns, rows, _("all checks of {exercise}", exercise=one_line(report.exercise))), *details)


def row(group: Cases, key: str) -> Element:
    claim: list[Element | str] = [tag("a", *prose(group.claim), href=f"#{key}") if details_of(group) else tag("span", *prose(group.claim))]
    if len(group.checks) > 1:
        claim.append(tag("small", _(" ({holding} of {total} hold)", holding=group.holding, total=len(group.checks))))
    if group.outcome is Outcome.SKIPPED and group.shown.message:
        claim.append(tag("small", f" {one_line(group.shown.message)}"))
    points = tag("td", f"{group.earned}/{group.points}", class_="number")
    return tag("tr", outcome_cell(group.outcome), tag("td", *claim), tag("td", kind_in_word(group.kind), class_="kind"), points)


def outcome_cell(outcome: Outcome) -> Element:
    return tag("td", f"{MARKS[outcome]} {outcome_in_word(outcome)}", class_=css(outcome))


def details_of(group: Cases) -> list[Check]:
    """The cases that did not hold and of which the course reveals something."""
    ended = (*group.ended(Outcome.ERROR), *group.ended(Outcome.FAILED))
    return [check for check in ended if check.message.strip() or check.differences or check.stdout.strip()]


def failure(group: Cases, key: str, report_key: str, detail: Detail, with_hint: bool) -> Element | None:
    """The first failed case of a claim unfolded, the others folded; those that are too many are named with the last one shown."""
    cases = details_of(group)
    if not cases:
        return None
    heading = tag("h4", f"{MARKS[group.outcome]} ", *prose(group.claim), id=f"{key}-h")
    named = [[check] for check in cases[: detail.cases]]
    named[-1] += cases[detail.cases :]
    every = [
        tag("details", tag("summary", which_cases(group.stem, alike)), *case(alike[0], report_key, detail, with_hint), open=number == 0)
        for number, alike in enumerate(named)
    ]
    return tag("article", heading, *every, id=key, aria_labelledby=f"{key}-h")


def case(check: Check, report_key: str, detail: Detail, with_hint: bool) -> Iterator[Element]:
    if check.message.strip():
        yield tag("pre", bounded(check.message, LINES))
    if check.lines:
        links = [tag("a", _("line {line}", line=line), href=f"#{report_key}-l{line}") for line in check.lines]
        yield tag("p", _("In your code: "), *joined(links))
    for difference in check.differences[: detail.differences]:
        yield numbers(difference, detail)
    if beyond := check.differences[detail.differences :]:
        yield tag("p", n_("and {n} more place", "and {n} more places", len(beyond)), class_="quiet")
    if check.stdout.strip():
        yield tag("p", _("your code printed:"), class_="quiet")
        yield tag("pre", bounded(check.stdout, LINES))
    if with_hint and check.hint.strip():
        yield tag("p", tag("strong", _("Hint: ")), *prose(bounded(check.hint, LINES)))


def numbers(difference: Difference, detail: Detail) -> Element:
    """Both sides next to each other, and where they differ."""
    block, rows = tag("div", tag("h5", what_it_is(difference)), class_="difference"), sides(difference)
    if difference.at is not None:
        put(block, tag("p", difference_in_words(difference)))
    put(block, table_and_picture(difference, rows, detail) if rows else pair(difference))
    if difference.looks_like:
        put(block, tag("p", _("looks like: {words}", words=one_line(difference.looks_like)), class_="likeness"))
    return block


def table_and_picture(difference: Difference, rows: Sequence[Row], detail: Detail) -> Element:
    columns = "", _("at"), _("expected"), _("got"), _("off by"), _("allowed")
    lines = [
        tag("tr", *(tag("td", cell, class_="number") for cell in cells_of(each)), class_="worst" if each.worst else None) for each in rows
    ]
    worst = table(columns, lines, _("worst of {place}", place=what_it_is(difference)))
    return tag("div", worst, heatmap.figure(difference, detail.cells), class_="sides")


def pair(difference: Difference) -> Element:
    """Both sides where there is one of each to show."""
    expected, actual = map(one_line, as_pair(difference.expected, difference.actual))
    return tag("dl", tag("dt", _("expected")), tag("dd", expected), tag("dt", _("got")), tag("dd", actual))


# The learner's code


def code(report: Report, key: str) -> Element | None:
    """Every line, with what was said of it."""
    if not report.source.strip():
        return None
    said, written = remarks(report), lines_of(report.source.rstrip())
    lines = [line_of_code(number, text.expandtabs(4), said.get(number, []), key) for number, text in enumerate(written[:SOURCE_LINES], 1)]
    left_out = len(written) - len(lines)
    more = tag("p", n_("… and {n} more line", "… and {n} more lines", left_out), class_="quiet") if left_out else None
    heading = tag("h3", _("Your code"), id=f"{key}-code")
    shown = tag("div", tag("ol", *lines), more, class_="code scroll", role="group", tabindex=0, aria_labelledby=f"{key}-code")
    return tag("div", heading, shown)


def remarks(report: Report) -> dict[int, list[str]]:
    """By line: what inspection found there, and the claims for which it raised something."""
    said: dict[int, list[str]] = {}
    for each in report.findings:
        said.setdefault(each.line, []).append(f"{rule_in_word(each)}: {one_line(each.text.partition(chr(10))[0])}")
    for group in grouped(report.checks):
        for line in dict.fromkeys(line for check in group.checks for line in check.lines):
            said.setdefault(line, []).append(_("raised here: {claim}", claim=group.claim))
    return said


def line_of_code(number: int, text: str, said: Sequence[str], key: str) -> Element:
    if not said:
        return tag("li", tag("code", text), id=f"{key}-l{number}")
    return tag("li", tag("code", tag("mark", text)), *(tag("small", f"◀ {remark}") for remark in said), id=f"{key}-l{number}")
