"""Completion of words in a shell: slugs, names and values of options. It reads the course's files, and runs none of their code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import wraps

import click

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import Mistake, read_mistakes, read_wrong
from normgrade.language.errors import CourseError, UsageError
from normgrade.learner.workspace import find_course

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


def exercise_of(context: click.Context) -> Exercise:
    return course_of(context).exercise(str(context.params.get("slug")))


def one_exercise_of(context: click.Context) -> Exercise:
    """Return the exercise of a command that takes any number of slugs."""
    return course_of(context).exercise("".join(context.params.get("slugs") or ()))


@completer
def ways_of_one(context: click.Context) -> Iterable[str]:
    return [path.stem for path in one_exercise_of(context).alternatives]


@completer
def mistakes_of_one(context: click.Context) -> Iterable[str]:
    exercise = one_exercise_of(context)
    return [*(mistake.name for mistake in read_mistakes(exercise)), *(answer.name for answer in read_wrong(exercise))]


@completer
def checks_of_one(context: click.Context) -> Iterable[str]:
    return tests_in(one_exercise_of(context))


@completer
def slugs_alike(context: click.Context) -> Iterable[str]:
    return course_of(context).slugs


@completer
def ways_alike(context: click.Context) -> Iterable[str]:
    return [path.stem for path in exercise_of(context).alternatives]


@completer
def mistakes_alike(context: click.Context) -> Iterable[str]:
    exercises = [exercise_of(context)] if context.params.get("slug") else course_of(context)
    return dict.fromkeys(mistake.name for exercise in exercises for mistake in readable_mistakes(exercise))


def readable_mistakes(exercise: Exercise) -> tuple[Mistake, ...]:
    """Return the known mistakes of an exercise; none if they cannot be read."""
    try:
        return read_mistakes(exercise)
    except CourseError:
        return ()


@completer
def checks_alike(context: click.Context) -> Iterable[str]:
    return tests_in(exercise_of(context))


def tests_in(exercise: Exercise) -> list[str]:
    """Return the names of the tests in the hidden suite. Its source is parsed, not run."""
    suite = ast.parse(read_text(exercise.suite))
    return [node.name for node in suite.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
