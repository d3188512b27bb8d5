"""`normgrade progress`: all attempts, the mistakes made most often, and the next step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from normgrade.cli.by_group import Column, print_by_group
from normgrade.cli.options import course_option, say
from normgrade.cli.warn import warn_of_unfinished
from normgrade.course.course import Course
from normgrade.language import N_, _, n_
from normgrade.learner.after_check import after_pass
from normgrade.learner.attempts import Attempt
from normgrade.learner.interviews import going_on, interviews_of
from normgrade.learner.standing import Record, advice, frequent_mistakes, others_open, records
from normgrade.learner.workspace import Workspace, find_course, needed

SCORES_SHOWN = 12  # of an exercise's last attempts
MISTAKES_SHOWN = 8
OPEN_SHOWN = 6
COLUMNS = (
    Column(N_("exercise")),
    Column(N_("level"), number=True, spare=4),
    Column(N_("status")),
    Column(N_("attempts"), number=True, spare=1),
    Column(N_("points"), elastic=True, spare=2),
    Column(N_("last"), spare=3),
)


@click.command("progress")
@course_option
def progress_command(course_folder: Path | None) -> None:
    """Show your attempts, your most frequent mistakes, and the next step."""
    from normgrade.report.render.terminal import open_console  # loads NumPy

    course = find_course(course_folder)
    warn_of_unfinished(course, course_folder)
    workspace = needed()
    found, now = records(course, workspace), datetime.now(UTC)
    console = open_console()
    show_exercises(console, found, now)
    show_mistakes(console, frequent_mistakes(found))
    if (running := interviews_of(workspace).running()) is not None:
        say("", *going_on(running, now))
    else:
        show_next(console, course, found, workspace)


def show_exercises(console: Console, found: Sequence[Record], now: datetime) -> None:
    """Print a row for each exercise that is begun, and the sums over all."""
    begun = [record for record in found if record.attempts or record.started]
    if begun:
        print_by_group(console, COLUMNS, {record.exercise: cells_of(record, now) for record in begun})
        legend = _("attempts: graded saves · points: attempt by attempt, without repeats")
        console.print("", Text(legend, style="dim"), sep="\n")
    passed, tried = sum(record.passed for record in found), sum(len(record.attempts) for record in found)
    summary = n_("{passed} of {all} passed, {n} attempt", "{passed} of {all} passed, {n} attempts", tried, passed=passed, all=len(found))
    fresh = len(found) - len(begun)
    console.print(Text(summary + (n_("; {n} is not started", "; {n} are not started", fresh) if fresh else "")))


def show_mistakes(console: Console, mistakes: Mapping[str, int]) -> None:
    """Print the mistakes that were made most often."""
    if mistakes:
        heading = Text.assemble((_("Most frequent mistakes"), "bold"), _(" (repeats in consecutive attempts count once)"))
        console.print("", heading, sep="\n")
        for name, count in [*mistakes.items()][:MISTAKES_SHOWN]:
            times = n_("once", "{n} times", count)
            console.print(Text(f"  {times:>8}  {name}"))


def show_next(console: Console, course: Course, found: Sequence[Record], workspace: Workspace) -> None:
    """Print the next step; more than that if an exercise has just passed."""
    last = max((record for record in found if record.attempts), key=lambda record: record.attempts[-1].at, default=None)
    console.print()
    if last is not None and last.attempts[-1].passed:
        console.print(Text(last.exercise.slug, style="bold"))
        say(*after_pass(course, last.exercise, workspace), *also_open(found))
    else:
        say(advice(found), *also_open(found))


def also_open(found: Sequence[Record]) -> list[str]:
    """Return sentences about other exercises that can be done next; none if there are no others."""
    slugs = [record.exercise.slug for record in others_open(found)]
    later = sum(bool(record.before) and not record.passed for record in found)
    if not slugs:
        return []
    named, more = ", ".join(slugs[:OPEN_SHOWN]), len(slugs) - OPEN_SHOWN
    said = [_("You can also do {slugs}.", slugs=named)]
    if more > 0:
        said = [n_("You can also do {slugs}, and {n} more.", "You can also do {slugs}, and {n} more.", more, slugs=named)]
    if later:
        said.append(n_("{n} exercise is best done after these. Run `normgrade list` to see the order.",
                       "{n} exercises are best done after these. Run `normgrade list` to see the order.", later))  # fmt: skip
    return said


def cells_of(record: Record, now: datetime) -> tuple[str, ...]:
    """Return the row of an exercise."""
    exercise, standing = record.exercise, f"✓ {record.standing}" if record.passed else record.standing
    last = ago(now - record.last.at) if record.last is not None else ""
    return exercise.slug, str(exercise.level), standing, str(len(record.attempts) or ""), scores(record.attempts), last


def scores(attempts: Sequence[Attempt]) -> str:
    """Return the points of the last attempts, in their order: "3 → 5". Equal ones in a row are given once."""
    runs = [earned for earned, _alike in groupby(attempt.earned for attempt in attempts)]
    return ("… " if len(runs) > SCORES_SHOWN else "") + " → ".join(map(str, runs[-SCORES_SHOWN:]))


def ago(passed: timedelta) -> str:
    """Return how long ago something was, in the largest whole unit."""
    minutes = max(int(passed.total_seconds()) // 60, 0)
    if days := minutes // 1440:
        return n_("{n} day ago", "{n} days ago", days)
    if hours := minutes // 60:
        return n_("{n} hour ago", "{n} hours ago", hours)
    return n_("{n} minute ago", "{n} minutes ago", minutes) if minutes else _("just now")
