"""`normgrade repro`: a failed check as a script of plain Python."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import click

from normgrade.cli.bar import progress
from normgrade.cli.check import seed_of
from normgrade.cli.options import course_option, refuse_unless_revealed, say
from normgrade.cli.output import refuse_unless_writable, write_output
from normgrade.cli.played_file import source_to_play
from normgrade.cli.shell_words import checks_alike, slugs_alike
from normgrade.cli.warn import warn_of_folders
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_plain
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.learner.interviews import refuse_in_interview
from normgrade.learner.workspace import find_course, submission_of
from normgrade.report.report import Outcome

if TYPE_CHECKING:
    from normgrade.compare.played import Result

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
    refuse_unless_revealed(exercise, _("inputs"))
    path, output = submission_of(exercise), output or Path(f"repro_{slug}.py")
    refuse_unless_writable(output, changed)
    seeds = [seed_in_words(seed)] if seed else []
    result = chosen(all_results(exercise, path, seed), check)
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


def all_results(exercise: Exercise, path: Path, seed: int) -> tuple[Result, ...]:
    """Return the results of the whole suite on the learner's file."""
    from normgrade.learner.explanation import results_of  # loads NumPy

    source = source_to_play(exercise, path)
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
