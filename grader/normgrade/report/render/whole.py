"""The whole of a report in a terminal: diagnosis, every failure with its numbers side by side, a table of the claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from normgrade.language import _, n_
from normgrade.report.render import EVERYTHING, VERBOSE, Detail
from normgrade.report.render.numbers import Row, as_pair, cells_of, sides
from normgrade.report.render.outline import (
    EVERY,
    FAILING,
    QUIET,
    WARNING,
    Block,
    Crash,
    Fault,
    Heading,
    Mistake,
    Outline,
    Printed,
    Said,
    crash_in,
    on_line,
    outline,
)
from normgrade.report.render.summary import Example
from normgrade.report.render.wording import (
    CODE_COLUMNS,
    LINES,
    MARKS,
    NAMED,
    Cases,
    bounded,
    course_in_words,
    credit_in_words,
    difference_in_words,
    grouped,
    one_line,
    outcome_in_words,
    place_of,
    pointed_at,
    sandbox_in_word,
    score_in_words,
    what_it_is,
    word_of,
)
from normgrade.report.report import (
    ArrayDifference,
    Check,
    Difference,
    Kind,
    Outcome,
    Raised,
    Report,
    SideBySide,
    Spot,
    ValueDifference,
    WrongStep,
)

TONES = {"": "", QUIET: "dim", WARNING: "yellow", FAILING: ""}
STYLES = {
    Outcome.PASSED: "green",
    Outcome.FAILED: "bold red",
    Outcome.SKIPPED: "dim",
    Outcome.ERROR: "bold yellow",
    Outcome.NOT_STARTED: "dim",
}


def whole_parts(report: Report, detail: Detail) -> Iterator[RenderableType]:
    """Yield one report from top to bottom, the most useful parts first."""
    cases, told = grouped(report.checks), outline(report, EVERY)
    yield header(report)
    yield from course_lines(report)
    yield score_line(report)
    yield from painted(told.said + told.findings + told.limits)
    if told.diagnosis:
        yield panel_of(told)
    yield from painted(told.traces)
    yield Text()
    yield from failures(report, cases, detail)
    if cases:
        yield table_of_checks(cases)
    if detail.whole:
        yield Text(_("seed {seed} · {seconds} s", seed=report.seed, seconds=f"{report.duration_s:.2f}"), style="dim")


def header(report: Report) -> Text:
    sandbox = _("sandbox: {tier}", tier=sandbox_in_word(report))
    return Text.assemble((one_line(report.exercise), "bold"), " · ", one_line(report.submission), (f" · {sandbox}", "dim"))


def course_lines(report: Report) -> Iterator[Text]:
    if said := course_in_words(report):
        yield Text(said, style="dim", no_wrap=True, overflow="ignore")  # a path stays one word


def score_line(report: Report) -> Text:
    credit = credit_in_words(report)
    how = _(": ") + credit if credit else ""
    return Text.assemble((score_in_words(report), "bold"), how, " · ", (outcome_in_words(report), STYLES[report.outcome]))


def table_of_checks(cases: Sequence[Cases]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), header_style="dim")
    table.add_column(_("outcome"), no_wrap=True)
    table.add_column(_("claim"))
    table.add_column(_("kind"), no_wrap=True)
    table.add_column(_("points"), justify="right", no_wrap=True)
    for group in cases:
        outcome, points = outcome_cell(group.shown_as, group.word), f"{group.earned}/{group.points}"
        table.add_row(outcome, claim_cell(group), Text(word_of(group.kind)), points)
    return table


def outcome_cell(outcome: Outcome, word: str = "") -> Text:
    return Text(f"{MARKS[outcome]} {word or word_of(outcome)}", style=STYLES[outcome])


def claim_cell(group: Cases) -> Text:
    cell = Text(group.claim)
    if len(group.checks) > 1:
        cell.append(_(" ({holding} of {total} hold)", holding=group.holding, total=len(group.checks)), style="dim")
    if group.outcome is Outcome.SKIPPED and group.shown.message:
        cell.append(f"\n{one_line(group.shown.message)}", style="dim")
    return cell


def failures(report: Report, cases: Sequence[Cases], detail: Detail) -> Iterator[RenderableType]:
    """Yield the first claims that do not hold, and the number of the others.

    A hint names the usual cause of a failure. It is left out if a diagnosis names the actual cause. Claims below the first have none,
    because they usually fail for the same reason.
    """
    every = [group for group in cases if group.failures]
    for number, group in enumerate(every[: detail.claims]):
        yield from failure_lines(group, with_hint=not report.diagnoses and not number, detail=detail)
    if (left_out := len(every) - detail.claims) > 0:
        yield Text(
            n_(
                "{n} more claim does not hold; use {key} to see it",
                "{n} more claims do not hold; use {key} to see them",
                left_out,
                key=detail.more,
            )
        )
        yield Text()


def failure_lines(group: Cases, with_hint: bool, detail: Detail) -> Iterator[RenderableType]:
    """Yield the first failed cases of a claim in full, and the others by name. Cases of which the course reveals nothing are left out."""
    for name, check in group.first_failures(detail.cases):
        yield Text.assemble((f"{MARKS[check.shown_as]} ", STYLES[check.shown_as]), (group.claim, "bold"))
        yield indented(Text(name, style="dim"))
        yield from map(indented, detail_lines(check, with_hint, detail))
        yield Text()


def detail_lines(check: Check, with_hint: bool, detail: Detail) -> Iterator[RenderableType]:
    if check.message.strip():
        yield from message_parts(check, detail)
    for difference in check.differences[: detail.differences]:
        yield from difference_lines(difference)
    if beyond := check.differences[detail.differences :]:
        yield Text(n_("and {n} more place: {places}", "and {n} more places: {places}", len(beyond), places=places(beyond)))
    if check.stdout.strip():
        yield Text(_("your code printed:"), style="dim")
        yield indented(Text(bounded(check.stdout, LINES)))
    if with_hint and check.hint.strip():
        yield Text.assemble((_("Hint: "), "bold"), bounded(check.hint, LINES))


def message_parts(check: Check, detail: Detail) -> Iterator[Text]:
    """Yield the message of a check. Lines of a proof that are indented by four columns are to be pasted, so they are not wrapped."""
    if check.kind is not Kind.PROOF:
        yield Text(bounded(check.message, LINES))
        return
    whole = bounded(check.message, EVERYTHING if detail == VERBOSE else LINES, EVERYTHING)
    for pasted, lines in groupby(whole.split("\n"), lambda line: not line or line.startswith(" " * 4)):
        yield Text("\n".join(lines), no_wrap=pasted, overflow="ignore" if pasted else None)


def places(differences: Sequence[Difference]) -> str:
    named = [place_of(difference) for difference in differences[:NAMED]]
    return _("; ").join(named) + (" …" if len(differences) > NAMED else "")


def difference_lines(difference: Difference) -> Iterator[RenderableType]:
    yield Text(what_it_is(difference), style="bold")
    if isinstance(difference, ValueDifference):
        yield indented(table_of_two(difference))
    else:
        yield from map(indented, number_lines(difference))


def number_lines(difference: ArrayDifference) -> Iterator[RenderableType]:
    """Yield the number of differences, the worst of them, and the mistake that they look like."""
    rows = sides(difference)
    yield Text(difference_in_words(difference))
    yield table_of_sides(rows, _("expected"), _("got"))
    if (left_out := difference.mismatched - sum(row.differs for row in rows)) > 0:
        yield Text(_("and {n} more", n=left_out), style="dim")
    if difference.looks_like:
        yield likeness_line(difference.looks_like)


def side_lines(arrays: SideBySide) -> Iterator[RenderableType]:
    """Yield right and wrong numbers side by side, even if they do not differ."""
    yield Text(what_it_is(arrays), style="bold")
    yield table_of_sides(sides(arrays), _("right"), _("wrong"))
    if isinstance(arrays, ArrayDifference) and arrays.looks_like:
        yield likeness_line(arrays.looks_like)


def likeness_line(words: str) -> Text:
    return Text(_("looks like: {words}", words=one_line(words)), style="yellow")


def table_of_two(difference: ValueDifference) -> Table:
    """Return a table of the two values that differ."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for side, value in zip((_("expected"), _("got")), as_pair(difference.expected, difference.actual), strict=True):
        table.add_row(Text(side, style="dim"), Text(one_line(value)))
    return table


def table_of_sides(rows: Sequence[Row], right: str, wrong: str) -> Table:
    """Return a table of both sides, number by number; ▶ marks the worst and ✗ the others that are too far off."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("")
    table.add_column(_("at"), no_wrap=True)
    for heading in (right, wrong, _("off by"), _("allowed")):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*(Text(cell) for cell in cells_of(row)), style="bold" if row.worst else "" if row.differs else "dim")
    return table


# The blocks of an outline


def painted(blocks: Iterable[Block]) -> Iterator[RenderableType]:
    """Yield the lines of the blocks, one after the other."""
    for block in blocks:
        match block:
            case Said(text, tone):
                mark = (f"{MARKS[Outcome.FAILED]} ", STYLES[Outcome.FAILED]) if tone == FAILING else ""
                yield Text.assemble(mark, (text, TONES[tone]))
            case Fault():
                yield Text.assemble(("✗ ", STYLES[Outcome.FAILED]), block.where, (block.rule, "bold"), _(": "), block.text)
                yield from [indented(Text(block.source, no_wrap=True, overflow="ellipsis"), 4)] if block.source else []
            case Crash():
                yield from crash_lines(block)
            case Heading(name, reach):
                yield Text.assemble((name, "bold yellow"), (f"  {reach}", "dim"))
            case Mistake():
                yield from mistake_lines(block)
            case WrongStep(says, spot):
                yield Text.assemble((_("The first step that goes wrong: "), "bold"), one_line(says))
                yield indented(Pointed(spot))
            case Example():
                yield from example_lines(block)
            case Printed(text):
                yield Text(_("your code printed:"), style="dim")
                yield indented(Text(text, no_wrap=True, overflow="ellipsis"))


def raised_lines(raised: Raised) -> Iterator[RenderableType]:
    """Yield an exception, the learner's line with a caret, and advice."""
    yield from crash_lines(crash_in(raised))


def crash_lines(crash: Crash) -> Iterator[RenderableType]:
    """Yield the lines about an exception. If its message is cut, the advice stands above it."""
    advice = [Text(crash.advice)] if crash.advice else []
    yield from advice if crash.is_cut else ()
    yield Text(crash.said, style="bold")
    if crash.spot.line:
        yield indented(Pointed(crash.spot) if crash.spot.text else Text(_("line {line}", line=crash.spot.line)))
    yield from () if crash.is_cut else map(indented, advice)
    if crash.call:
        yield indented(Text(_("The call: {call}", call=crash.call), style="dim"))


def mistake_lines(mistake: Mistake) -> Iterator[RenderableType]:
    """Yield a mistake with its lines. The name of the only one stands above it already."""
    if mistake.number:
        says = f"{_(': ')}{mistake.says}" if mistake.says else ""
        yield Text.assemble(f"{mistake.number}. ", (mistake.name, "bold"), on_line(mistake.line), says)
    else:
        yield indented(Text(mistake.says))
    yield from (indented(Pointed(spot), 3 if mistake.number else 2) for spot in mistake.spots)


def example_lines(example: Example) -> Iterator[RenderableType]:
    """Yield one failure in numbers."""
    if example.claim:
        yield Text.assemble((f"{MARKS[example.outcome]} ", STYLES[example.outcome]), (example.claim, "bold"))
    yield Text(_(": ").join(filter(None, (example.call, example.found))))
    if example.likeness:
        yield indented(Text(example.likeness, style="yellow"))
    if example.hint:
        yield Text.assemble((_("Hint: "), "bold"), example.hint)


def panel_of(told: Outline) -> Panel:
    """Return a panel with the diagnosis of an outline."""
    return Panel(Group(*painted(told.diagnosis)), title=_("Diagnosis"), title_align="left", border_style="yellow")


class Pointed:
    """A line of the learner's code with a caret below it, which are not wrapped, and the remedy, which is wrapped if it is long."""

    def __init__(self, spot: Spot) -> None:
        self.spot = spot

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        gutter = len(f"{self.spot.line} │ ")
        code, caret, *remedy = pointed_at(self.spot, max(1, min(CODE_COLUMNS, options.max_width - gutter)))
        yield Text.assemble(code, (f"\n{caret}", "yellow"), no_wrap=True, overflow="ellipsis")
        for line in remedy:
            yield indented(Text(line[gutter:], style="yellow"), gutter)


def indented(part: RenderableType, by: int = 2) -> RenderableType:
    """Return the part, indented by so many columns. A padding would cut off text that must not be wrapped, so such text gets spaces."""
    if isinstance(part, Text) and part.overflow == "ignore":
        return Group(Text("\n".join(" " * by + line for line in part.plain.split("\n")), no_wrap=True, overflow="ignore"))
    return Padding(part, (0, 0, 0, by), expand=False)
