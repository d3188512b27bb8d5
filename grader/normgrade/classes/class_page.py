"""The page of a class: the standing at each exercise, the commonest mistakes, and a table that leads to a page of each student."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from markupsafe import Markup

from normgrade.classes.feedback import Page, override_in_words, page_names, told
from normgrade.classes.gradebook import Gradebook
from normgrade.classes.hand_ins import Mark
from normgrade.language import _, n_
from normgrade.language.visible import disarmed
from normgrade.report.render import html
from normgrade.report.render.outline import Head
from normgrade.report.render.plain import CLAIMS
from normgrade.report.render.summary import diagnosis_of, mistakes_of
from normgrade.report.render.wording import grouped, one_line, word_of
from normgrade.report.report import Kind, Outcome, Report

FOLDER = Path(__file__).parent / "page"
STYLE = html.STYLE + (FOLDER / "class_page.css").read_text(encoding="utf-8")
SCRIPT = (FOLDER / "class_page.js").read_text(encoding="utf-8")
INDEX = "index.html"
STUDENTS = "students"  # the folder with their pages
BAR_WIDTH, GAP, BAR_HEIGHT = 14, 2, 36  # pixels


@dataclass(frozen=True, slots=True)
class StudentRow:
    """A student: the address of the page, the marks, and the former points of those that the last grading of the same file changed."""

    student: str
    address: str
    marks: Mapping[str, Mark]
    was: Mapping[str, int]


def class_pages(gradebook: Gradebook, slugs: Sequence[str]) -> Iterator[Page]:
    """Yield a page for each student, and at the end the page of the class. Only the reports of one student are held at a time."""
    standings, brief = {slug: Standing(slug) for slug in slugs}, gradebook.marks()
    students, rows = gradebook.students(), list[StudentRow]()
    for student, name in page_names(students).items():
        marks = [mark for mark in gradebook.marks(student).values() if mark.exercise in standings]
        reports, sentences = told(marks, None)
        rest = iter(reports)
        for mark in marks:
            standings[mark.exercise].add(mark, next(rest) if mark.result is not None else None, students[student])
        if not marks:
            sentences.append(_("Nothing was handed in."))
        path = PurePosixPath(STUDENTS, f"{name}.html")
        yield Page(path, html.render_html(reports, Head(student, tuple(sentences), f"../{INDEX}")))
        own = {mark.exercise: brief[student, mark.exercise] for mark in marks}
        rows.append(StudentRow(student, quote(str(path)), own, changed(marks, gradebook)))
    yield Page(PurePosixPath(INDEX), index([*standings.values()], rows))


def changed(marks: Sequence[Mark], gradebook: Gradebook) -> dict[str, int]:
    """Return the former points of the marks that the last grading of the same file changed, by exercise."""
    results = [mark.result for mark in marks if mark.result is not None]
    former = {result.exercise: gradebook.former_points(result) for result in results}
    return {result.exercise: former[result.exercise] for result in results if former[result.exercise] != result.earned}


def index(standings: Sequence[Standing], rows: Sequence[StudentRow]) -> str:
    """Return the page of the class. It can load nothing and run only its own script."""
    size = n_("{n} student", "{n} students", len(rows)), n_("{n} exercise", "{n} exercises", len(standings))
    page = (
        html.environment(FOLDER)
        .get_template("index.html.jinja")
        .render(
            language=html.language_of_page(),
            policy=html.policy(STYLE, SCRIPT),
            title=_("The class: {students}, {exercises}", students=size[0], exercises=size[1]),
            style=Markup(STYLE),
            script=Markup(SCRIPT),
            standings=standings,
            rows=rows,
            drawn=drawn,
            bars_in_words=bars_in_words,
            override_in_words=override_in_words,
            CLAIMS=CLAIMS,
            width=BAR_WIDTH,
            height=BAR_HEIGHT,
            step=BAR_WIDTH + GAP,
        )
    )
    return disarmed(f"{page}\n")


def drawn(standing: Standing) -> list[tuple[int, int, int]]:
    """Return x, y and height of each bar of a histogram, in pixels. A bar of one student can still be seen."""
    most = max([1, *(bar.students for bar in standing.bars)])
    heights = [0 if not bar.students else max(2, round(BAR_HEIGHT * bar.students / most)) for bar in standing.bars]
    return [(number * (BAR_WIDTH + GAP), BAR_HEIGHT - height, height) for number, height in enumerate(heights)]


def bars_in_words(standing: Standing) -> str:
    """Return a histogram in words, for those who do not see it."""
    told = [
        _("{range}: {students}", range=bar.range_in_words, students=n_("{n} student", "{n} students", bar.students))
        for bar in standing.bars
        if bar.students
    ]
    return _("; ").join(told)


# Everything that a class did at an exercise: points, the claims that fail, and the commonest mistakes with a line that nobody signs


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

    @property
    def range_in_words(self) -> str:
        if self.low == self.high:
            return _("{n:g} points", n=self.low)
        return _("{low:g} to below {high:g} points", low=self.low, high=self.high)


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
