"""`normgrade lab`: the learner's layer in small networks, beside the reference and beside no norm."""

from __future__ import annotations

import os
from pathlib import Path

import click

from normgrade.cli.bar import progress
from normgrade.cli.options import course_option, isolation_option, refuse_unless_revealed
from normgrade.cli.played_file import path_to_play, source_to_play
from normgrade.cli.shell_words import slugs_alike
from normgrade.cli.warn import warn_of_folders
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.learner.interviews import refuse_in_interview
from normgrade.learner.workspace import find_course


def with_lab(course: Course, slug: str) -> Exercise:
    """Return the exercise. Raises a UsageError if it has no lab."""
    exercise = course.exercise(slug)
    if exercise.lab is None or exercise.shared_lab is None:
        known = ", ".join(each.slug for each in course if each.lab is not None and each.shared_lab is not None)
        said = _("{slug} has no lab. Choose from {known}.", slug=slug, known=known) if known else _("This course has no lab.")
        raise UsageError(said)
    return exercise


@click.command("lab")
@click.argument("slug", shell_complete=slugs_alike)
@click.option("--file", "file", type=click.Path(path_type=Path), metavar="FILE", help="Use this file instead of the file of the exercise.")
@isolation_option
@course_option
def lab_command(slug: str, file: Path | None, required: str, course_folder: Path | None) -> int:
    """Put your layer to work in a small network.

    A language model of a few letters, or a classifier of small pictures, learns with your layer, with the reference, and without any norm.
    You see the losses, the sizes of activations and gradients, and how much the batch matters. Nothing is graded.
    """
    refuse_in_interview("normgrade lab")
    exercise = with_lab(find_course(course_folder), slug)
    refuse_unless_revealed(exercise, _("numbers"))
    path = path_to_play(exercise, file)
    source = source_to_play(exercise, path)
    warn_of_folders()
    with progress() as watched, open_grader([exercise], Options(required=required), lambda exercises: {}) as grader:
        from normgrade.learner.study import Laboratory  # loads NumPy

        found = [*Laboratory(grader, exercise, source, path.name, watched).studies()]
    from rich.text import Text  # loads rich

    from normgrade.learner.study_screen import parts  # loads NumPy
    from normgrade.report.render.terminal import open_console  # loads NumPy

    console = open_console()
    console.print(Text(f"{slug} · {os.path.relpath(path)}", style="bold"))
    for study in found:
        for part in (Text(), *parts(study, exercise, source)):
            console.print(part)
    return 0 if all(study.agrees for study in found) else 1
