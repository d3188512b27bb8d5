"""`normgrade review` and `normgrade interview`: the learner's mistakes as questions, and exercises and questions against the clock."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

import click
from rich.syntax import Syntax

from normgrade.cli.bar import progress
from normgrade.cli.listing import Column, ago, print_by_group
from normgrade.cli.options import WIDEST, course_option, isolation_option, one_of, say, whole_number
from normgrade.cli.show import page, rendered
from normgrade.cli.warn import warn_of_unfinished
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.links import by_slug
from normgrade.grading.grade import Submission, grade
from normgrade.grading.grading_options import Options, available
from normgrade.language import N_, _, n_
from normgrade.language.errors import UsageError
from normgrade.learner.after_check import remember
from normgrade.learner.interviews import (
    Hunt,
    Interview,
    Review,
    Reviews,
    begin,
    folder_of,
    hunts,
    interviews_of,
    question_of,
    refuse_in_interview,
    slips,
    status_in_words,
)
from normgrade.learner.standing import attempts_of, is_started
from normgrade.learner.workspace import Workspace, find_course, needed
from normgrade.report.report import Outcome, Report, reveal

if TYPE_CHECKING:
    from rich.console import Console  # not at run time: other commands do without rich


# Review


@click.command("review")
@click.option("--all", "everything", is_flag=True, help="Include mistakes that are not due yet.")
@course_option
def review_command(everything: bool, course_folder: Path | None) -> None:
    """Review one of the mistakes that you made.

    The question is a right answer with one of your mistakes in it, and you find the line. A mistake comes back after a day. The interval
    grows each time you find it. Only exercises that have passed are reviewed.
    """
    refuse_in_interview("normgrade review")
    workspace, course, now = needed(), find_course(course_folder), datetime.now(UTC)
    warn_of_unfinished(course, course_folder)
    attempts, reviews = attempts_of(workspace).attempts(), Reviews(attempts_of(workspace))
    found = list(hunts(course, slips(attempts, reviews.all()), {attempt.exercise for attempt in attempts if attempt.passed}))
    due = [hunt for hunt in found if everything or hunt.slip.due <= now]
    if not due:
        say(nothing_is_due(found, now))
        return
    ask(due[0], reviews)
    if more := len(due) - 1:
        say(n_("{n} more mistake is due for review.", "{n} more mistakes are due for review.", more))


def nothing_is_due(found: Sequence[Hunt], now: datetime) -> str:
    """Return why there is no question."""
    if not found:
        return _("Nothing to review: no mistakes were found in exercises that have passed.")
    hours = -(-int((min(hunt.slip.due for hunt in found) - now).total_seconds()) // 3600)
    days, until = hours // 24, n_("in {n} hour", "in {n} hours", hours)
    until = n_("in {n} day", "in {n} days", days) if days else until
    return _("Nothing is due: the next review is {until}. Run `normgrade review --all` to review now.", until=until)


def ask(hunt: Hunt, reviews: Reviews) -> None:
    """Ask for the line of the mistake, and record the answer. Without a terminal, only print the line."""
    from normgrade.report.render.terminal import open_console  # loads NumPy

    slip, now = hunt.slip, datetime.now(UTC)
    made = n_("you made it once, {ago}", "you made it {n} times, the last time {ago}", slip.times, ago=ago(now - slip.made))
    say(_("{slug}: a right answer with one mistake in it ({made}).", slug=slip.exercise, made=made))
    source = hunt.source.rstrip()
    page(open_console(), Syntax(source, "python", theme="ansi_dark", background_color="default", line_numbers=True, word_wrap=True))
    if somebody_is_there():
        line = next_line(_("Which line is wrong? "))
        knew = line.isdecimal() and int(line) in hunt.lines
        reviews.add(Review(now, slip.exercise, slip.mistake, knew))
        say(_("✓ Correct.") if knew else _("✗ Wrong, it is another line."))
    say(_("Line {line}. {name}: {says}", line=", ".join(map(str, hunt.lines)), name=hunt.mistake.name, says=hunt.mistake.says))


def somebody_is_there() -> bool:
    """Return True if there is a terminal to ask in."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def next_line(prompt: str) -> str:
    """Return a line that is typed; "" at the end of the input."""
    try:
        return input(prompt).strip()
    except EOFError:
        return ""


# Interview


MOST_MINUTES = 240
LEVEL_HELP = "Highest level of the exercises, 4 by default."
PLAN = Column(N_("exercise")), Column(N_("level"), number=True), Column(N_("minutes"), number=True), Column(N_("status"))
RESULT = Column(N_("exercise")), Column(N_("level"), number=True), Column(N_("points"), number=True), Column(N_("status"))


@click.command("interview")
@click.option("--minutes", callback=whole_number(5, MOST_MINUTES), metavar="N", help="Length in minutes, 30 by default.")
@click.option("--level", callback=whole_number(1, 4), metavar="N", shell_complete=one_of("1234"), help=LEVEL_HELP)
@click.option("--end", "ending", is_flag=True, help="End the interview now, and show the result.")
@isolation_option
@course_option
def interview_command(minutes: int | None, level: int | None, ending: bool, required: str, course_folder: Path | None) -> None:
    """Practise exercises and interview questions against the clock.

    Exercises and questions are drawn to fit into the time; those that you have not passed yet are preferred. New stubs are written to a
    separate folder, and your own files do not change. Until the end, `check` shows which claims hold, but hints, diagnoses and answers are
    not available. Run the command again to see the time. When it is over, everything is graded.
    """
    workspace, course, now = needed(), find_course(course_folder), datetime.now(UTC)
    interview = interviews_of(workspace).running()
    given = next((name for name, value in {"--minutes": minutes, "--level": level}.items() if value is not None), None)
    if given and (interview or ending):
        raise UsageError(_("{option} is only for a new interview. Run `normgrade interview --end` to end the current one.", option=given))
    if interview is None and ending:
        raise UsageError(_("No interview is running. Run `normgrade interview` to start one."))
    if interview is None:
        warn_of_unfinished(course, course_folder)
        interview = begun(workspace, course, minutes or 30, level or 4)
    from normgrade.report.render.terminal import open_console  # loads NumPy

    console, folder = open_console(), folder_of(workspace, interview)
    if ending or interview.is_over(now):
        with progress() as watched:
            options = Options(required=required, cores=available(), progress=watched)
            reports = graded(workspace, course, interview, options, now)
        show_result(console, interview, course, folder, reports, now)
    else:
        show_plan(console, interview, course, folder, now)


def begun(workspace: Workspace, course: Course, minutes: int, level: int) -> Interview:
    """Begin an interview. Raises a UsageError if nothing fits, or if its folder cannot be written."""
    try:
        return begin(workspace, course, minutes, level, datetime.now().astimezone(), SystemRandom())
    except OSError as error:
        raise UsageError(
            _(
                'The interview cannot start in "{folder}" ({error}). Make the folder writable, or use another workspace.',
                folder=workspace.root,
                error=error.strerror,
            )
        ) from error


def graded(workspace: Workspace, course: Course, interview: Interview, options: Options, now: datetime) -> Sequence[Report]:
    """Grade everything, and end the interview. Until then it runs, so an interrupt loses nothing."""
    folder, exercises = folder_of(workspace, interview), exercises_of(interview, course).values()
    submissions = [Submission(each, folder / each.file_name, os.path.relpath(folder / each.file_name)) for each in exercises]
    reports = [reveal(report, each.exercise.reveal) for report, each in zip(grade(submissions, options), submissions, strict=True)]
    interviews_of(workspace).keep(replace(interview, ended=min(now, interview.deadline)))
    remember(submissions, reports)
    return reports


def exercises_of(interview: Interview, course: Course) -> Mapping[str, Exercise]:
    """Return the exercises of an interview, by slug, as far as the course still has them."""
    return {slug: course.exercise(slug) for slug in interview.slugs if slug in course.slugs}


# Screens


def show_plan(console: Console, interview: Interview, course: Course, folder: Path, now: datetime) -> None:
    """Print the time that is left, the exercises to write and the folder for them, and the questions."""
    say(status_in_words(interview, now))
    if found := exercises_of(interview, course):
        console.print()
        print_by_group(console, PLAN, {exercise: planned(exercise, folder) for exercise in found.values()})
        console.print()
        say(_("Write your code in the files in {folder}. Run `normgrade show SLUG` to see a task, and `normgrade check` to see which "
              "claims hold. Diagnoses and hints are shown after the end.", folder=os.path.relpath(folder)))  # fmt: skip
    show_questions(console, interview, course, answered=False)
    say("", _("Run `normgrade interview` to see the time, and `normgrade interview --end` to end the interview and see the answers."))


def planned(exercise: Exercise, folder: Path) -> tuple[str, ...]:
    started = is_started(folder / exercise.file_name, exercise)
    return exercise.slug, str(exercise.level), str(exercise.minutes), _("started") if started else _("not started")


def show_result(console: Console, interview: Interview, course: Course, folder: Path, reports: Sequence[Report], now: datetime) -> None:
    """Print the results of the exercises, the diagnoses, and the answers to the questions."""
    from normgrade.report.render.outline import outline  # loads NumPy
    from normgrade.report.render.whole import panel_of  # loads NumPy
    from normgrade.report.render.wording import losses_in_words  # loads NumPy

    used = round((min(now, interview.deadline) - interview.begun).total_seconds() / 60)
    say(n_("Interview {name} is over: {used} of {n} minute used.", "Interview {name} is over: {used} of {n} minutes used.",
           interview.minutes, name=interview.folder, used=used))  # fmt: skip
    if reports:
        console.print()
        found = exercises_of(interview, course)
        print_by_group(console, RESULT, {found[each.exercise]: result(found[each.exercise], each, interview, folder) for each in reports})
        console.print()
    for report in reports:
        if report.outcome is Outcome.FAILED and report.diagnoses:
            console.print(report.submission, style="bold", markup=False, highlight=False)
            console.print(panel_of(outline(report)), width=min(console.width, WIDEST))
    failed = [report.submission for report in reports if report.outcome is Outcome.FAILED]
    if failed:
        say(_("Run `normgrade check {file}` to see the failures in numbers.", file=failed[0]))
    for line in losses_in_words(reports):
        console.print(line, style="dim", markup=False, highlight=False, width=min(console.width, WIDEST))
    show_questions(console, interview, course, answered=True)
    earned, possible = sum(report.earned for report in reports), sum(report.possible for report in reports)
    say("", _("{earned} of {possible} points", earned=earned, possible=possible))


def result(exercise: Exercise, report: Report, interview: Interview, folder: Path) -> tuple[str, ...]:
    """Return the row of an exercise. A file that was saved after the deadline is graded, and told to be late."""
    standing = {Outcome.PASSED: f"✓ {_('passed')}", Outcome.NOT_STARTED: _("not started")}.get(report.outcome, _("not passed"))
    path = folder / exercise.file_name
    late = path.is_file() and path.lstat().st_mtime > interview.deadline.timestamp()
    return exercise.slug, str(exercise.level), f"{report.earned}/{report.possible}", f"{standing}, {_('too late')}" if late else standing


def show_questions(console: Console, interview: Interview, course: Course, answered: bool) -> None:
    """Print every question, and its answer in the course if `answered`."""
    for number, asked in enumerate(interview.asked, 1):
        question = question_of(course, asked)
        say("", _("Question {number} of {all}, about {slug}", number=number, all=len(interview.asked), slug=asked.exercise))
        quoted = "".join(f"> {line}\n" for line in question.answer.splitlines()) if answered else ""
        console.print()
        console.print(rendered(by_slug(f"{question.text}\n\n{quoted}")), width=min(console.width, WIDEST))
