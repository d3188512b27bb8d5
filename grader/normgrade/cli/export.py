"""`normgrade export`: write the files with which another system grades exercises."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import click

from normgrade.classes.systems import FIRST_LINE, MADE_BY, WORKFLOW, autograder, comment_of, workflow
from normgrade.cli.bar import progress
from normgrade.cli.check import grading_options
from normgrade.cli.options import choice, course_option, one_of, say, slugs_alike
from normgrade.cli.output import refuse_unless_writable, unwritable, write_output
from normgrade.cli.warn import warn_of_folders
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_start
from normgrade.course.workflows import workflow_named
from normgrade.grading.grading_options import Options, available
from normgrade.language import N_, _
from normgrade.language.errors import UsageError
from normgrade.language.visible import visible_name
from normgrade.learner.workspace import find_course

USUAL: Mapping[str, str] = MappingProxyType({"gradescope": "autograder.zip", "github": "."})  # system → where its files are written
ADDRESS = re.compile(r"https?://[^\s\"'<>\\^`{|}]+")


def index_of(context: click.Context, option: click.Parameter, value: str) -> str:
    """Return the address of a package index; "" if none is given."""
    if not value or ADDRESS.fullmatch(value):
        return value
    raise UsageError(_('"{value}" is not the address of a package index. --index must begin with https://.', value=value))


@click.command("export")
@click.argument(
    "system",
    metavar="|".join(USUAL),
    shell_complete=one_of(USUAL),
    callback=choice([*USUAL], N_('No system named "{name}".{meant} Use {known}.')),
)
@click.argument("slugs", nargs=-1, required=True, metavar="SLUG…", shell_complete=slugs_alike)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="File or folder to write, by default autograder.zip or this folder.",
)
@click.option("--index", callback=index_of, default="", metavar="URL", help="Package index with CPU builds of PyTorch, for the system.")
@grading_options
@course_option
def export_command(
    system: str,
    slugs: tuple[str, ...],
    output: Path | None,
    index: str,
    seed: int,
    timeout: float | None,
    required: str,
    course_folder: Path | None,
) -> int:
    """Write the files with which another system grades exercises.

    `gradescope` is a zip for "Configure Autograder": normgrade, the course, and its expectations, computed now. `github` is a workflow for
    the repositories of learners.
    """
    course = find_course(course_folder)
    exercises = [course.exercise(slug) for slug in dict.fromkeys(slugs)]
    target = Path(USUAL[system]) if output is None else output
    options = Options(seed, timeout, required=required, cores=available())
    if system == "github":
        return write_workflow(target, exercises, options, index)
    return write_autograder(target, course, exercises, options, index)


def write_autograder(path: Path, course: Course, exercises: list[Exercise], options: Options, index: str) -> int:
    """Write the package for Gradescope."""

    def why_not(path: Path) -> str:
        return "" if comment_of(path).startswith(MADE_BY) else not_ours()

    refuse_unless_writable(path, why_not)
    warn_of_folders()
    with progress() as watched:
        content = autograder(course, exercises, replace(options, progress=watched), index)
    write_output(path, content, why_not)
    say(_("Wrote {path}. Upload it to Gradescope under Configure Autograder.", path=visible_name(path)))
    return 0


def write_workflow(folder: Path, exercises: list[Exercise], options: Options, index: str) -> int:
    """Write the workflow for GitHub into the folder of a repository."""
    path = workflow_named(WORKFLOW, folder)
    for exercise in exercises:
        refuse_other_course(exercise)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path, error.strerror) from error
    write_output(path, workflow(exercises, options, index).encode(), lambda path: "" if starts_with(path, FIRST_LINE) else not_ours())
    say(_("Wrote {path}. Commit it to the template of your learners' repositories.", path=visible_name(path)))
    return 0


def not_ours() -> str:
    """Return why a file is kept that this command did not write."""
    return _("the existing file was not written by this command")


def refuse_other_course(exercise: Exercise) -> None:
    """Raise a UsageError for an exercise that normgrade does not carry, because learners would read its solutions."""
    if exercise.other_course:
        raise UsageError(
            _(
                'The exercise "{slug}" is in the course "{folder}". Its solutions would be in the repository of each learner. '
                "Choose an exercise of the built-in course.",
                slug=exercise.slug,
                folder=exercise.other_course,
            )
        )


def starts_with(path: Path, line: str) -> bool:
    """Return True if a file begins with this line."""
    try:
        return read_start(path, len(line))[1] == line.encode()
    except OSError:
        return False
