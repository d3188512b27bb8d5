"""What a shell may complete the beginning of a word to: slugs, names and the values of options, from what the course's files say."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import wraps

import click

from normgrade.course.course import Course, Exercise
from normgrade.course.files import read_text
from normgrade.language.errors import UsageError
from normgrade.learner.workspace import find_course

Words = Callable[[click.Context, click.Parameter, str], list[str]]


def words(known: Callable[[click.Context], Iterable[str]]) -> Words:
    """What completes a word that was begun to one of these."""

    @wraps(known)
    def alike(context: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
        try:
            return [word for word in known(context) if word.startswith(begun)]
        except UsageError:  # a shell wants no explanation
            return []

    return alike


def one_of(values: Iterable[str]) -> Words:
    return words(lambda context: values)


def course_of(context: click.Context) -> Course:
    return find_course(context.params.get("course_folder"))


def exercise_of(context: click.Context) -> Exercise:
    return course_of(context).exercise(str(context.params.get("slug")))


@words
def slugs_alike(context: click.Context) -> Iterable[str]:
    return course_of(context).slugs


@words
def ways_alike(context: click.Context) -> Iterable[str]:
    return [path.stem for path in exercise_of(context).alternatives]


@words
def mistakes_alike(context: click.Context) -> Iterable[str]:
    from normgrade.course.mistakes import read_mistakes

    exercises = [exercise_of(context)] if context.params.get("slug") else course_of(context)
    return dict.fromkeys(mistake.name for exercise in exercises for mistake in read_mistakes(exercise))


@words
def checks_alike(context: click.Context) -> Iterable[str]:
    """The tests of the hidden suite, which is read and not run."""
    suite = ast.parse(read_text(exercise_of(context).suite))
    return [node.name for node in suite.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
