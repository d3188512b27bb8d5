"""`normgrade interview`: exercises and questions against the clock."""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from normgrade.cli import INTERRUPTED, typed
from normgrade.cli.bar import progress
from normgrade.cli.check import MOST_SEEDS, seed_of
from normgrade.cli.options import course_option, isolation_option, say, whole_number
from normgrade.cli.shell_words import one_of
from normgrade.cli.warn import warn_of_unfinished
from normgrade.course.course import Course
from normgrade.grading.grading_options import Options, available
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.learner.practice.interview_folder import folder_of
from normgrade.learner.practice.interview_steps import Wish, begin, end, with_answers
from normgrade.learner.practice.interviews import interviews_of
from normgrade.learner.workspace import Workspace, find_course, needed

if TYPE_CHECKING:
    from normgrade.learner.practice.interview_plan import Interview
    from normgrade.learner.practice.interview_steps import Wish

MOST_MINUTES = 240
MOST_QUESTIONS = 50
LEVEL_HELP = "Highest level of the exercises, 4 by default."


def seed_or_none(context: click.Context, option: click.Parameter, value: str | None) -> int | None:
    return None if value is None else seed_of(context, option, value)


@click.command("interview")
@click.option("--minutes", callback=whole_number(5, MOST_MINUTES), metavar="N", help="Length in minutes, 30 by default.")
@click.option("--level", callback=whole_number(1, 4), metavar="N", shell_complete=one_of("1234"), help=LEVEL_HELP)
@click.option(
    "--questions", callback=whole_number(0, MOST_QUESTIONS), metavar="N", help="Number of questions, by default one for every 10 minutes."
)
@click.option("--seed", callback=seed_or_none, metavar="N", help="Seed of the draw, to repeat it.")
@click.option("--end", "ending", is_flag=True, help="End the interview now, and show the result.")
@isolation_option
@course_option
def interview_command(
    minutes: int | None,
    level: int | None,
    questions: int | None,
    seed: int | None,
    ending: bool,
    required: str,
    course_folder: Path | None,
) -> int:
    """Practise exercises and interview questions against the clock.

    Exercises and questions are drawn to fit into the time; those that you have not passed yet are preferred. New stubs are written to a
    separate folder, and your own files do not change. Until the end, `check` shows which claims hold, but hints, diagnoses and answers are
    not available. Run the command again to continue. When the time is over, everything is graded.
    """

    workspace, course = needed(), find_course(course_folder)
    wished = {"--minutes": minutes, "--level": level, "--questions": questions, "--seed": seed}
    given = [name for name, value in wished.items() if value is not None]
    options = Options(required=required, cores=available())
    running = interviews_of(workspace).running()
    if given and (running or ending):
        raise UsageError(
            _("{option} is only for a new interview. Run `normgrade interview --end` to end the current one.", option=given[0])
        )
    try:
        if running is not None:
            go_on(workspace, course, running, options, ending)
        elif ending:
            mark_the_last(workspace, course)
        else:
            warn_of_unfinished(course, course_folder)
            drawn = secrets.randbelow(MOST_SEEDS) if seed is None else seed
            start(workspace, course, Wish(drawn, minutes or 30, level or 4, questions), options)
    except KeyboardInterrupt:  # an ordinary way to leave it for a while
        last = last_of(workspace)
        if last is None or not (last.ended is None or last.unmarked):
            raise
        command = "normgrade interview" if last.ended is None else "normgrade interview --end"
        say("", _("Nothing is lost. Run `{command}` to continue.", command=command))
        return INTERRUPTED
    return 0


def last_of(workspace: Workspace) -> Interview | None:
    """Return the last interview, which may be running."""
    return next(reversed(interviews_of(workspace).all()), None)


def start(workspace: Workspace, course: Course, wish: Wish, options: Options) -> None:
    """Begin an interview."""

    try:
        interview = begin(workspace, course, wish, datetime.now().astimezone())
    except OSError as error:
        raise UsageError(
            _(
                'The interview cannot start in "{folder}" ({error}). Make the folder writable, or use another workspace.',
                folder=workspace.root,
                error=error.strerror,
            )
        ) from error
    seed = interview.seed
    say(
        _(
            "Seed {seed}. Use `--seed {seed}` to draw the same again, if the same exercises have passed and the same questions were asked.",
            seed=seed,
        )
    )
    go_on(workspace, course, interview, options, ending=False)


def go_on(workspace: Workspace, course: Course, interview: Interview, options: Options, ending: bool) -> None:
    """Show the plan and ask the open questions; at the end, or when the time is over, grade everything."""
    from normgrade.cli.interview_talk import ask  # loads rich
    from normgrade.cli.interview_words import show_plan  # loads rich
    from normgrade.report.render.terminal import open_console  # loads NumPy

    console, folder = open_console(), folder_of(workspace, interview)
    if not (ending or interview.is_over(datetime.now(UTC))):
        show_plan(console, with_answers(workspace, interview), course, folder, datetime.now(UTC))
        if typed.somebody_is_there():
            ask(console, course, interview, folder)
    if ending or interview.is_over(datetime.now(UTC)):
        finish(workspace, course, interview, options)


def finish(workspace: Workspace, course: Course, interview: Interview, options: Options) -> None:
    """Grade everything, and show the result."""

    from normgrade.cli.interview_words import show_result  # loads rich
    from normgrade.report.render.terminal import open_console  # loads NumPy

    with progress() as watched:
        ended, reports = end(workspace, course, interview, replace(options, progress=watched), datetime.now(UTC))
    show_result(open_console(), ended, course, reports)
    talk_it_over(workspace, course, ended)


def mark_the_last(workspace: Workspace, course: Course) -> None:
    """Go on with the marks of the last interview. Raise a UsageError if there is nothing left to do."""
    last = last_of(workspace)
    if last is None or not last.unmarked:
        raise UsageError(_("No interview is running. Run `normgrade interview` to start one."))
    talk_it_over(workspace, course, last)


def talk_it_over(workspace: Workspace, course: Course, interview: Interview) -> None:
    """Show the questions with their answers, take marks, and sum up."""
    from normgrade.cli.interview_talk import show_answers  # loads rich
    from normgrade.cli.interview_words import summary  # loads rich
    from normgrade.report.render.terminal import open_console  # loads NumPy

    console = open_console()
    interview = show_answers(console, course, interview, interviews_of(workspace).keep)
    console.print()
    say(summary(interview))
    if interview.unmarked:
        say(_("Run `normgrade interview --end` in a terminal to mark your answers."))
