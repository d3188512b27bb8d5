"""`normgrade export`: write the files with which another system grades exercises."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import click

from normgrade.classes.systems import FIRST_LINE, MADE_BY, WORKFLOW, autograder, comment_of, workflow
from normgrade.cli.bar import progress
from normgrade.cli.check import grading_options
from normgrade.cli.options import course_option, say
from normgrade.cli.shell_words import one_of, slugs_alike
from normgrade.cli.warn import warn_of_folders
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import put_in_place, read_start, refuse_link
from normgrade.course.workflows import workflow_named
from normgrade.grading.grading_options import Options, available
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean, either
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
@click.argument("system", metavar="|".join(USUAL), shell_complete=one_of(USUAL))
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
    if system not in USUAL:
        meant = did_you_mean(system, USUAL)
        raise UsageError(_('No system named "{name}".{meant} Use {known}.', name=system, meant=meant, known=either(USUAL)))
    course = find_course(course_folder)
    exercises = [course.exercise(slug) for slug in dict.fromkeys(slugs)]
    target = Path(USUAL[system]) if output is None else output
    options = Options(seed, timeout, required=required, cores=available())
    if system == "github":
        return write_workflow(target, exercises, options, index)
    return write_autograder(target, course, exercises, options, index)


def write_autograder(path: Path, course: Course, exercises: list[Exercise], options: Options, index: str) -> int:
    """Write the package for Gradescope."""

    def is_ours() -> bool:
        return comment_of(path).startswith(MADE_BY)

    refuse_unless_writable(path, is_ours)
    warn_of_folders()
    with progress() as watched:
        content = autograder(course, exercises, replace(options, progress=watched), index)
    write(path, content, is_ours)
    say(_("Wrote {path}. Upload it to Gradescope under Configure Autograder.", path=visible_name(path)))
    return 0


def write_workflow(folder: Path, exercises: list[Exercise], options: Options, index: str) -> int:
    """Write the workflow for GitHub into the folder of a repository."""
    path = workflow_named(WORKFLOW, folder)
    for exercise in exercises:
        refuse_other_course(exercise)
    write(path, workflow(exercises, options, index).encode(), lambda: starts_with(path, FIRST_LINE), make=True)
    say(_("Wrote {path}. Commit it to the template of your learners' repositories.", path=visible_name(path)))
    return 0


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


def refuse_unless_writable(path: Path, is_ours: Callable[[], bool]) -> None:
    """Raise a UsageError if a file cannot be written, or if another one is there that normgrade did not write."""
    if path.is_dir():
        raise unwritable(path, _("it is a folder"))
    if not path.parent.is_dir():
        raise unwritable(path, _('the folder "{folder}" does not exist', folder=path.parent))
    if os.path.lexists(path) and not is_ours():
        raise unwritable(path, _("the existing file was not written by this command"))


def write(path: Path, content: bytes, is_ours: Callable[[], bool], make: bool = False) -> None:
    """Write a file as a whole. With `make`, missing folders are made."""
    try:
        if make:
            path.parent.mkdir(parents=True, exist_ok=True)
        refuse_unless_writable(path, is_ours)
        refuse_link(path)
        put_in_place(path, content, 0o666)
    except OSError as error:
        raise unwritable(path, error.strerror or str(error)) from error


def unwritable(path: Path, why: str) -> UsageError:
    """Return the error for a path that cannot be written to."""
    return UsageError(
        _('Nothing can be written to "{path}" ({why}). Use --output PATH to choose another place.', path=visible_name(path), why=why)
    )
