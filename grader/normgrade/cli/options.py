"""What several commands share: their options, and how they hand over reports."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from normgrade.course import Exercise
from normgrade.errors import UsageError, did_you_mean
from normgrade.files import write_whole
from normgrade.render import FORMATS, render
from normgrade.report import Outcome, Report
from normgrade.sandbox import TIERS

WIDEST = 100
F = TypeVar("F", bound=Callable[..., Any])


def slugs_alike(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """What a shell may complete the beginning of a slug to."""
    from normgrade.workspace import find_course

    try:
        return [slug for slug in find_course(context.params.get("course_folder")).slugs if slug.startswith(begun)]
    except UsageError:  # a shell wants no explanation
        return []


def course_option(command: F) -> F:
    return click.option(
        "--course", "course_folder", type=click.Path(path_type=Path), metavar="DIR", help="Another course than the one carried."
    )(command)


def isolation_option(command: F) -> F:
    return click.option(
        "--require-isolation",
        "required",
        metavar="|".join(TIERS),
        default=TIERS[0],
        envvar="NORMGRADE_REQUIRE_ISOLATION",
        callback=tier_of,
        help="Grade behind such walls or stronger ones, or not at all. Also NORMGRADE_REQUIRE_ISOLATION.",
    )(command)


def tier_of(context: click.Context, option: click.Parameter, value: str) -> str:
    if value in TIERS:
        return value
    raise UsageError(
        f'No isolation named "{value}".{did_you_mean(value, TIERS)} --require-isolation and NORMGRADE_REQUIRE_ISOLATION take '
        f"{', '.join(TIERS[:-1])} or {TIERS[-1]}."
    )


def report_options(command: F) -> F:
    command = click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the report there.")(command)
    return click.option("--format", "format", default="terminal", metavar="|".join(FORMATS), help="How to write the report.")(command)


def refuse_unless_revealed(exercise: Exercise, what: str) -> None:
    """A UsageError where the course keeps `what` to itself."""
    if exercise.reveal != "full":
        raise UsageError(f'The course keeps the {what} of {exercise.slug} to itself: it reveals "{exercise.reveal}", and not everything.')


def say(*paragraphs: str) -> None:
    """Print texts for people, wrapped to the terminal."""
    from rich.text import Text

    from normgrade.render.terminal import open_console

    console = open_console()
    for paragraph in paragraphs:
        console.print(Text(paragraph), width=min(console.width, WIDEST))


def writable(output: Path | None) -> None:
    """An error where no report can be written to that path, before anything is graded."""
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        why = "is a folder" if output.is_dir() else f'is in the folder "{output.parent}", which does not exist'
        raise UsageError(f'The report cannot be written to "{output}": it {why}. Name a file with --output FILE.')


def hand_over(reports: Sequence[Report], format: str, output: Path | None) -> int:
    """Show the reports, or write them to a file; the exit code that they call for."""
    if output is not None:
        try:
            write_whole(output, render(reports, format).encode())
        except OSError as error:
            raise UsageError(f'The report cannot be written to "{output}" ({error.strerror}). Name another file with --output.') from error
    elif format == "terminal":
        from normgrade.render.terminal import open_console, show

        show(reports, open_console())
    else:
        sys.stdout.write(render(reports, format))
    return exit_code(reports)


def exit_code(reports: Sequence[Report]) -> int:
    """0: all passed, 1: some did not, 3: of some the grader could not tell."""
    outcomes = {report.outcome for report in reports}
    if Outcome.ERROR in outcomes:
        return 3
    return 0 if outcomes <= {Outcome.PASSED} else 1
