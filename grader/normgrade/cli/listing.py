"""`normgrade list` and `normgrade progress`: the exercises in a table, a row for each, with the learner's standing."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path

import click
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from normgrade.cli.options import LISTED, course_option, say
from normgrade.cli.warn import warn_of_unfinished, with_course
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise, by_worth
from normgrade.inspection.inspection import inspect_file
from normgrade.language import N_, _, n_
from normgrade.learner.after_check import after_pass
from normgrade.learner.interviews import going_on, interviews_of, running_here, status_in_words
from normgrade.learner.standing import Attempt, Record, advice, frequent_mistakes, others_open, records
from normgrade.learner.workspace import Workspace, find_course, needed

# The table: a row for each exercise, below the headings of their groups


GAP = 2  # between two columns
INDENT = 2  # of a row below the heading of its group


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, and if it holds numbers.

    In a narrow terminal, the `elastic` column becomes narrower, down to `least`; then `spare` columns are left out, the highest number
    first.
    """

    heading: str
    number: bool = False
    elastic: bool = False
    spare: int = 0
    least: int = 6


def print_by_group(console: Console, columns: Sequence[Column], rows: Mapping[Exercise, Sequence[str]]) -> None:
    """Print the rows by group, in the order of each group's first exercise; all rows have the same columns."""
    cells = [[_(column.heading) for column in columns], *rows.values()]
    kept = kept_of(columns, cells, console.width)
    headings, *contents = ([line[number] for number in kept] for line in cells)
    columns = [columns[number] for number in kept]
    widths = widths_of(columns, [headings, *contents], console.width)
    console.print(table_of(columns, widths, [headings], style="dim"))
    by_exercise = dict(zip(rows, contents, strict=True))
    for group in dict.fromkeys(exercise.group for exercise in rows):
        console.print()
        console.print(Text(group, style="bold"))
        console.print(table_of(columns, widths, [line for exercise, line in by_exercise.items() if exercise.group == group]))


def kept_of(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the numbers of the columns that are shown: spare ones are left out until there is room."""
    kept = [*range(len(columns))]
    least = [max(map(cell_len, cells)) for cells in zip(*rows, strict=True)]
    for number, column in sorted(enumerate(columns), key=lambda each: -each[1].spare):
        taken = sum(GAP + (columns[each].least if columns[each].elastic else least[each]) for each in kept)
        if column.spare and taken > width:
            kept.remove(number)
    return kept


def widths_of(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the width of each column, so that all fit: that of its widest cell, or less for the elastic column."""
    widths = [max(map(cell_len, cells)) for cells in zip(*rows, strict=True)]
    excess = max(INDENT + sum(widths) + GAP * (len(widths) - 1) - width, 0)
    return [max(each - excess, column.least) if column.elastic else each for column, each in zip(columns, widths, strict=True)]


def table_of(columns: Sequence[Column], widths: Sequence[int], rows: Sequence[Sequence[str]], style: str = "") -> Padding:
    """Return a table of some of the rows."""
    table = Table(box=None, show_header=False, padding=(0, GAP, 0, 0), pad_edge=False)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(justify="right" if column.number else "left", width=width, no_wrap=not column.elastic)
    for cells in rows:
        table.add_row(*(Text(cell, style=style) for cell in cells))
    return Padding(table, (0, 0, 0, INDENT), expand=False)


# List


COLUMNS = (
    Column(N_("exercise")),
    Column(N_("level"), number=True, spare=2),
    Column(N_("minutes"), number=True, spare=3),
    Column(N_("importance"), number=True, spare=5),
    Column(N_("points"), number=True, spare=4),
    Column(N_("status")),
    Column(N_("best after"), elastic=True, spare=1, least=16),
)
HOUR = 60  # minutes


@click.command("list")
@course_option
def list_command(course_folder: Path | None) -> None:
    """List the exercises and your progress.

    The last column names the exercises that are best done before. This is only advice: you can do every exercise at any time.
    """
    course, workspace = find_course(course_folder), Workspace.find()
    warn_of_unfinished(course, course_folder)
    if not (exercises := list(course)):
        command = with_course("normgrade verify", course_folder)
        say(_("No exercise of this course is ready. Run `{command}` to see what is missing.", command=command))
    elif workspace is None:
        print_rows({exercise: row(exercise, where_you_stand(exercise), exercise.after) for exercise in exercises})
        say_for_an_hour(exercises)
        say(_("Run `normgrade show SLUG` to see a task, and `normgrade check SLUG` to grade SLUG.py in this folder."))
    else:
        list_workspace(course, workspace)


def list_workspace(course: Course, workspace: Workspace) -> None:
    """List the exercises of a workspace, and the next step."""
    found, interview = records(course, workspace), running_here()
    print_rows({record.exercise: row(record.exercise, record.standing, record.before) for record in found})
    say_for_an_hour([record.exercise for record in found if not record.passed])
    say(_("Run `normgrade show SLUG` to see a task, and `normgrade check SLUG` to grade SLUG.py in the workspace."))
    say(advice(found) if interview is None else status_in_words(interview, datetime.now(UTC)))


def say_for_an_hour(exercises: Sequence[Exercise]) -> None:
    """Say which of these exercises to do if there is only an hour, unless all of them fit."""
    chosen = most_important(exercises, HOUR)
    if len(chosen) < len(exercises):
        say(_("If you have an hour: {slugs}.", slugs=", ".join(each.slug for each in chosen)))


def most_important(exercises: Sequence[Exercise], minutes: int) -> list[Exercise]:
    """Return the most important exercises that fit into so many minutes, the one to begin with first."""
    chosen = []
    for exercise in by_worth(exercises):
        if exercise.minutes <= minutes:
            chosen.append(exercise)
            minutes -= exercise.minutes
    return chosen


def row(exercise: Exercise, standing: str, before: Sequence[str]) -> tuple[str, ...]:
    numbers = exercise.level, exercise.minutes, exercise.importance, exercise.points
    return exercise.slug, *map(str, numbers), standing, ", ".join(before)


def print_rows(rows: Mapping[Exercise, Sequence[str]]) -> None:
    from normgrade.report.render.terminal import open_console  # loads NumPy

    console = open_console()
    print_by_group(console, COLUMNS, rows)
    console.print()


def where_you_stand(exercise: Exercise) -> str:
    """Return the standing outside of a workspace. No attempts are recorded there, so it only says if the file is started."""
    path = Path(exercise.file_name)
    if not os.path.lexists(path):
        return "–"
    return _("started") if inspect_file(path, exercise).started else _("not started")


# Progress


SCORES_SHOWN = 12  # the last ones of an exercise
PROGRESS = (
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
        print_by_group(console, PROGRESS, {record.exercise: cells_of(record, now) for record in begun})
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
        for name, count in [*mistakes.items()][:LISTED]:
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
    named, more = ", ".join(slugs[:LISTED]), len(slugs) - LISTED
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
