"""`normgrade try`: the learner's file and the reference on an input that the learner chooses."""

from __future__ import annotations

import os
from pathlib import Path

import click

from normgrade.cli.bar import progress
from normgrade.cli.options import course_option, isolation_option, refuse_unless_revealed, whole_number
from normgrade.cli.played_file import path_to_play, source_to_play
from normgrade.cli.shell_words import one_of, slugs_alike
from normgrade.cli.warn import warn_of_folders
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean, either
from normgrade.learner.interviews import refuse_in_interview
from normgrade.learner.workspace import find_course

DTYPES = ("float32", "float64", "float16", "bfloat16")
MOST_SEEDS = 2**32


def dtype_of(context: click.Context, option: click.Parameter, value: str | None) -> str | None:
    """Return the name of a dtype, checked; None if none is given."""
    if value is None or value in DTYPES:
        return value
    known = either((", ".join(DTYPES[:-1]), DTYPES[-1]))
    raise UsageError(
        _('No dtype named "{name}".{meant} --dtype must be {known}.', name=value, meant=did_you_mean(value, DTYPES), known=known)
    )


@click.command("try")
@click.argument("slug", shell_complete=slugs_alike)
@click.argument("call", metavar="CALL")
@click.argument("inputs", nargs=-1, metavar="[INPUT]…")
@click.option("--backward", is_flag=True, help="Show the gradients too, with 1, 2, 3, … as the gradient of the output.")
@click.option("--eval", "evaluating", is_flag=True, help="Use evaluation mode instead of training mode.")
@click.option(
    "--dtype", callback=dtype_of, metavar="|".join(DTYPES), shell_complete=one_of(DTYPES), help="Dtype of the inputs and the layer."
)
@click.option("--seed", callback=whole_number(0, MOST_SEEDS - 1), metavar="N", help="Fill the layer with random numbers from this seed.")
@click.option("--file", "file", type=click.Path(path_type=Path), metavar="FILE", help="Use this file instead of the file of the exercise.")
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
    refuse_unless_revealed(exercise, _("numbers"))
    path = path_to_play(exercise, file)
    source = source_to_play(exercise, path)
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
