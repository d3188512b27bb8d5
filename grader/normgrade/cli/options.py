"""Options that several commands share, completion of their values in a shell, and the output of reports."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from normgrade.cli.output import tell_runner, write_report
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes
from normgrade.language import N_, _
from normgrade.language.errors import CourseError, UsageError, did_you_mean, either
from normgrade.language.visible import write_data
from normgrade.learner.workspace import find_course
from normgrade.report.render import FORMATS, QUIET, USUAL, VERBOSE, Detail, render
from normgrade.report.report import Outcome, Report
from normgrade.worker import interrupts
from normgrade.worker.walls import TIERS

# Completion. It reads the files of the course, and runs none of their code.


Completer = Callable[[click.Context, click.Parameter, str], list[str]]


def completer(known: Callable[[click.Context], Iterable[str]]) -> Completer:
    """Return a function for click's `shell_complete` that filters the known words by the beginning that was typed."""

    @wraps(known)
    def alike(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
        try:
            return [word for word in known(context) if word.startswith(begun)]
        except UsageError:  # a shell could not show it
            return []

    return alike


def one_of(values: Iterable[str]) -> Completer:
    """Return a completion with these values."""
    return completer(lambda context: values)


def course_of(context: click.Context) -> Course:
    return find_course(context.params.get("course_folder"))


def slug_in(context: click.Context) -> str:
    """Return the slug that a command names, or the only one of several; click keeps it in `args` while an option lacks its value."""
    return context.params.get("slug") or "".join(context.params.get("slugs") or context.args)


def exercise_of(context: click.Context) -> Exercise:
    return course_of(context).exercise(slug_in(context))


@completer
def slugs_alike(context: click.Context) -> Iterable[str]:
    return course_of(context).slugs


@completer
def ways_alike(context: click.Context) -> Iterable[str]:
    return [path.stem for path in exercise_of(context).alternatives]


@completer
def checks_alike(context: click.Context) -> Iterable[str]:
    suite = ast.parse(read_text(exercise_of(context).suite))  # it is not run
    return [node.name for node in suite.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]


@completer
def mistakes_alike(context: click.Context) -> Iterable[str]:
    """Return the known mistakes of the exercise, or of all exercises if none is named."""
    names: dict[str, None] = {}
    for exercise in [exercise_of(context)] if slug_in(context) else course_of(context):
        with suppress(CourseError):  # they cannot be read
            names |= dict.fromkeys(mistake.name for mistake in read_mistakes(exercise))
    return names


# Options


WIDEST = 100
LISTED = 8  # things that are listed; of more, only the number is said
ALWAYS_0 = ("classroom50",)  # formats with which a submission that does not pass is no reason for another exit code
DETAILS = {"quiet": QUIET, "verbose": VERBOSE, None: USUAL}
F = TypeVar("F", bound=Callable[..., Any])


def whole_number(low: int, high: int) -> Callable[[click.Context, click.Parameter, str | None], int | None]:
    """Return a callback of click for a whole number from `low` to `high`; it returns None if no number is given."""

    def parse(context: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
        if value is None:
            return None
        if value.isdecimal() and low <= int(value) <= high:
            return int(value)
        name = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.human_readable_name
        raise UsageError(
            _('{name} must be a whole number from {low} to {high}, not "{value}".', name=name, low=low, high=high, value=value)
        )

    return parse


def course_option(command: F) -> F:
    """Add the option --course."""
    return click.option(
        "--course", "course_folder", type=click.Path(path_type=Path), metavar="DIR", help="Use this course instead of the built-in one."
    )(command)


def isolation_option(command: F) -> F:
    """Add the option --require-isolation."""
    return click.option(
        "--require-isolation",
        "required",
        metavar="|".join(TIERS),
        default=TIERS[0],
        envvar="NORMGRADE_REQUIRE_ISOLATION",
        callback=choice(
            TIERS, N_('No isolation named "{name}".{meant} --require-isolation and NORMGRADE_REQUIRE_ISOLATION must be {known}.')
        ),
        shell_complete=one_of(TIERS),
        help="Grade only with this isolation or a stronger one. Also set by NORMGRADE_REQUIRE_ISOLATION.",
    )(command)


def choice(known: Sequence[str], otherwise: str) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """Return a callback of click for one of these names; `otherwise` is the message about another."""

    def parse(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
        if value is None or value in known:
            return value
        names = either((", ".join(known[:-1]), known[-1]))
        raise UsageError(_(otherwise, name=value, meant=did_you_mean(value, known), known=names))

    return parse


def report_options(command: F) -> F:
    """Add the options that say how and where a report is written: --format, --output, --quiet, --verbose."""
    command = click.option("-v", "--verbose", "detail", flag_value="verbose", help="Show everything.")(command)
    command = click.option("-q", "--quiet", "detail", flag_value="quiet", help="Show one line for each report.")(command)
    command = click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the report to FILE.")(command)
    return click.option(
        "--format",
        "format",
        metavar="|".join(FORMATS),
        shell_complete=one_of(FORMATS),
        help="Format of the report, by default from the suffix of FILE: .txt, .json, .xml or .html.",
    )(command)


def refuse_unless_revealed(exercise: Exercise, what: str) -> None:
    """Raise a UsageError if the exercise reveals less than everything. The message names the request with the word in `what`."""
    if exercise.reveal != "full":
        raise UsageError(
            _(
                'The course does not reveal the {what} of {slug}: its setting `reveal` is "{reveal}", not "full".',
                what=what,
                slug=exercise.slug,
                reveal=exercise.reveal,
            )
        )


def say(*paragraphs: str, to_stderr: bool = False) -> None:
    """Print texts for people, wrapped to the terminal, to stdout or stderr."""
    from rich.text import Text  # loads rich

    from normgrade.report.render.terminal import open_console  # loads NumPy

    console = open_console(to_stderr=to_stderr)
    for paragraph in paragraphs:
        console.print(Text(paragraph), width=min(console.width, WIDEST))


def hand_over(reports: Sequence[Report], format: str, output: Path | None, detail: Detail = USUAL) -> int:
    """Print the reports, or write them to a file, and return the exit code. Formats for programs ignore `detail` and have everything."""
    interrupts.raise_again()
    if output is not None:
        write_report(output, format, render(reports, format, detail))
    elif format == "terminal":
        from normgrade.report.render.terminal import open_console, show  # loads NumPy

        show(reports, open_console(), detail)
    else:
        write_data(render(reports, format, detail))
    tell_runner(format, reports)
    return exit_code(reports, format)


def exit_code(reports: Sequence[Report], format: str = "") -> int:
    """Return 0 if all reports passed, 1 if some did not, 3 if the grader could not tell of some.

    For Classroom 50, every other exit code than 0 means that the infrastructure broke.
    """
    outcomes = {report.outcome for report in reports}
    if Outcome.ERROR in outcomes:
        return 3
    return 0 if outcomes <= {Outcome.PASSED} or format in ALWAYS_0 else 1
