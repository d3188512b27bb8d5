"""`normgrade demo`: show the reports that a learner reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from normgrade.cli.bar import progress
from normgrade.cli.early import early
from normgrade.cli.options import exit_code
from normgrade.cli.warn import warn_of_folders
from normgrade.course.course import Course
from normgrade.course.package import carried
from normgrade.grading.grade import Submission, grade
from normgrade.grading.grading_options import Options, available
from normgrade.language import _
from normgrade.report.render import USUAL

SLUG = "batch_norm"
WRONG = Path(__file__).with_name("demo_files") / f"{SLUG}.py"


@click.command("demo")
def demo_command() -> int:
    """Grade a wrong batch norm, then the right one."""
    from normgrade.report.render.terminal import open_console, show  # loads NumPy

    exercise = Course.find(carried()).exercise(SLUG)
    submissions = [Submission(exercise, WRONG, WRONG.name), Submission(exercise, exercise.reference, exercise.reference.name)]
    warn_of_folders()
    with progress() as watched:
        on_report = early(watched, submissions, "terminal", None, USUAL)
        wrong, right = grade(submissions, Options(progress=watched, cores=available()), on_report)
    console = open_console()
    console.print(_("This batch norm trains and evaluates, but it has two mistakes that neither shapes nor losses show:") + "\n")
    show([wrong], console, with_losses=False)
    console.print()
    console.print(_("And the reference:") + "\n")
    show([replace(right, submission="reference.py")], console)
    as_expected = exit_code([wrong]) == 1 and exit_code([right]) == 0 and len(wrong.diagnoses) == 1
    return 0 if as_expected else 3
