"""`normgrade grade`: grade the hand-ins of a class."""

from __future__ import annotations

import errno
import json
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from normgrade.classes.collecting import handed_in
from normgrade.classes.gradebook import Gradebook
from normgrade.classes.hand_ins import HandedIn, HandIn, Mark, Result, origin_of
from normgrade.classes.layouts import Contracts
from normgrade.classes.students import read_roster
from normgrade.cli import BROKEN
from normgrade.cli.bar import progress
from normgrade.cli.check import grading_options
from normgrade.cli.class_files import MOST_NAMES, names_in_words
from normgrade.cli.gradebook import gradebook_option, revealed
from normgrade.cli.options import F, course_option, hand_over, say, slugs_alike, whole_number
from normgrade.cli.output import format_of, refuse_unless_writable
from normgrade.cli.warn import warn_of_folders, without_hindered
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import put_in_place
from normgrade.grading.grading_options import Options, available
from normgrade.language import _, n_
from normgrade.language.errors import UsageError
from normgrade.language.visible import visible, visible_name, write_data
from normgrade.learner.workspace import find_course
from normgrade.report.report import Outcome

if TYPE_CHECKING:
    from normgrade.classes.executors import Choice
    from normgrade.classes.session import Plan, Tally
    from normgrade.report.report import Report

COMMONEST = 3  # mistakes named for each exercise
SUMMARY, LINES = "terminal", "jsonl"  # formats that are written while the class is graded


def hand_in_options(command: F) -> F:
    """Add the options that say how paths are read: --exercise, --layout and --roster."""
    command = click.option(
        "--roster", "roster_file", type=click.Path(path_type=Path), metavar="FILE", help="CSV file that lists the students."
    )(command)
    layout = 'How the paths name students, such as canvas or "{student}/*/{exercise}.py".'
    command = click.option("--layout", metavar="NAME|PATTERN", help=layout)(command)
    every = "Exercise of all files, if their names do not tell it."
    return click.option("--exercise", "slug", metavar="SLUG", shell_complete=slugs_alike, help=every)(command)


@click.command("grade")
@click.argument("paths", nargs=-1, metavar="PATH…", type=click.Path(path_type=Path))
@hand_in_options
@click.option("--dry-run", is_flag=True, help="Only say what would be graded.")
@click.option("--again", is_flag=True, help="Also grade what the gradebook has already.")
@click.option("--cores", callback=whole_number(1, 256), metavar="N", help="Number of cores to use, all by default.")
@click.option("--executor", metavar="MODULE:FUNCTION", default="", help="Grade with the executor that this function returns.")
@click.option("--cluster", metavar="ADDRESS", default="", help="Grade on a cluster of Dask, as in tcp://10.0.0.1:8786.")
@click.option(
    "--format",
    "format",
    metavar="FORMAT",
    help="Write the reports as for `normgrade check`, or with jsonl each one as a line on stdout as soon as it is known.",
)
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the reports to FILE.")
@click.option(
    "--sources", type=click.Path(path_type=Path), metavar="DIR", help="Write the code of all hand-ins to DIR, for JPlag or Dolos."
)
@gradebook_option
@grading_options
@course_option
def grade_command(
    paths: tuple[Path, ...],
    slug: str | None,
    layout: str | None,
    roster_file: Path | None,
    dry_run: bool,
    again: bool,
    cores: int | None,
    executor: str,
    cluster: str,
    format: str | None,
    output: Path | None,
    sources: Path | None,
    gradebook_file: Path,
    seed: int,
    timeout: float | None,
    required: str,
    course_folder: Path | None,
) -> int:
    """Grade the hand-ins of a class.

    PATH is a folder or a zip file: a download from Moodle, Canvas or Gradescope, nbgrader's folder, or one folder or file for each student.
    Each result is kept in the gradebook as soon as it is known. Run again, the command grades only what is new or changed.
    """
    if not paths:
        raise UsageError(_("Nothing to grade: pass the folder or the zip file with the hand-ins, as in `normgrade grade class.zip`."))
    if dry_run and (format or output):
        raise UsageError(_("--dry-run grades nothing, so there are no reports to write: omit --format and --output."))
    format, choice = wanted(format, output), chosen(cores or available(), executor, cluster)
    course = find_course(course_folder)
    found = hand_ins_at(paths, course, slug, layout, roster_file)
    writes = format != SUMMARY or output is not None
    tell = partial(say, to_stderr=writes and output is None)
    tell(*understood(found, dry_run), *left_out_in_words(found, dry_run))
    if sources is not None:
        tell(write_sources(sources, found.hand_ins))
    if dry_run:
        return 0
    warn_of_folders()
    sound = without_hindered([course.exercise(name) for name in dict.fromkeys(each.exercise for each in found.hand_ins)], course_folder)
    options = Options(seed, timeout, required=required, cores=choice.cores)
    with Gradebook.open(gradebook_file, make=True) as gradebook:
        planned = planned_for(found, sound, gradebook, options, again)
        tell(*plan_in_words(planned))
        tally = grade_new(planned, course, sound, gradebook, options, choice, format)
        tell(*tally_in_words(tally), *summary_of(gradebook.marks().values(), [each.slug for each in sound]))
        if writes and format != LINES:
            hand_over(reports_of(found, gradebook, course), format, output)
        tell(_('The marks are in "{path}". `normgrade gradebook export` writes them as CSV.', path=gradebook.path))
    return BROKEN if tally.errors else 0


def chosen(cores: int, executor: str, cluster: str) -> Choice:
    """Return the executor that is chosen. Raise a UsageError if there are two."""
    from normgrade.classes.executors import Choice  # loads pytest

    if executor and cluster:
        raise UsageError(_("--executor and --cluster exclude each other. Pass one of them."))
    return Choice(cores, executor, cluster)


def wanted(format: str | None, output: Path | None) -> str:
    """Return the format in which reports are written. Raise a UsageError if there is none, or if FILE cannot be written."""
    if format == LINES:
        if output is not None:
            raise UsageError(_("--format jsonl writes to stdout. Omit --output, and redirect the output to a file."))
        return LINES
    found = format_of(format, output)
    if output is not None:
        refuse_unless_writable(output)
    return found


def reports_of(found: HandedIn, gradebook: Gradebook, course: Course) -> list[Report]:
    """Return the reports on the hand-ins that count, as far as the course reveals them."""
    students = dict.fromkeys(each.student for each in found.hand_ins)
    marks = {key: mark for student in students for key, mark in gradebook.marks(student).items()}
    results = (marks[key].result for each in found.hand_ins if (key := (each.student, each.exercise)) in marks)
    return [revealed(result, course.exercise(result.exercise)) for result in results if result is not None]


def planned_for(found: HandedIn, sound: Sequence[Exercise], gradebook: Gradebook, options: Options, again: bool) -> Plan:
    """Add the students to the gradebook, and return the plan for the hand-ins at sound exercises."""
    from normgrade.classes.session import plan  # loads pytest

    gradebook.enrol(found.students)
    origins = {exercise.slug: origin_of(exercise, options.seed) for exercise in sound}
    return plan([each for each in found.hand_ins if each.exercise in origins], gradebook, origins, again)


def grade_new(
    planned: Plan, course: Course, sound: Sequence[Exercise], gradebook: Gradebook, options: Options, choice: Choice, format: str
) -> Tally:
    """Grade the planned hand-ins, keep each result, and show the progress."""
    from normgrade.classes.executors import Setup, opened  # loads pytest
    from normgrade.classes.session import Tally, grade_class  # loads pytest
    from normgrade.grading.warming import warm  # loads pytest

    tally, slugs = Tally(len(planned.new)), {each.exercise for each in planned.new}
    if not slugs:
        return tally
    setup = Setup(course.root, tuple(sorted(slugs)), options.seed, options.timeout_s, options.required)
    with progress(lines=True) as watched:
        warm([exercise for exercise in sound if exercise.slug in slugs], replace(options, progress=watched))
        with opened(choice, setup, partial(say, to_stderr=True)) as grade:
            watched(tally.in_words(), 0, tally.total)
            for graded, results in grade_class(planned, gradebook, grade):
                tally.count(graded, results)
                watched(tally.in_words(), tally.done, tally.total)
                if format == LINES:
                    write_data("".join(map(as_line, results)))
    return tally


def as_line(result: Result) -> str:
    """Return a result as a line of JSON: student and attempt, and the fields of the report."""
    who = {"student": result.student, "attempt": result.attempt, "late": result.late}
    return json.dumps(who | json.loads(result.text), allow_nan=False) + "\n"


# Hand-ins


def hand_ins_at(paths: Sequence[Path], course: Course, slug: str | None, layout: str | None, roster_file: Path | None) -> HandedIn:
    """Return the hand-ins under the paths. Raise UsageError if there are none, or if the course has no such exercise."""
    if slug is not None:
        course.exercise(slug)  # raises if there is none

    def contracts() -> Contracts:
        return {exercise.slug: [signature.name for signature in exercise.defines] for exercise in course}

    return handed_in(paths, course.slugs, layout, slug, read_roster(roster_file) if roster_file else None, contracts)


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


# In words


def understood(found: HandedIn, whole: bool) -> Iterator[str]:
    """Yield the lines about the hand-ins that were found. With `whole`, all late ones are named."""
    for name, layout in found.layouts:
        yield visible_name(_("{path}: read as {layout}", path=name, layout=layout))
    by_exercise = Counter(each.exercise for each in found.hand_ins)
    students = len({each.student for each in found.hand_ins})
    yield _(
        "{files}: {students} × {exercises}",
        files=n_("{n} hand-in", "{n} hand-ins", len(found.hand_ins)),
        students=n_("{n} student", "{n} students", students),
        exercises=n_("{n} exercise", "{n} exercises", len(by_exercise)),
    )
    yield "  " + " · ".join(f"{slug} {number}" for slug, number in sorted(by_exercise.items()))
    if late := [_("{student} ({slug})", student=each.student, slug=each.exercise) for each in found.hand_ins if each.late]:
        yield n_("{n} came late: {names}", "{n} came late: {names}", len(late), names=names_in_words(late, whole))


def left_out_in_words(found: HandedIn, whole: bool) -> Iterator[str]:
    """Yield the lines about files that are left out, absent students and those who are not on the roster. With `whole`, none is cut."""
    if found.left_out:
        yield _("Left out:")
        for each in found.left_out if whole else found.left_out[:MOST_NAMES]:
            yield "  " + visible_name(f"{each.origin}: {each.why}")
            yield from ("    " + visible_name(file) for file in each.files if whole)
        if not whole and (more := len(found.left_out) - MOST_NAMES) > 0:
            yield "  " + n_("… and {n} more. --dry-run names all.", "… and {n} more. --dry-run names all.", more)
    if found.absent:
        yield n_(
            "{n} student of the roster handed in nothing to grade: {names}",
            "{n} students of the roster handed in nothing to grade: {names}",
            len(found.absent),
            names=names_in_words(found.absent, whole),
        )
    if found.nameless:
        yield n_(
            "{n} row of the roster has no name, so another cell of it stands for the student.",
            "{n} rows of the roster have no name, so another cell of each stands for the student.",
            found.nameless,
        )
    if found.ungraded:
        yield n_(
            "{n} student handed in nothing to grade: {names}",
            "{n} students handed in nothing to grade: {names}",
            len(found.ungraded),
            names=names_in_words(found.ungraded, whole),
        )
    if found.strangers:
        yield n_(
            "{n} student is not on the roster, and is graded all the same: {names}",
            "{n} students are not on the roster, and are graded all the same: {names}",
            len(found.strangers),
            names=names_in_words(found.strangers, whole),
        )


def plan_in_words(planned: Plan) -> list[str]:
    """Return how much is to be graded, and how many results another version made."""
    said = []
    if planned.kept:
        said.append(
            n_(
                "{n} result is in the gradebook already, {new} are to be graded. Use --again to grade all.",
                "{n} results are in the gradebook already, {new} are to be graded. Use --again to grade all.",
                len(planned.kept),
                new=len(planned.new),
            )
        )
    if planned.older:
        said.append(
            n_(
                "Note: {n} of them was graded by another version of normgrade or its libraries. --again grades it with this one.",
                "Note: {n} of them were graded by another version of normgrade or its libraries. --again grades them with this one.",
                len(planned.older),
            )
        )
    return said


def tally_in_words(tally: Tally) -> list[str]:
    """Return a line with the number of graded files and the rate, and a line for each submission that the grader could not grade."""
    if not tally.total:
        return []
    errors = [
        _("Not graded: {submission}: {error} Run the command again to grade it.", submission=graded.work.name, error=graded.error)
        for graded in tally.errors
    ]
    return [tally.in_words(), *map(visible, errors), ""]


def summary_of(marks: Iterable[Mark], slugs: Sequence[str]) -> Iterator[str]:
    """Yield two lines for each exercise: how many passed and the points, and the commonest mistakes."""
    by_exercise: dict[str, list[Mark]] = {slug: [] for slug in sorted(slugs)}
    for mark in marks:
        if mark.exercise in by_exercise:
            by_exercise[mark.exercise].append(mark)
    for slug, those in by_exercise.items():
        results = [mark.result for mark in those if mark.result is not None]
        if not results:
            continue
        yield _(
            "{slug}: {passed} of {all} passed, {median:g} of {possible} points in the median",
            slug=slug,
            passed=sum(result.outcome is Outcome.PASSED for result in results),
            all=len(results),
            median=statistics.median(mark.points for mark in those),
            possible=results[-1].possible,
        )
        mistakes = Counter(name for result in results for name in result.mistakes)
        if mistakes:
            yield "  " + " · ".join(f"{name} {number}" for name, number in mistakes.most_common(COMMONEST))
