"""The files of a class: the options that name those to read and to write, and the writing."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

import click

from normgrade.classes.collecting import handed_in
from normgrade.classes.gradebook import Gradebook
from normgrade.classes.hand_ins import HandedIn, HandIn
from normgrade.classes.layouts import Contracts
from normgrade.classes.students import read_roster
from normgrade.classes.worksheet import Filled, Wanted, Worksheet, columns_of, filled, read_worksheet
from normgrade.cli.options import F
from normgrade.cli.shell_words import slugs_alike
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import put_in_place, write_or_put
from normgrade.language import _, n_
from normgrade.language.errors import UsageError, did_you_mean, either
from normgrade.language.visible import visible_name

FILLED = ".filled"  # before the suffix of a worksheet that is filled in
FORMATS = ("html", "md")  # of feedback
MOST_NAMES = 30  # names of students in a line


# Hand-ins


def hand_in_options(command: F) -> F:
    """Add the options that say how paths are read: --exercise, --layout and --roster."""
    command = click.option(
        "--roster", "roster_file", type=click.Path(path_type=Path), metavar="FILE", help="CSV file that lists the students."
    )(command)
    layout = 'How the paths name students, such as canvas or "{student}/*/{exercise}.py".'
    command = click.option("--layout", metavar="NAME|PATTERN", help=layout)(command)
    every = "Exercise of all files, if their names do not tell it."
    return click.option("--exercise", "slug", metavar="SLUG", shell_complete=slugs_alike, help=every)(command)


def hand_ins_at(paths: Sequence[Path], course: Course, slug: str | None, layout: str | None, roster_file: Path | None) -> HandedIn:
    """Return the hand-ins under the paths. Raise UsageError if there are none, or if the course has no such exercise."""
    if slug is not None:
        course.exercise(slug)  # raises if there is none

    def contracts() -> Contracts:
        return {exercise.slug: [signature.name for signature in exercise.defines] for exercise in course}

    return handed_in(paths, course.slugs, layout, slug, read_roster(roster_file) if roster_file else None, contracts)


# Files to write


@dataclass(frozen=True, slots=True)
class ClassFiles:
    """The files to write about a class, as far as they are asked for: the sources before it is graded, the others afterwards."""

    sources: Path | None
    worksheet: Worksheet | None
    wanted: Wanted
    feedback: Path | None
    feedback_format: str
    class_page: Path | None

    def refuse_unfit(self, slugs: Iterable[str]) -> None:
        """Raise a UsageError if it is not certain where the marks of these exercises belong in the worksheet."""
        if self.worksheet is not None:
            columns_of(self.worksheet, self.wanted, sorted(slugs))

    def write(self, gradebook: Gradebook, course: Course) -> Iterator[str]:
        """Write the files, and yield what is said of each."""
        if self.worksheet is not None:
            yield from fill_in(self.worksheet, gradebook, self.wanted, None, bom=False)
        if self.feedback is not None:
            yield write_feedback(self.feedback, gradebook, course, self.feedback_format)
        if self.class_page is not None:
            yield write_class_page(self.class_page, gradebook, course)


def class_files_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name files to write about a class. The command gets them as one argument, `files`."""

    @wraps(command)
    def collected(
        *,
        sources: Path | None,
        worksheet_file: Path | None,
        columns: tuple[str, ...],
        total: bool,
        scale: bool,
        feedback: Path | None,
        feedback_format: str,
        class_page: Path | None,
        **rest: Any,
    ) -> Any:
        worksheet = read_worksheet(worksheet_file) if worksheet_file is not None else None
        wanted = Wanted(rest["slug"], total, columns, scale)
        return command(files=ClassFiles(sources, worksheet, wanted, feedback, feedback_format, class_page), **rest)

    folder = click.Path(path_type=Path)
    with_page = click.option("--class-page", type=folder, metavar="DIR", help="Write a page about the class to DIR.")(collected)
    with_feedback = click.option("--feedback", type=folder, metavar="DIR", help="Write a page for each student to DIR.")(
        feedback_format_option("--feedback-format")(with_page)
    )
    with_sources = click.option("--sources", type=folder, metavar="DIR", help="Write the code of all hand-ins to DIR, for JPlag or Dolos.")
    return worksheet_options(with_sources(with_feedback))


def feedback_format_option(name: str) -> Callable[[F], F]:
    """Return a decorator that adds the option for the format of feedback, under this name."""
    return click.option(
        name, "feedback_format", default=FORMATS[0], metavar="|".join(FORMATS), callback=feedback_format_of, help="Format of the feedback."
    )


def feedback_format_of(context: click.Context, option: click.Parameter, value: str) -> str:
    """Return the name of a format of feedback, checked."""
    if value in FORMATS:
        return value
    meant, known = did_you_mean(value, FORMATS), either(FORMATS)
    raise UsageError(_('"{name}" is not a format of feedback.{meant} Use {known}.', name=value, meant=meant, known=known))


def write_sources(folder: Path, hand_ins: Sequence[HandIn]) -> str:
    """Write the code of each hand-in as EXERCISE/STUDENT.py below an empty folder, and return what is said of it."""
    from normgrade.classes.feedback import page_names  # loads NumPy

    names = page_names({each.student for each in hand_ins})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise OSError(errno.ENOTEMPTY, _("it is not empty"))
        for each in hand_ins:
            below = folder / each.exercise
            below.mkdir(exist_ok=True)
            put_in_place(below / f"{names[each.student]}.py", each.content, 0o600)
    except OSError as error:
        said = _('The sources cannot be written to "{path}" ({error}). Choose another folder.', path=folder, error=error.strerror)
        raise UsageError(said) from error
    return n_("{path}: the code of {n} hand-in.", "{path}: the code of {n} hand-ins.", len(hand_ins), path=visible_name(folder))


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


def worksheet_options(command: F) -> F:
    """Add the options --worksheet, --column, --total and --scale."""
    command = click.option("--scale", is_flag=True, help="Convert points to the maximum in the worksheet.")(command)
    command = click.option("--total", is_flag=True, help="Fill in the sum of all exercises.")(command)
    command = click.option(
        "--column", "columns", multiple=True, metavar="[SLUG=]TITLE", help="Column of the worksheet to fill in, for an exercise."
    )(command)
    return click.option(
        "--worksheet",
        "worksheet_file",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Fill the marks into a copy of FILE: Moodle's worksheet, or an export of Canvas's gradebook.",
    )(command)


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
