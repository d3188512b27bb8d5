"""`normgrade grade`: grade the hand-ins of a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from normgrade.classes.collecting import handed_in
from normgrade.classes.gradebook import Gradebook, Origin
from normgrade.classes.hand_ins import HandedIn
from normgrade.classes.roster import read_roster
from normgrade.cli.bar import progress
from normgrade.cli.check import grading_options
from normgrade.cli.class_files import ClassFiles, class_files_options
from normgrade.cli.class_words import left_out_in_words, summary_of, understood
from normgrade.cli.gradebook import gradebook_option
from normgrade.cli.options import course_option, say, whole_number
from normgrade.cli.shell_words import slugs_alike
from normgrade.cli.warn import warn_of_folders, without_hindered
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.grading.grading_options import Options, available
from normgrade.language import _, n_
from normgrade.language.errors import UsageError
from normgrade.language.visible import visible
from normgrade.learner.workspace import find_course

if TYPE_CHECKING:
    from normgrade.classes.session import Plan, Tally

BROKE = 3  # the exit code if the grader could not tell of some


@click.command("grade")
@click.argument("paths", nargs=-1, metavar="PATH…", type=click.Path(path_type=Path))
@click.option(
    "--exercise", "slug", metavar="SLUG", shell_complete=slugs_alike, help="Exercise of all files, if their names do not tell it."
)
@click.option("--layout", metavar="NAME|PATTERN", help='How the paths name students, such as canvas or "{student}/*/{exercise}.py".')
@click.option("--roster", "roster_file", type=click.Path(path_type=Path), metavar="FILE", help="CSV file that lists the students.")
@click.option("--dry-run", is_flag=True, help="Only say what would be graded.")
@click.option("--again", is_flag=True, help="Also grade what the gradebook has already.")
@click.option("--cores", callback=whole_number(1, 256), metavar="N", help="Number of cores to use, all by default.")
@class_files_options
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
    gradebook_file: Path,
    seed: int,
    timeout: float | None,
    required: str,
    course_folder: Path | None,
    files: ClassFiles,
) -> int:
    """Grade the hand-ins of a class.

    PATH is a folder or a zip file: a download from Moodle, Canvas or Gradescope, nbgrader's folder, or one folder or file for each student.
    Each result is kept in the gradebook as soon as it is known. Run again, the command grades only what is new or changed.
    """
    if not paths:
        raise UsageError(_("Nothing to grade: pass the folder or the zip file with the hand-ins, as in `normgrade grade class.zip`."))
    course = find_course(course_folder)
    if slug is not None:
        course.exercise(slug)  # raises if there is none
    found = handed_in(paths, course.slugs, layout, slug, read_roster(roster_file) if roster_file else None)
    say(*understood(found), *left_out_in_words(found))
    if dry_run:
        return 0
    warn_of_folders()
    sound = without_hindered([course.exercise(name) for name in dict.fromkeys(each.exercise for each in found.hand_ins)], course_folder)
    options = Options(seed, timeout, required=required, cores=cores or available())
    with Gradebook.open(gradebook_file, make=True) as gradebook:
        files.refuse_unfit({*gradebook.exercises(), *(exercise.slug for exercise in sound)})
        code = grade_and_tell(found, course, sound, gradebook, options, again)
        say(*files.write(gradebook, course))
    return code


def grade_and_tell(found: HandedIn, course: Course, sound: Sequence[Exercise], gradebook: Gradebook, options: Options, again: bool) -> int:
    """Grade the hand-ins at sound exercises, keep each result, and print a summary. Return the exit code."""
    from normgrade.classes.origins import origin_of  # loads NumPy
    from normgrade.classes.session import enrol, plan  # loads pytest

    origins = {exercise.slug: origin_of(exercise, options.seed) for exercise in sound}
    enrol(found, gradebook)
    planned = plan([each for each in found.hand_ins if each.exercise in origins], gradebook, origins, again)
    tell_plan(planned)
    with progress() as watched:
        tally = grade_new(planned, course, sound, gradebook, replace(options, progress=watched), origins)
    say(*tally_in_words(tally), "", *summary_of(gradebook.marks().values(), [each.slug for each in sound]))
    say(_('The marks are in "{path}". `normgrade gradebook export` writes them as CSV.', path=gradebook.path))
    return BROKE if tally.errors else 0


def grade_new(
    planned: Plan, course: Course, sound: Sequence[Exercise], gradebook: Gradebook, options: Options, origins: Mapping[str, Origin]
) -> Tally:
    """Grade what is new, and show how far it is."""
    from normgrade.classes.pool import Setup  # loads pytest
    from normgrade.classes.session import Tally, grade_class  # loads pytest
    from normgrade.grading.warming import warm  # loads pytest

    tally = Tally(len(planned.new))
    slugs = {each.exercise for each in planned.new}
    needed = [exercise for exercise in sound if exercise.slug in slugs]
    if not needed:
        return tally
    warm(needed, options)
    setup = Setup(course.root, tuple(sorted(slugs)), options.seed, options.timeout_s, options.required)
    options.progress(tally.in_words(), 0, tally.total)
    for graded, results in grade_class(planned.new, gradebook, origins, setup, options.cores):
        tally.count(graded, results)
        options.progress(tally.in_words(), tally.done, tally.total)
    return tally


def tell_plan(planned: Plan) -> None:
    """Say how much is to be graded, and which results another version made."""
    if planned.kept:
        say(
            n_(
                "{n} result is in the gradebook already, {new} are to be graded. Use --again to grade all.",
                "{n} results are in the gradebook already, {new} are to be graded. Use --again to grade all.",
                len(planned.kept),
                new=len(planned.new),
            )
        )
    if planned.older:
        said = n_(
            "Note: {n} of them was graded by another version of normgrade or its libraries. --again grades it with this one.",
            "Note: {n} of them were graded by another version of normgrade or its libraries. --again grades them with this one.",
            len(planned.older),
        )
        click.echo(visible(said), err=True)


def tally_in_words(tally: Tally) -> list[str]:
    """Return a line with the number of graded files and the rate, and a line for each submission that the grader could not grade."""
    if not tally.total:
        return []
    errors = [
        _("Not graded: {submission}: {error} Run the command again to grade it.", submission=graded.work.name, error=graded.error)
        for graded in tally.errors
    ]
    return [tally.in_words(), *map(visible, errors)]
