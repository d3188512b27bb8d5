"""`normgrade try`, `lab` and `repro`: the learner's file is played beside the reference, or by a script. Nothing is graded."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from normgrade.cli.bar import progress
from normgrade.cli.check import MOST_SEEDS, seed_of
from normgrade.cli.options import (
    checks_alike,
    choice,
    course_option,
    isolation_option,
    one_of,
    refuse_unless_revealed,
    say,
    slugs_alike,
    whole_number,
)
from normgrade.cli.output import refuse_links, refuse_unless_writable, write_output
from normgrade.cli.warn import warn_of_folders
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_plain
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.inspection.inspection import inspect_file
from normgrade.language import N_, _
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.learner.interviews import refuse_in_interview
from normgrade.learner.workspace import Workspace, find_course, submission_of
from normgrade.report.report import Outcome

if TYPE_CHECKING:
    from normgrade.compare.played import Result


file_option = click.option(
    "--file", "file", type=click.Path(path_type=Path), metavar="FILE", help="Use this file instead of the file of the exercise."
)


def to_play(exercise: Exercise, what: str, file: Path | None = None) -> tuple[Path, str]:
    """Return the path and the source of this file, or of the learner's if it is None.

    Raise a UsageError if the course does not reveal `what` is shown, if a link of the workspace leads there, or if it cannot be played.
    """
    refuse_unless_revealed(exercise, what)
    path = submission_of(exercise) if file is None else file
    refuse_links(path, Workspace.find())
    inspection = inspect_file(path, exercise)
    if not inspection.runnable or inspection.source is None:
        raise UsageError(_("{path} cannot be played: {why}", path=path, why=inspection.findings[0].text))
    return path, inspection.source


# Try


DTYPES = ("float32", "float64", "float16", "bfloat16")
known_dtype = choice(DTYPES, N_('No dtype named "{name}".{meant} --dtype must be {known}.'))


@click.command("try")
@click.argument("slug", shell_complete=slugs_alike)
@click.argument("call", metavar="CALL")
@click.argument("inputs", nargs=-1, metavar="[INPUT]…")
@click.option("--backward", is_flag=True, help="Show the gradients too, with 1, 2, 3, … as the gradient of the output.")
@click.option("--eval", "evaluating", is_flag=True, help="Use evaluation mode instead of training mode.")
@click.option(
    "--dtype",
    callback=known_dtype,
    metavar="|".join(DTYPES),
    shell_complete=one_of(DTYPES),
    help="Dtype of the inputs and the layer.",
)
@click.option("--seed", callback=whole_number(0, MOST_SEEDS - 1), metavar="N", help="Fill the layer with random numbers from this seed.")
@file_option
@isolation_option
@course_option
def try_command(
    slug: str,
    call: str,
    inputs: tuple[str, ...],
    backward: bool,
    evaluating: bool,
    dtype: str | None,
    seed: int | None,
    file: Path | None,
    required: str,
    course_folder: Path | None,
) -> int:
    """Run your file and the reference on your own input, side by side.

    CALL builds the layer, or calls the function: `LayerNorm(4)`, `softmax(dim=0)`. Its arguments are literals, `tensor([…])`, or one of
    linear(6, 6), feed_forward(6), scaled(0.5) and identity(). INPUT is a nested list of numbers, nan and inf.
    """
    refuse_in_interview("normgrade try")
    exercise = find_course(course_folder).exercise(slug)
    path, source = to_play(exercise, _("numbers"), file)
    from normgrade.cli.two_sides import show  # loads pytest
    from normgrade.grading.trial import Trial, played  # loads NumPy
    from normgrade.learner.typed_play import build_of, inputs_of  # loads NumPy
    from normgrade.report.render.terminal import open_console  # loads NumPy

    trial = Trial(exercise, build_of(call, exercise), inputs_of(inputs, dtype), not evaluating, backward, seed)
    if not inputs and (trial.has_mode or backward):
        raise UsageError(_('Missing argument: INPUT. Pass an input after CALL, such as "{example}".', example="[[1.0, 2.0, 3.0]]"))
    warn_of_folders()
    with progress() as watched, open_grader([exercise], Options(required=required), lambda exercises: {}) as grader:
        watched(_("{submission}: playing your input", submission=path.name), 0, 0)
        play = played(grader, trial, source, path.name)
    title = " · ".join((slug, os.path.relpath(path), call.strip(), trial.how))
    return 0 if show(open_console(), title, play, exercise, source) else 1


# Lab


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
@file_option
@isolation_option
@course_option
def lab_command(slug: str, file: Path | None, required: str, course_folder: Path | None) -> int:
    """Put your layer to work in a small network.

    A language model of a few letters, or a classifier of small pictures, learns with your layer, with the reference, and without any norm.
    You see the losses, the sizes of activations and gradients, and how much the batch matters. Nothing is graded.
    """
    refuse_in_interview("normgrade lab")
    exercise = with_lab(find_course(course_folder), slug)
    path, source = to_play(exercise, _("numbers"), file)
    warn_of_folders()
    with progress() as watched, open_grader([exercise], Options(required=required), lambda exercises: {}) as grader:
        from normgrade.learner.study import Laboratory  # loads NumPy

        found = [*Laboratory(grader, exercise, source, path.name, watched).studies()]
    from rich.text import Text  # loads rich

    from normgrade.learner.study import parts  # loads NumPy
    from normgrade.report.render.terminal import open_console  # loads NumPy

    console = open_console()
    console.print(Text(f"{slug} · {os.path.relpath(path)}", style="bold"))
    for study in found:
        for part in (Text(), *parts(study, exercise, source)):
            console.print(part)
    return 0 if all(study.agrees for study in found) else 1


# Repro


LARGEST_BYTES = 16 * 1024**2  # of a script that may be overwritten


@click.command("repro")
@click.argument("slug", shell_complete=slugs_alike)
@click.argument("check", required=False, metavar="[CHECK]", shell_complete=checks_alike)
@click.option("--seed", callback=seed_of, default="0", metavar="N|random", help="Seed of the inputs, as for `check`.")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the script to FILE, by default repro_SLUG.py.")
@course_option
def repro_command(slug: str, check: str | None, seed: int, output: Path | None, course_folder: Path | None) -> None:
    """Write a script that reproduces a failed check.

    The script is plain Python, so you can step through it with a debugger. CHECK is the name of a check from the report, or its beginning.
    Without CHECK, the first one that raises an exception is reproduced, or else the first one that failed.
    """
    from normgrade.learner.reproduction import script, sealed  # loads NumPy
    from normgrade.report.render.wording import seed_in_words  # loads NumPy

    refuse_in_interview("normgrade repro")
    exercise = find_course(course_folder).exercise(slug)
    output = output or Path(f"repro_{slug}.py")
    refuse_unless_writable(output, changed)
    path, source = to_play(exercise, _("inputs"))
    seeds = [seed_in_words(seed)] if seed else []
    result = chosen(all_results(exercise, path, source, seed), check)
    if result is None:
        say(_("Nothing to reproduce: every check passes."), *seeds)
        return
    write_output(output, sealed(script(exercise, path, result)), changed)
    say(
        _(
            "{path} reproduces {check}. Run it with `python {path}`, or step through it with `python -m pdb {path}`.",
            path=quote(str(output)),
            check=result.check.name,
        ),
        *seeds,
    )


def changed(path: Path) -> str:
    """Return why a file must not be replaced; "" if it is an unchanged script of `repro`."""
    from normgrade.learner.reproduction import is_as_made  # loads NumPy

    if is_as_made(read_plain(path, LARGEST_BYTES)):
        return ""
    return _("the existing file is not an unchanged script of `normgrade repro`")


def all_results(exercise: Exercise, path: Path, source: str, seed: int) -> tuple[Result, ...]:
    """Return the results of the whole suite on the learner's file."""
    from normgrade.learner.explanation import results_of  # loads NumPy

    warn_of_folders()
    with progress() as watched, open_grader([exercise], Options(seed=seed, progress=watched)) as grader:
        what = _("{submission}: playing every check", submission=path.name)
        watched(what, 0, 0)  # while PyTorch is imported
        return tuple(results_of(grader, exercise, source, path.name, what))


def chosen(results: tuple[Result, ...], name: str | None) -> Result | None:
    """Return the first failed check of that name; if it is None, the first that raises an exception, or the first of all.

    It is None if no check fails.

    Raise UsageError if no check has that name, or if none of that name fails.
    """
    failed = [result for result in results if result.check.outcome is Outcome.FAILED and result.plays]
    if name is None:
        return min(failed, key=lambda result: (result.check.courtesy, not crashes(result)), default=None)
    names = [result.check.name for result in results]
    if not any(each.startswith(name) for each in names):
        stems = [each.partition("[")[0] for each in names]
        meant = did_you_mean(name, stems)
        raise UsageError(
            _('No check named "{name}".{meant} Choose from {names}.', name=name, meant=meant, names=", ".join(dict.fromkeys(stems)))
        )
    of_that_name = [result for result in failed if result.check.name.startswith(name)]
    if not of_that_name:
        raise UsageError(_('"{name}" does not fail, so there is nothing to reproduce.', name=name))
    return of_that_name[0]


def crashes(result: Result) -> bool:
    """Return True if the check failed because of an exception."""
    from normgrade.remarks.crash import decisive, is_unexpected  # loads NumPy

    play = decisive(result.check, result)
    return play.observation.error is not None and is_unexpected(play.observation.error, play)
