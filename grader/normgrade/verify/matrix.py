"""Tables of the situations that each exercise plays, and of the habits that each suite kills."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from normgrade.course.exercise import Exercise
from normgrade.course.tensor_library import Library
from normgrade.language.visible import visible
from normgrade.report.report import Report
from normgrade.suite.situations import SITUATIONS
from normgrade.verify.habits import fitting, habits_in

HOLDS, LEFT_OUT, SURVIVES, DOES_NOT_FIT, GAP = "✓", "·", "✗", "", "  "
Cell = Callable[[Exercise, str], str]  # returns the mark in the column of an exercise and the line of that name


def matrix(exercises: Sequence[Exercise], width: int = 80) -> Iterator[str]:
    """Yield the table of situations: one in each line, an exercise in each column; then the reasons for those that are left out."""

    def cell(exercise: Exercise, name: str) -> str:
        return LEFT_OUT if exercise.leaves_out(*SITUATIONS[name].called) else HOLDS

    yield from table(exercises, list(SITUATIONS), cell, width)
    yield from reasons((exercise, exercise.left_out) for exercise in exercises)


def matrix_of_habits(exercises: Sequence[Exercise], reports: Sequence[Report], width: int = 80) -> Iterator[str]:
    """Yield the table of habits in the same form: killed, left out, or with a problem; nothing if a habit does not fit an exercise."""
    fits = {exercise.slug: {habit.name for habit in fitting(exercise)} for exercise in exercises}
    problems = {report.exercise: names_of_problems(report) for report in reports}

    def cell(exercise: Exercise, name: str) -> str:
        if name not in fits[exercise.slug]:
            return DOES_NOT_FIT
        if name in problems[exercise.slug]:
            return SURVIVES
        return LEFT_OUT if name in exercise.left_out_habits else HOLDS

    every = dict.fromkeys(habit.name for library in Library for habit in habits_in(exercises[0].shared_habits(library)))
    names = [name for name in every if any(name in fitting_here for fitting_here in fits.values())]
    yield from table(exercises, names, cell, width)
    yield from reasons((exercise, exercise.left_out_habits) for exercise in exercises)


def names_of_problems(report: Report) -> set[str]:
    """Return the habits with a problem: each line of the proof begins with a name."""
    messages = [check.message for check in report.checks if check.name == "habits"]
    return {line.split()[0] for message in messages for line in message.splitlines()}


def table(exercises: Sequence[Exercise], names: Sequence[str], cell: Cell, width: int) -> Iterator[str]:
    """Yield the lines of a table, at most so wide. If the columns do not fit beside each other, the next ones follow below."""
    first = max(map(len, names), default=0)
    for block in blocks(exercises, width - first):
        yield GAP.join((" " * first, *(exercise.slug for exercise in block)))
        for name in names:
            yield GAP.join((name.ljust(first), *(cell(each, name).center(len(each.slug)) for each in block))).rstrip()
        yield ""


def reasons(left_out: Iterator[tuple[Exercise, Mapping[str, str]]]) -> Iterator[str]:
    """Yield a line for everything that an exercise leaves out."""
    for exercise, names in left_out:
        for name, reason in names.items():
            yield visible(f"{LEFT_OUT} {exercise.slug}, {name}: {reason}")


def blocks(exercises: Sequence[Exercise], width: int) -> Iterator[Sequence[Exercise]]:
    """Yield the exercises in their order, as many in each block as fit beside each other; at least one."""
    block: list[Exercise] = []
    for exercise in exercises:
        if block and sum(len(GAP + each.slug) for each in (*block, exercise)) > width:
            yield block
            block = []
        block.append(exercise)
    if block:
        yield block
