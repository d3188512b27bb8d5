"""The words about an interview: its plan and its result."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from rich.console import Console
from rich.text import Text

from normgrade.cli.by_group import Column, print_by_group
from normgrade.cli.options import WIDEST, say
from normgrade.cli.prompt import rendered
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.links import by_slug
from normgrade.language import N_, _, n_
from normgrade.learner.practice.interview_folder import ANSWERS
from normgrade.learner.practice.interview_plan import Interview, Task
from normgrade.learner.practice.interviews import status_in_words
from normgrade.learner.standing import is_started
from normgrade.report.report import Outcome, Report

PLAN = Column(N_("exercise")), Column(N_("level"), number=True), Column(N_("minutes"), number=True), Column(N_("status"))
RESULT = (
    Column(N_("exercise")),
    Column(N_("level"), number=True),
    Column(N_("points"), number=True),
    Column(N_("status")),
    Column(N_("last saved")),
    Column(N_("mistakes"), elastic=True),
)


def show_plan(console: Console, interview: Interview, course: Course, folder: Path, now: datetime) -> None:
    """Print the time that is left, the exercises to write, and the folder for them."""
    say(status_in_words(interview, now))
    here = os.path.relpath(folder)
    if found := exercises_of(interview, course):
        console.print()
        print_by_group(console, PLAN, {exercise: planned(exercise, folder) for exercise in found.values()})
        console.print()
        say(_("Write your code in the files in {folder}. Run `normgrade show SLUG` to see a task, and `normgrade check` to see which "
              "claims hold. Diagnoses and hints are shown after the end.", folder=here))  # fmt: skip
    if interview.asked:
        answered = sum(bool(each.answer) for each in interview.asked)
        n = len(interview.asked)
        say(n_("{answered} of {n} question is answered, in {page}.", "{answered} of {n} questions are answered, in {page}.", n,
               answered=answered, page=os.path.join(here, ANSWERS)))  # fmt: skip
    say(_("Run `normgrade interview` to see the time and to answer open questions, and `normgrade interview --end` to end the interview."))


def exercises_of(interview: Interview, course: Course) -> Mapping[str, Exercise]:
    """Return the exercises of an interview, by slug, as far as the course still has them."""
    return {task.exercise: course.exercise(task.exercise) for task in interview.tasks if task.exercise in course.slugs}


def planned(exercise: Exercise, folder: Path) -> tuple[str, ...]:
    started = is_started(folder / exercise.file_name, exercise)
    return exercise.slug, str(exercise.level), str(exercise.minutes), _("started") if started else _("not started")


def show_result(console: Console, interview: Interview, course: Course, reports: Sequence[Report]) -> None:
    """Print the results of the exercises, and the diagnoses."""
    from normgrade.report.render.outline import outline  # loads NumPy
    from normgrade.report.render.whole import panel_of  # loads NumPy
    from normgrade.report.render.wording import losses_in_words  # loads NumPy

    ended = interview.ended or interview.deadline
    used = round((ended - interview.begun).total_seconds() / 60)
    say(n_("Interview {name} is over: {used} of {n} minute used.", "Interview {name} is over: {used} of {n} minutes used.",
           interview.minutes, name=interview.folder, used=used))  # fmt: skip
    tasks = {task.exercise: task for task in interview.tasks}
    if found := exercises_of(interview, course):
        console.print()
        print_by_group(console, RESULT, {exercise: result(exercise, tasks[slug], interview) for slug, exercise in found.items()})
        console.print()
    for report in reports:
        if report.outcome is Outcome.FAILED and report.diagnoses:
            console.print(Text(report.submission, style="bold"))
            console.print(panel_of(outline(report)), width=min(console.width, WIDEST))
    failed = [report.submission for report in reports if report.outcome is Outcome.FAILED]
    if failed:
        say(_("Run `normgrade check {file}` to see the failures in numbers.", file=failed[0]))
    for line in losses_in_words(reports):
        console.print(Text(line, style="dim"), width=min(console.width, WIDEST))


def result(exercise: Exercise, task: Task, interview: Interview) -> tuple[str, ...]:
    standing = _("not started") if task.saved_s is None else f"✓ {_('passed')}" if task.passed else _("not passed")
    points = f"{task.earned}/{task.possible}"
    return exercise.slug, str(exercise.level), points, standing, saved(task, interview), ", ".join(task.mistakes)


def saved(task: Task, interview: Interview) -> str:
    """Return when the file was saved last, in minutes after the beginning, and if that was too late; "" if it was not saved."""
    if task.saved_s is None:
        return ""
    minutes = max(task.saved_s // 60, 0)
    if task.saved_s > interview.minutes * 60:
        return n_("after {n} minute: too late", "after {n} minutes: too late", minutes)
    return n_("after {n} minute", "after {n} minutes", minutes)


def show_markdown(console: Console, text: str) -> None:
    console.print(rendered(by_slug(text)), width=min(console.width, WIDEST))


def summary(interview: Interview) -> str:
    """Return the points of an interview in a line."""
    (earned, possible), (marks, most) = interview.earned(), interview.marks()
    parts = [_("code {earned} of {possible} points", earned=earned, possible=possible)] if interview.tasks else []
    if interview.asked:
        parts.append(_("questions {marks} of {most}", marks=marks, most=most))
    if interview.unmarked:
        parts.append(n_("{n} answer without a mark", "{n} answers without a mark", interview.unmarked))
    return f"{interview.folder}{_(': ')}" + " · ".join(parts)
