"""Everything that a class did at each exercise: points, the claims that fail, and the commonest mistakes with a line that nobody signs."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from normgrade.classes.gradebook import Mark
from normgrade.report.render.summary import diagnosis_of, mistakes_of
from normgrade.report.render.wording import grouped, one_line, word_of
from normgrade.report.report import Kind, Outcome, Report

BARS = 10  # at most, and one for all points
COMMONEST = 12  # mistakes of an exercise
CHARACTERS = 160  # of a line of code
WORD = re.compile(r"[^\W\d_]{2,}|[^\W\d_a-z]|\d{3,}")  # of a name or a number that tells who somebody is: 李, Wu, 4711
SHORT = re.compile(r"[a-z]{2}")  # a word that tells nobody inside of another one


@dataclass(frozen=True, slots=True)
class Bar:
    """The number of students with points from `low` to below `high`; for all points, both are the same."""

    low: float
    high: float
    students: int


@dataclass(slots=True)
class Claim:
    """A claim: of how many students it was asked, and for how many it fails."""

    text: str
    kind: Kind
    courtesy: bool
    asked: int = 0
    failing: int = 0

    @property
    def share(self) -> float:
        return self.failing / self.asked if self.asked else 0.0


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake: its explanation in short, the number of students who made it, and the line of one of them, or ""."""

    name: str
    says: str
    students: int
    line: str


class Standing:
    """The standing of a class at one exercise. It grows with each mark that is added."""

    def __init__(self, slug: str) -> None:
        self.slug = slug
        self.points: list[float] = []
        self.possible, self.passed, self.graded = 0, 0, 0
        self.claims: dict[tuple[str, str], Claim] = {}
        self.rules: Counter[str] = Counter()
        self.times: Counter[str] = Counter()
        self.texts: dict[str, str] = {}
        self.lines: dict[str, Counter[str]] = {}

    def add(self, mark: Mark, report: Report | None, id: str) -> None:
        """Add the mark of a student, with the report if there is one."""
        self.points.append(mark.points)
        if report is None:
            return
        self.graded += 1
        self.passed += report.outcome is Outcome.PASSED
        self.possible = max(self.possible, report.possible)
        self.rules.update({word_of(finding.rule) for finding in report.findings})
        self.add_claims(report)
        self.add_mistakes(report, (mark.student, id))

    def add_claims(self, report: Report) -> None:
        for cases in grouped(report.checks):
            if cases.outcome in (Outcome.PASSED, Outcome.FAILED):
                claim = self.claims.setdefault((cases.stem, cases.claim), Claim(cases.claim, cases.kind, cases.shown.courtesy))
                claim.asked += 1
                claim.failing += cases.outcome is Outcome.FAILED

    def add_mistakes(self, report: Report, who: Iterable[str]) -> None:
        diagnosis = diagnosis_of(report)
        if diagnosis is None:
            return
        self.times.update({*diagnosis.mistakes})
        for named in mistakes_of(diagnosis):
            self.texts.setdefault(named.name, one_line(named.in_short))
        for spot in diagnosis.spots:
            if line := anonymous(spot.text, who):
                self.lines.setdefault(spot.mistake, Counter())[line] += 1

    @property
    def median(self) -> float:
        return statistics.median(self.points) if self.points else 0.0

    @property
    def quartiles(self) -> tuple[float, float]:
        """The points below which a quarter of the students are, and three quarters."""
        if len(self.points) < 2:
            return self.median, self.median
        low, _median, high = statistics.quantiles(self.points, n=4, method="inclusive")
        return low, high

    @cached_property
    def bars(self) -> list[Bar]:
        """The numbers of students by points."""
        count = max(1, min(BARS, self.possible))
        width = self.possible / count
        held = Counter(min(count, int(points / width)) if width else 0 for points in self.points)
        edges = [number * width for number in range(count + 1)]
        return [Bar(low, edges[min(number + 1, count)], held[number]) for number, low in enumerate(edges)]

    @property
    def failing_claims(self) -> list[Claim]:
        """The claims that fail for somebody, the commonest first, else in the order of the suite."""
        return sorted((claim for claim in self.claims.values() if claim.failing), key=lambda claim: -claim.share)

    @property
    def commonest(self) -> Iterator[Mistake]:
        """The commonest mistakes. The line of each is the one that most students have."""
        for name, students in self.times.most_common(COMMONEST):
            lines = self.lines.get(name, Counter()).most_common(1)
            yield Mistake(one_line(name), self.texts.get(one_line(name), ""), students, lines[0][0] if lines else "")


def anonymous(text: str, who: Iterable[str]) -> str:
    """Return a line of code without its comment; "" if it holds a text, or a part of the student's name or number.

    >>> anonymous("    var = x.var(-1)  # by Anna", ["Anna Li", "7"])
    'var = x.var(-1)'
    """
    code = one_line(text.partition("#")[0])
    names = [WORD.findall(name.casefold()) for name in who]
    words = {word for name in names for word in (*name, "".join(name)) if word}
    here = {*WORD.findall(code.casefold())}
    told = any(word in here if SHORT.fullmatch(word) else word in code.casefold() for word in words)
    tells = told or any(quote in code for quote in "\"'")
    return "" if tells or len(code) > CHARACTERS else code
