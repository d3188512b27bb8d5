"""The files that are written from a gradebook: feedback, the page of the class, and worksheets with marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from normgrade.classes.gradebook import Gradebook
from normgrade.classes.worksheet import Filled, Wanted, Worksheet, filled
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import write_or_put
from normgrade.language import _, n_
from normgrade.language.errors import UsageError
from normgrade.language.visible import visible_name

FILLED = ".filled"  # before the suffix of a worksheet that is filled in
MOST_NAMES = 30  # of students in a line, or of files below each other


def write_feedback(folder: Path, gradebook: Gradebook, course: Course, format: str) -> str:
    """Write a page for each student, and return what is said of it."""
    from normgrade.classes.feedback import feedback_pages, write_pages  # loads NumPy

    levels = {exercise.slug: exercise.reveal for exercise in exercises_in(course, gradebook)}
    if unknown := sorted(gradebook.exercises() - levels.keys()):
        raise UsageError(
            _(
                "The course does not say how much to reveal of {slugs}, because it has no such exercise. Use --course DIR to name the "
                "course of this class.",
                slugs=", ".join(unknown),
            )
        )
    number = write_pages(folder, feedback_pages(gradebook, levels, format))
    return n_("{path}: {n} page of feedback.", "{path}: {n} pages of feedback.", number, path=visible_name(folder))


def write_class_page(folder: Path, gradebook: Gradebook, course: Course) -> str:
    """Write the page of the class with a page for each student, and return what is said of it."""
    from normgrade.classes.class_page import INDEX, class_pages  # loads NumPy
    from normgrade.classes.feedback import write_pages  # loads NumPy

    known = [exercise.slug for exercise in exercises_in(course, gradebook)]
    slugs = [*known, *sorted(gradebook.exercises() - {*known})]
    write_pages(folder, class_pages(gradebook, slugs))
    students, path = len(gradebook.students()), visible_name(folder / INDEX)
    return n_("{path}: the class, with a page of {n} student.", "{path}: the class, with pages of {n} students.", students, path=path)


def exercises_in(course: Course, gradebook: Gradebook) -> list[Exercise]:
    """Return the exercises of the course that have a mark, in the order for learners."""
    marked = gradebook.exercises()
    return [exercise for exercise in course if exercise.slug in marked]


def fill_in(worksheet: Worksheet, gradebook: Gradebook, wanted: Wanted, output: Path | None, bom: bool) -> Iterator[str]:
    """Write the worksheet with the marks of a gradebook, and yield what is said of it."""
    found = filled(worksheet, gradebook.students(), gradebook.marks(), wanted)
    path = worksheet.table.path
    target = output or path.with_name(f"{path.stem}{FILLED}{path.suffix}")
    hand_over_bytes(found.table.as_bytes(bom), target)
    yield from filled_in_words(found, target)


def filled_in_words(found: Filled, target: Path) -> Iterator[str]:
    """Yield how many students are filled in, and who is not."""
    yield n_("{path}: the marks of {n} student.", "{path}: the marks of {n} students.", found.students, path=visible_name(target))
    if found.without_row:
        yield n_(
            "{n} student with a mark has no row: {names}",
            "{n} students with a mark have no row: {names}",
            len(found.without_row),
            names=names_in_words(found.without_row),
        )
    if found.without_mark:
        yield n_(
            "{n} row without a mark stays as it was: {names}",
            "{n} rows without a mark stay as they were: {names}",
            len(found.without_mark),
            names=names_in_words(found.without_mark),
        )
    if found.without_column:
        yield _("Without a column: {slugs}", slugs=", ".join(found.without_column))


def names_in_words(names: Sequence[str], whole: bool = False) -> str:
    """Return the first names in a line, or with `whole` all. A name with a comma is quoted."""
    shown = [f'"{name}"' if "," in name else name for name in map(visible_name, names)]
    return ", ".join(shown if whole or len(shown) <= MOST_NAMES else [*shown[:MOST_NAMES], "…"])


def hand_over_bytes(content: bytes, output: Path) -> None:
    """Write marks to a file in one step, which only its owner may read, or to a device."""
    try:
        write_or_put(output, content, 0o600)
    except OSError as error:
        raise UsageError(
            _(
                'The marks cannot be written to "{path}" ({error}). Use --output FILE to choose another file.',
                path=output,
                error=error.strerror,
            )
        ) from error
