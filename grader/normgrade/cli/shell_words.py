"""Completion of words in a shell: slugs, names and values of options. It reads the course's files, and runs none of their code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps

import click

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes
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
