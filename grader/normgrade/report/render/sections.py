"""The parts of a report that a page shows: its claims, the first cases that failed, pictures of a few of them, and the learner's code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from normgrade.language import _
from normgrade.language.text import lines_of
from normgrade.report.render.cases import Cases, grouped, which_cases
from normgrade.report.render.detail import Detail
from normgrade.report.render.heatmap import Picture, picture_of
from normgrade.report.render.numbers import Row, as_pair, sides
from normgrade.report.render.wording import one_line, word_of
from normgrade.report.report import ArrayDifference, Check, Difference, Kind, Outcome, Raised, Report, Spot, WorstNumber

CHARACTERS = 400  # of a line of code
NAMED = 2  # mistakes of a report among many


@dataclass(frozen=True, slots=True)
class Shown:
    """A difference: two arrays have rows and perhaps a picture, two other values the words for both."""

    difference: Difference
    rows: tuple[Row, ...] = ()
    picture: Picture | None = None
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """A case that failed, with the names of the cases that are not shown; `beyond` counts its differences that are left out."""

    name: str
    check: Check
    differences: tuple[Shown, ...]
    beyond: int


@dataclass(frozen=True, slots=True)
class Claim:
    """The checks of one claim, and its failed cases as far as the course reveals them."""

    key: str
    group: Cases
    cases: tuple[Case, ...]
    with_hint: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the learner's code, and the remarks on it."""

    text: str
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A report; its key begins all its ids. `left_out` counts the lines of code that are left out."""

    key: str
    report: Report
    claims: tuple[Claim, ...]
    lines: tuple[Line, ...]
    left_out: int

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
        return sum(bool(failures(claim.group)) and not claim.cases for claim in self.claims)

    @property
    def holding(self) -> int:
        return sum(claim.group.outcome is Outcome.PASSED for claim in self.claims)


def named(report: Report) -> str:
    """Return the first mistakes of the first diagnosis; if there is none, the rules that inspection found broken."""
    names = [one_line(name) for diagnosis in report.diagnoses[:1] for name in diagnosis.mistakes]
    more = [_("{n} more", n=len(names) - NAMED)] if len(names) > NAMED else []
    rules = dict.fromkeys(word_of(finding.rule) for finding in report.findings)
    return " + ".join(names[:NAMED] + more) or _(", ").join(rules)


def sections(reports: Sequence[Report], prefix: str, detail: Detail) -> list[Section]:
    return [section(report, f"{prefix}r{number}", detail) for number, report in enumerate(reports, 1)]


def section(report: Report, key: str, detail: Detail) -> Section:
    written = lines_of(report.source.rstrip()) if report.source.strip() else []
    said = remarks(report)
    lines = tuple(Line(cut(text.expandtabs(4)), tuple(said.get(number, ()))) for number, text in enumerate(written[: detail.lines], 1))
    return Section(key, report, tuple(claims(report, key, detail)), lines, len(written) - len(lines))


def cut(text: str) -> str:
    """Return the line, or only its beginning if it is very long."""
    return text if len(text) <= CHARACTERS else f"{text[:CHARACTERS]} …"


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
    """Yield the first failed cases; the remaining ones are named with the last. Only the first has a picture."""
    failed = failures(group)
    for number, check in enumerate(failed[: detail.cases], 1):
        alike = failed[number - 1 :] if number == detail.cases else [check]
        differences = tuple(differences_of(check, detail, pictured and number == 1))
        yield Case(which_cases(group.stem, alike), check, differences, len(check.differences) - len(differences))


def failures(group: Cases) -> list[Check]:
    """Return the failed cases of which the course reveals something."""
    ended = (*group.ended(Outcome.ERROR), *group.ended(Outcome.FAILED))
    return [check for check in ended if check.message.strip() or check.differences or check.stdout.strip()]


def differences_of(check: Check, detail: Detail, pictured: bool) -> Iterator[Shown]:
    """Yield the first differences of a case; a picture shows only the first two arrays."""
    for difference in check.differences[: detail.differences]:
        if isinstance(difference, ArrayDifference):
            whole = pictured and not isinstance(difference.numbers, WorstNumber)
            yield Shown(difference, rows=sides(difference), picture=picture_of(difference, detail.cells) if whole else None)
            pictured = False
        else:
            yield Shown(difference, words=tuple(map(one_line, as_pair(difference.expected, difference.actual))))


def raised_at(raised: Raised) -> Spot:
    """Return the place of an exception, as that of a mistake without a name."""
    return Spot("", raised.line, max(raised.column, 1), raised.width, raised.text)


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
