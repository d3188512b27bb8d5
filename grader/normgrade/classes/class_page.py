"""The page of a class: the standing at each exercise, the commonest mistakes, and a table that leads to a page of each student."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from markupsafe import Markup

from normgrade.classes.feedback import override_in_words, told
from normgrade.classes.gradebook import Gradebook, Mark
from normgrade.classes.overview import Standing
from normgrade.classes.own_files import Page
from normgrade.classes.page_names import page_names
from normgrade.language import _, n_
from normgrade.language.visible import disarmed
from normgrade.report.render import html
from normgrade.report.report import Outcome, Report

FOLDER = Path(__file__).parent / "page"
STYLE = html.STYLE + (FOLDER / "class_page.css").read_text(encoding="utf-8")
SCRIPT = (FOLDER / "class_page.js").read_text(encoding="utf-8")
INDEX = "index.html"
STUDENTS = "students"  # the folder with their pages
CLAIMS = 8  # that fail, shown at once
BAR_WIDTH, GAP, BAR_HEIGHT = 14, 2, 36  # pixels


@dataclass(frozen=True, slots=True)
class Cell:
    """A mark of a student.

    points: those that count.
    outcome: how the grading ended.
    set_by_person: the sentence about a mark set by hand; "" for another.
    late: true if it came late.
    was: the points of the same file before its last grading, if that changed them.
    """

    points: float
    outcome: Outcome
    set_by_person: str
    late: bool
    was: int | None


@dataclass(frozen=True, slots=True)
class StudentRow:
    """A student: the address of the page, a cell for each exercise, None without a mark, and the sum of the points."""

    student: str
    address: str
    cells: tuple[Cell | None, ...]
    total: float


@dataclass(frozen=True, slots=True)
class Drawn:
    """A bar of a histogram, in pixels."""

    x: int
    y: int
    height: int


def class_pages(gradebook: Gradebook, slugs: Sequence[str]) -> Iterator[Page]:
    """Yield a page for each student, and at the end the page of the class. Only the reports of one student are held at a time."""
    standings = {slug: Standing(slug) for slug in slugs}
    students, rows = gradebook.students(), list[StudentRow]()
    for student, name in page_names(students).items():
        marks = [mark for mark in gradebook.marks(student).values() if mark.exercise in standings]
        said = told(student, marks, None)
        count(standings, marks, said.reports, students[student])
        path = PurePosixPath(STUDENTS, f"{name}.html")
        yield Page(path, html.render_html(said.reports, html.Head(student, said.sentences or nothing(marks), f"../{INDEX}")))
        cells = {mark.exercise: cell_of(mark, gradebook) for mark in marks}
        total = sum(mark.points for mark in marks)
        rows.append(StudentRow(student, quote(str(path)), tuple(map(cells.get, slugs)), total))
    yield Page(PurePosixPath(INDEX), index([*standings.values()], rows))


def nothing(marks: Sequence[Mark]) -> tuple[str, ...]:
    """Return what the page of a student without any mark says."""
    return () if marks else (_("Nothing was handed in."),)


def count(standings: dict[str, Standing], marks: Sequence[Mark], reports: Sequence[Report], id: str) -> None:
    """Add the marks of a student to the standings. The reports are those of the marks with a result, in the same order."""
    rest = iter(reports)
    for mark in marks:
        standings[mark.exercise].add(mark, next(rest) if mark.result is not None else None, id)


def cell_of(mark: Mark, gradebook: Gradebook) -> Cell:
    if mark.result is None:
        return Cell(mark.points, Outcome.SKIPPED, override_in_words(mark), mark.late, None)
    was = gradebook.former_points(mark.result)
    changed = was if was != mark.result.earned else None
    return Cell(mark.points, mark.result.outcome, override_in_words(mark), mark.late, changed)


def index(standings: Sequence[Standing], rows: Sequence[StudentRow]) -> str:
    """Return the page of the class. It can load nothing and run only its own script."""
    size = n_("{n} student", "{n} students", len(rows)), n_("{n} exercise", "{n} exercises", len(standings))
    page = (
        html.environment_with(FOLDER)
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
            CLAIMS=CLAIMS,
            width=BAR_WIDTH,
            height=BAR_HEIGHT,
            step=BAR_WIDTH + GAP,
        )
    )
    return disarmed(f"{page}\n")


def drawn(standing: Standing) -> list[Drawn]:
    """Return the bars of a histogram. A bar of one student can still be seen."""
    most = max([1, *(bar.students for bar in standing.bars)])
    heights = [0 if not bar.students else max(2, round(BAR_HEIGHT * bar.students / most)) for bar in standing.bars]
    return [Drawn(number * (BAR_WIDTH + GAP), BAR_HEIGHT - height, height) for number, height in enumerate(heights)]


def bars_in_words(standing: Standing) -> str:
    """Return a histogram in words, for those who do not see it."""
    told = [
        _("{range}: {students}", range=range_in_words(bar.low, bar.high), students=n_("{n} student", "{n} students", bar.students))
        for bar in standing.bars
        if bar.students
    ]
    return _("; ").join(told)


def range_in_words(low: float, high: float) -> str:
    return _("{n:g} points", n=low) if low == high else _("{low:g} to below {high:g} points", low=low, high=high)
