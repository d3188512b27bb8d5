"""`normgrade gradebook`: read, write out and change the marks of a class."""

from __future__ import annotations

import getpass
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from normgrade.classes import csv_files
from normgrade.classes.gradebook import Gradebook
from normgrade.classes.hand_ins import Mark, Override, Result
from normgrade.classes.worksheet import Wanted, read_worksheet
from normgrade.cli import Commands
from normgrade.cli.class_files import (
    fill_in,
    hand_over_bytes,
    write_class_page,
    write_feedback,
)
from normgrade.cli.options import DETAILS, F, choice, course_option, hand_over, say
from normgrade.course.exercise import Exercise
from normgrade.language import N_, _, n_
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.language.visible import visible_name, write_data
from normgrade.learner.workspace import find_course
from normgrade.report.report import Report, reveal

MOST_POINTS = 10**6
FORMATS = ("html", "md")  # of feedback
known_format = choice(FORMATS, N_('"{name}" is not a format of feedback.{meant} Use {known}.'))
BOM = "\ufeff"  # Excel reads a file that begins with it as UTF-8


def gradebook_option(command: F) -> F:
    """Add the option --gradebook."""
    return click.option(
        "--gradebook",
        "gradebook_file",
        type=click.Path(path_type=Path),
        default=Path("gradebook.db"),
        metavar="FILE",
        help="File of the gradebook, gradebook.db by default.",
    )(command)


@click.group("gradebook", cls=Commands, invoke_without_command=True)
@click.pass_context
def gradebook_command(context: click.Context) -> None:
    """Read, write out and change the marks of a class.

    `normgrade grade` fills the gradebook, a file with every result and every mark that a person set.
    """
    if context.invoked_subcommand is None:
        raise UsageError(_("`normgrade gradebook` needs a command: {known}.", known=", ".join(gradebook_command.commands)))


@gradebook_command.command("show")
@click.argument("student", required=False, metavar="[STUDENT]")
@click.argument("slug", required=False, metavar="[SLUG]")
@click.option("--format", "format", metavar="FORMAT", default="terminal", help="Format of the report, as for `normgrade check`.")
@gradebook_option
def show_command(student: str | None, slug: str | None, format: str, gradebook_file: Path) -> int:
    """Show all marks, all results of a student, or the whole report at one exercise."""
    with Gradebook.open(gradebook_file) as gradebook:
        if student is None:
            say(*marks_in_words(gradebook.students(), gradebook.marks()))
            return 0
        student = known_as(student, gradebook)
        if slug is None:
            say(visible_name(student), *map(result_in_words, gradebook.results(student)), *overrides_in_words(student, gradebook))
            return 0
        hand_over([report_of(mark_of(student, slug, gradebook))], format, None, DETAILS["verbose"])
        return 0


@gradebook_command.command("export")
@click.option("--format", "format", type=str, default="csv", metavar="csv|canvas", help="csv by default; canvas is for its gradebook.")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the marks to FILE.")
@click.option("--title", "titles", multiple=True, metavar="SLUG=TITLE", help="Title of an exercise's assignment in Canvas.")
@click.option("--anonymous", is_flag=True, help="Write numbers in place of names and ids.")
@click.option("--bom", is_flag=True, help="Begin the file with a byte order mark, for Excel.")
@click.option(
    "--worksheet",
    "worksheet_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Fill the marks into a copy of FILE: Moodle's worksheet, or an export of Canvas's gradebook.",
)
@click.option("--column", "columns", multiple=True, metavar="[SLUG=]TITLE", help="Column of the worksheet to fill in, for an exercise.")
@click.option("--total", is_flag=True, help="Fill in the sum of all exercises.")
@click.option("--scale", is_flag=True, help="Convert points to the maximum in the worksheet.")
@click.option("--exercise", "slug", metavar="SLUG", help="Exercise whose marks the worksheet gets.")
@gradebook_option
def export_command(
    format: str,
    output: Path | None,
    titles: tuple[str, ...],
    anonymous: bool,
    bom: bool,
    worksheet_file: Path | None,
    columns: tuple[str, ...],
    total: bool,
    scale: bool,
    slug: str | None,
    gradebook_file: Path,
) -> int:
    """Write the marks as CSV, or fill them into a worksheet that was downloaded."""
    wanted = Wanted(slug, total, columns, scale)
    if worksheet_file is None and wanted != Wanted():
        raise UsageError(_("--exercise, --column, --total and --scale are for --worksheet FILE: name the file to fill in."))
    if worksheet_file is not None and (anonymous or titles or format != "csv"):
        raise UsageError(_("--worksheet keeps the form of its file: omit --format, --title and --anonymous."))
    with Gradebook.open(gradebook_file) as gradebook:
        if worksheet_file is not None:
            say(*fill_in(read_worksheet(worksheet_file), gradebook, wanted, output, bom))
            return 0
        students: Mapping[str, str] = gradebook.students()
        marks: csv_files.Marks = gradebook.marks()
    if anonymous:
        students, marks = csv_files.anonymous(students, marks)
    slugs = sorted({slug for _student, slug in marks})
    if format == "csv":
        text = csv_files.plain_csv(students, marks, slugs)
    elif format == "canvas":
        text = csv_files.canvas_csv(students, marks, titles_of(titles, slugs))
    else:
        raise UsageError(_('"{name}" is not a format of marks. Use csv or canvas.', name=format))
    hand_over_text((BOM if bom else "") + text, output)
    return 0


@gradebook_command.command("feedback")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--format", "format", default=FORMATS[0], metavar="|".join(FORMATS), callback=known_format, help="Format of the feedback.")
@gradebook_option
@course_option
def feedback_command(folder: Path, format: str, gradebook_file: Path, course_folder: Path | None) -> int:
    """Write a page for each student, with as much as the course reveals.

    Students whose hand-ins came from Moodle have a folder, so that DIR as a zip file can be uploaded there.
    """
    with Gradebook.open(gradebook_file) as gradebook:
        say(write_feedback(folder, gradebook, find_course(course_folder), format))
    return 0


@gradebook_command.command("page")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@gradebook_option
@course_option
def page_command(folder: Path, gradebook_file: Path, course_folder: Path | None) -> int:
    """Write a page about the class: points, mistakes, claims, and a page for each student.

    It is for teachers: it shows all names, and everything that was found.
    """
    with Gradebook.open(gradebook_file) as gradebook:
        say(write_class_page(folder, gradebook, find_course(course_folder)))
    return 0


@gradebook_command.command("override")
@click.argument("student", metavar="STUDENT")
@click.argument("slug", metavar="SLUG")
@click.argument("points", metavar="POINTS|none")
@click.option("--why", required=True, metavar="TEXT", help="Reason for the mark.")
@click.option("--who", default=None, metavar="NAME", help="Name of the person who sets it, by default yours.")
@gradebook_option
def override_command(student: str, slug: str, points: str, why: str, who: str | None, gradebook_file: Path) -> int:
    """Set a mark by hand. It counts whatever is graded later, until it is set to `none`."""
    value = points_from(points)
    with Gradebook.open(gradebook_file, make=gradebook_file.is_file()) as gradebook:
        student = known_as(student, gradebook)
        marks = gradebook.marks()
        mark, known = marks.get((student, slug), Mark(student, slug, None)), {slug for _student, slug in marks}
        if slug not in known:
            raise UsageError(_('No exercise "{slug}" is in the gradebook.{meant}', slug=slug, meant=did_you_mean(slug, known)))
        was = mark.points if mark.result is not None or mark.override is not None else None
        gradebook.override(Override(student, slug, value, was, who or getpass.getuser(), why, datetime.now(UTC)))
        now = gradebook.marks(student).get((student, slug))
    say(
        _(
            "{student}, {slug}: {now} points count, not {was}.",
            student=visible_name(student),
            slug=slug,
            now=_("no") if now is None else f"{now.points:g}",
            was=_("none") if was is None else f"{was:g}",
        )
    )
    return 0


@gradebook_command.command("forget")
@click.argument("student", metavar="STUDENT")
@gradebook_option
def forget_command(student: str, gradebook_file: Path) -> int:
    """Delete everything about a student from the gradebook."""
    with Gradebook.open(gradebook_file, make=gradebook_file.is_file()) as gradebook:
        student = known_as(student, gradebook)
        deleted = gradebook.forget(student)
    say(n_("{student}: {n} result is deleted.", "{student}: {n} results are deleted.", deleted, student=visible_name(student)))
    return 0


# Parts of the commands


def marks_in_words(students: Mapping[str, str], marks: Mapping[tuple[str, str], Mark]) -> Iterator[str]:
    """Yield a line for each student with the points of each exercise; a star marks those that a person set."""
    slugs = sorted({slug for _student, slug in marks})
    for student in students:
        found = [(slug, marks[student, slug]) for slug in slugs if (student, slug) in marks]
        told = ", ".join(f"{slug} {mark.points:g}{'*' if mark.override else ''}{late_in_words(mark.late)}" for slug, mark in found)
        yield f"{visible_name(student)}: {told or _('nothing')}"
    if any(mark.override for mark in marks.values()):
        yield _("* set by a person")


def late_in_words(late: bool) -> str:
    return f" ({_('late')})" if late else ""


def result_in_words(result: Result) -> str:
    """Return a line about one result."""
    return _(
        "{slug}, attempt {attempt}, graded on {day}: {earned} of {possible} points, {outcome} {mistakes}",
        slug=result.exercise,
        attempt=f"{result.attempt}{late_in_words(result.late)}",
        day=f"{result.at:%Y-%m-%d %H:%M}",
        earned=result.earned,
        possible=result.possible,
        outcome=_(result.outcome),
        mistakes=", ".join(result.mistakes),
    ).rstrip()


def known_as(student: str, gradebook: Gradebook) -> str:
    """Return the student with this name, or with this id if it is only one's. Raise a UsageError if there is none."""
    if student not in (known := gradebook.students()):
        with_id = [name for name, id in known.items() if student == id]
        if len(with_id) == 1:
            return with_id[0]
        raise UsageError(
            _(
                'No student "{student}" is in the gradebook.{meant} Run `normgrade gradebook show` to see all.',
                student=visible_name(student),
                meant=did_you_mean(student, known),
            )
        )
    return student


def mark_of(student: str, slug: str, gradebook: Gradebook) -> Result:
    """Return the result that counts. Raise a UsageError if there is none."""
    mark = gradebook.marks(student).get((student, slug))
    if mark is None or mark.result is None:
        raise UsageError(_('{student} has no result at "{slug}".', student=visible_name(student), slug=slug))
    return mark.result


def report_of(result: Result) -> Report:
    """Return the report of a result, under the name of its file."""
    return replace(result.as_report, submission=result.origin)


def revealed(result: Result, exercise: Exercise) -> Report:
    """Return the report of a result, as far as the course reveals it."""
    return reveal(report_of(result), exercise.reveal)


def overrides_in_words(student: str, gradebook: Gradebook) -> Iterator[str]:
    """Yield a line for each mark of a student that a person set."""
    for override in gradebook.overrides():
        if override.student == student:
            yield _(
                "{slug}: set to {points} (was {was}) by {who} on {day}: {why}",
                slug=override.exercise,
                points=_("none") if override.points is None else f"{override.points:g}",
                was=_("none") if override.was is None else f"{override.was:g}",
                who=visible_name(override.who),
                day=f"{override.at:%Y-%m-%d}",
                why=visible_name(override.why),
            )


def points_from(text: str) -> float | None:
    """Return the points in an argument; None for "none"."""
    if text == "none":
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0 <= value <= MOST_POINTS:
        return value
    raise UsageError(_('"{text}" is not a number of points. Use a number from 0 on, or none.', text=text))


def titles_of(given: tuple[str, ...], slugs: list[str]) -> Mapping[str, str]:
    """Return the titles of the assignments by slug. Raise a UsageError for an unknown slug, or if there is none."""
    titles = {}
    for each in given:
        slug, equals, title = each.partition("=")
        if not equals or slug not in slugs:
            known = ", ".join(slugs)
            raise UsageError(_('"{text}" is not SLUG=TITLE with one of these exercises: {known}.', text=each, known=known))
        titles[slug] = title
    if not titles:
        raise UsageError(
            _(
                "Canvas makes a new assignment for every unknown title, so the titles must be given. "
                'Use --title SLUG="TITLE", with the title as in a gradebook that Canvas exported: "Layer norm (4711)".'
            )
        )
    return titles


def hand_over_text(text: str, output: Path | None) -> None:
    """Write a text to a file in one step, or to stdout."""
    if output is None:
        write_data(text)
        return
    hand_over_bytes(text.encode(), output)
