"""Marks as CSV: for spreadsheets, and for the gradebook of Canvas."""

from __future__ import annotations

import csv
import io
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from normgrade.classes.gradebook import Mark

Marks = Mapping[tuple[str, str], Mark]
FORMULA = re.compile(r"(^|[;,\t\r\n])(?=\s*[=+\-@＝＋－＠])|^(?=[\t\r\n])")  # where a spreadsheet would begin to compute, or to separate


def plain_csv(students: Mapping[str, str], marks: Marks, slugs: Sequence[str]) -> str:
    """Return a row for each student: name, id, the points of each exercise, their sum, the possible points, and the share in percent.

    An exercise without a mark is an empty cell, and counts as no points. The last cell names the exercises that came late.
    """
    possible = possible_points(marks, slugs)
    whole = sum(possible.values())

    def rows() -> Iterator[Sequence[object]]:
        yield ["student", "id", *slugs, "total", "possible", "percent", "late"]
        for student, id in students.items():
            points = points_of(student, marks, slugs)
            total = sum(each for each in points if each is not None)
            share = round(100 * total / whole, 2) if whole else 0
            late = " ".join(slug for slug in slugs if (mark := marks.get((student, slug))) and mark.late)
            yield [student, id, *map(cell, points), cell(total), whole, cell(share), late]

    return written(rows())


def canvas_csv(students: Mapping[str, str], marks: Marks, titles: Mapping[str, str]) -> str:
    """Return the marks as Canvas imports them. `titles` are those of its assignments, by slug: Canvas makes new ones for unknown titles."""
    slugs = [*titles]
    possible = possible_points(marks, slugs)

    def rows() -> Iterator[Sequence[object]]:
        yield ["Student", "ID", "SIS Login ID", "Section", *titles.values()]
        yield ["    Points Possible", "", "", "", *(possible[slug] for slug in slugs)]
        for student, id in students.items():
            yield [student, id, "", "", *map(cell, points_of(student, marks, slugs))]

    return written(rows())


def possible_points(marks: Marks, slugs: Sequence[str]) -> dict[str, int]:
    """Return the possible points of each exercise, as the last result has them; 0 without any result."""
    found = dict.fromkeys(slugs, 0)
    for mark in marks.values():
        if mark.result is not None and mark.exercise in found:
            found[mark.exercise] = max(found[mark.exercise], mark.result.possible)
    return found


def points_of(student: str, marks: Marks, slugs: Sequence[str]) -> list[float | None]:
    """Return the points of a student at each exercise; None without a mark."""
    found = (marks.get((student, slug)) for slug in slugs)
    return [None if mark is None else mark.points for mark in found]


def cell(value: float | None) -> object:
    """Return a number without needless decimals; an empty text for none."""
    return "" if value is None else int(value) if value == int(value) else value


def written(rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV, with quoted texts. An apostrophe stands before all that a spreadsheet would compute."""
    held = io.StringIO()
    csv.writer(held, lineterminator="\r\n", quoting=csv.QUOTE_NONNUMERIC).writerows([*map(defused, row)] for row in rows)
    return held.getvalue()


def defused(value: object) -> object:
    """Return a text that no spreadsheet takes for a formula, whatever separates its cells; another value as it is."""
    return FORMULA.sub(lambda found: f"{found[1] or ''}'", value) if isinstance(value, str) else value


def anonymous(students: Mapping[str, str], marks: Marks) -> tuple[Mapping[str, str], Marks]:
    """Return students and marks with numbers in place of names and ids, in an order that tells nothing."""
    shuffled = [*students]
    secrets.SystemRandom().shuffle(shuffled)
    called = {student: f"{number:0{len(str(len(shuffled)))}d}" for number, student in enumerate(shuffled, 1)}
    hidden = {
        (called[student], slug): replace(mark, student=called[student]) for (student, slug), mark in marks.items() if student in called
    }
    return dict.fromkeys(called.values(), ""), hidden
