"""`normgrade verify`: prove the course."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from normgrade.cli.bar import progress
from normgrade.cli.options import (
    DETAILS,
    checks_alike,
    course_option,
    hand_over,
    isolation_option,
    mistakes_alike,
    report_options,
    slugs_alike,
    ways_alike,
    whole_number,
)
from normgrade.cli.output import format_of, refuse_unless_writable
from normgrade.cli.warn import warn_of_folders, warn_of_untranslated
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.grading.grading_options import Options, available
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.language.visible import visible, write_data
from normgrade.learner.workspace import find_course
from normgrade.report.render import Detail
from normgrade.report.render.workflow_commands import add_to_summary, paragraph
from normgrade.report.report import Report
from normgrade.verify.changed import changed

GITHUB = "github"  # the format of proofs in GitHub Actions, beside the file that --output names
UNNAMED = ""  # the value of --changed if it names no commit


@click.command("verify")
@click.argument("slugs", nargs=-1, metavar="[SLUG]…", shell_complete=slugs_alike)
@click.option(
    "--seeds", callback=whole_number(1, 1000), default="1", metavar="N", help="Prove everything on inputs of the seeds 0 to N − 1."
)
@click.option("--mutants", is_flag=True, help="Also prove that every small change of a reference fails, unless mistakes.toml accepts it.")
@click.option(
    "--sample",
    callback=whole_number(1, 1000),
    default="1",
    metavar="N",
    help="Prove only one of every N mutants, diagnoses, nameless wrong answers and shipped numbers, which is faster.",
)
@click.option(
    "--habits",
    is_flag=True,
    help="Also prove that every bad habit that does not depend on an exercise fails, or is left out with a reason.",
)
@click.option("--write", "writes", is_flag=True, help="First compute and write the files that ship with each exercise.")
@click.option(
    "--changed",
    "ref",
    is_flag=False,
    flag_value=UNNAMED,
    metavar="[REF]",
    help="Only the exercises that have changed since the commit REF, by default since the branch left origin/HEAD or main.",
)
@click.option("--mistake", metavar="NAME", shell_complete=mistakes_alike, help="Show the whole report on this wrong answer.")
@click.option("--alternative", metavar="NAME", shell_complete=ways_alike, help="Show the whole report on this right answer.")
@click.option(
    "--only", metavar="TEST", default="", shell_complete=checks_alike, help="Run only this check, or the checks that match a glob."
)
@click.option("--cores", callback=whole_number(1, 256), metavar="N", help="Number of cores to use, all by default.")
@isolation_option
@report_options
@course_option
def verify_command(
    slugs: tuple[str, ...],
    seeds: int,
    mutants: bool,
    sample: int,
    habits: bool,
    writes: bool,
    ref: str | None,
    mistake: str | None,
    alternative: str | None,
    only: str,
    cores: int | None,
    required: str,
    format: str | None,
    output: Path | None,
    detail: str | None,
    course_folder: Path | None,
) -> int:
    """Prove the course.

    References and alternatives must pass, stubs must fail, and every known mistake must fail and be named. If an exercise is not finished,
    the missing parts are listed. --format github annotates each problem where it is mended, and adds to the summary of the step.

    With --mistake, --alternative or --only, single answers of one exercise are shown instead.
    """
    on_github = format == GITHUB
    format = format_of(None if on_github else format, output)  # before anything is graded
    if output is not None:
        refuse_unless_writable(output)
    course, options = find_course(course_folder), Options(required=required, cores=cores or available(), only=only)
    closely = mistake is not None or alternative is not None or bool(only)
    if ref is not None and (slugs or closely):
        said = _("--changed chooses the exercises itself. It cannot be used with SLUG, --mistake, --alternative or --only.")
        raise UsageError(said)
    if closely:
        whole = {"--format github": on_github, "--write": writes, "--mutants": mutants, "--habits": habits, "--sample": sample > 1}
        refuse_for_single_answers(slugs, whole)
        reports = answers_in_detail(course.exercise(slugs[0]), mistake, alternative, range(seeds), options)
        return hand_over(reports, format, output, DETAILS[detail])
    chosen = slugs if ref is None else changed_since(course, ref, on_github)
    if chosen is None:
        return hand_over([], format, output) if output is not None or format != "terminal" else 0
    exercises, reports = prove(course, chosen, range(seeds), options, mutants, habits, sample, writes)
    code = hand_over(reports, format, output, DETAILS[detail])
    if exercises and format == "terminal" and output is None:
        show_tables(exercises, reports, habits)
    if on_github:
        tell_github(reports, course, None if output is None else DETAILS[detail])
    return code


def refuse_for_single_answers(slugs: Sequence[str], options: Mapping[str, bool]) -> None:
    """Raise a UsageError unless one exercise is named, and none of these options is given."""
    if len(dict.fromkeys(slugs)) != 1:
        raise UsageError(_("--mistake, --alternative and --only need exactly one exercise. Pass one SLUG."))
    for option, given in options.items():
        if given:
            said = _("{option} is for whole exercises. It cannot be used with --mistake, --alternative or --only.", option=option)
            raise UsageError(said)


def answers_in_detail(
    exercise: Exercise, mistake: str | None, alternative: str | None, seeds: Sequence[int], options: Options
) -> list[Report]:
    """Return the whole reports on single answers of an exercise."""
    from normgrade.verify.course_answers import close_up  # loads pytest

    warn_of_folders()
    warn_of_untranslated(Course(exercise.course), [exercise])
    with progress(lines=True) as watched:
        return close_up(exercise, mistake, alternative, seeds, replace(options, progress=watched))


def changed_since(course: Course, ref: str, on_github: bool) -> Sequence[str] | None:
    """Return the exercises that have changed since a commit, all of them as (), none as None, and say so."""
    found, said = changed(course, ref)
    click.echo(visible(said), err=True)
    if found == []:
        add_to_summary([paragraph(said)] if on_github else [])
        return None
    return found or ()


def prove(
    course: Course, slugs: Sequence[str], seeds: Sequence[int], options: Options, mutants: bool, habits: bool, sample: int, writes: bool
) -> tuple[Sequence[Exercise], list[Report]]:
    """Prove exercises of a course; if `writes`, first compute and write the files that ship with them.

    Return the exercises that were proved, and the reports on them and on those that cannot be proved yet.
    """
    from normgrade.verify.shipping import write  # loads pytest
    from normgrade.verify.verification import sorted_out, verify  # loads pytest

    exercises, unfinished = sorted_out(course, slugs)
    warn_of_folders()
    warn_of_untranslated(course, exercises)
    with progress(lines=True) as watched:
        watching = replace(options, progress=watched)
        if writes:
            write(exercises, watching)
        return exercises, [*verify(exercises, seeds, watching, mutants, habits, options.cores, sample), *unfinished]


def show_tables(exercises: Sequence[Exercise], reports: Sequence[Report], habits: bool) -> None:
    """Print the table of situations, and that of habits if they were tried."""
    from normgrade.report.render.terminal import open_console  # loads NumPy
    from normgrade.verify.verification import matrix, matrix_of_habits  # loads pytest

    width = open_console().width
    click.echo("\n" + "\n".join(matrix(exercises, width)))
    if habits:
        click.echo("\n" + "\n".join(matrix_of_habits(exercises, reports, width)))


def tell_github(reports: Sequence[Report], course: Course, shown: Detail | None) -> None:
    """Annotate the problems of a course in the log, and add to the summary of the step; first show the reports with this detail."""
    from normgrade.verify.on_github import annotated, summary  # loads NumPy

    if shown is not None:
        hand_over(reports, "terminal", None, shown)
    for line in annotated(reports, course):
        write_data(f"{line}\n")
    add_to_summary(summary(reports))
