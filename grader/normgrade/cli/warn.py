"""Warnings on stderr about exercises and folders that a command goes on without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from shlex import quote

import click

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.folders import user_cache, user_config
from normgrade.course.private_folder import first_refused
from normgrade.grading.fault import fault
from normgrade.language import LANGUAGES, _, n_
from normgrade.language.visible import visible


def warn_of_unfinished(course: Course, course_folder: Path | None) -> None:
    """Name the exercises that the course goes on without; `course_folder` is the value of --course."""
    for name, why in course.unfinished.items():
        warn(name, why, course_folder)


def without_hindered(exercises: Iterable[Exercise], course_folder: Path | None) -> list[Exercise]:
    """Return the exercises that can be graded, and name the others."""

    found = {exercise: fault(exercise) for exercise in dict.fromkeys(exercises)}
    for exercise, why in found.items():
        if why is not None:
            warn(exercise.slug, str(why), course_folder)
    return [exercise for exercise, why in found.items() if why is None]


def warn_of_untranslated(course: Course, exercises: Iterable[Exercise]) -> None:
    """Say how many translations a file lacks, if its language is not one of the course: learners read English there."""
    from normgrade.verify.missing_texts import untranslated  # loads pytest

    others = [language for language in LANGUAGES if language not in course.settings.languages]
    for exercise, language in product(exercises, others):
        for path, number in Counter(path for path, _place, _english in untranslated(exercise, language) if path.is_file()).items():
            said = n_(
                'Note: {n} translation is missing in {path}. To list it with `verify`, add "{language}" to `languages` in course.toml.',
                'Note: {n} translations are missing in {path}. To list them with `verify`, add "{language}" to `languages` in course.toml.',
                number, path=path.relative_to(course.root), language=language)  # fmt: skip
            click.echo(visible(said), err=True)


def warn_of_folders() -> None:
    """Name the folders of the cache and its key that grading goes on without, because others may write to them."""
    for root, variable in ((user_config(), "NORMGRADE_CONFIG"), (user_cache(), "NORMGRADE_CACHE")):
        if (error := first_refused(root)) is not None:
            note(_("Note: {message}", message=error.told(root, variable)))


def note(said: str) -> None:
    """Write a sentence to stderr."""
    click.echo(visible(said), err=True)


def warn(name: str, why: str, course_folder: Path | None) -> None:
    """Say that an exercise is left out, why, and which command tells more."""
    command = with_course(f"normgrade verify {quote(name)}", course_folder)
    said = _('Warning: "{name}" is skipped. {why} Run `{command}` to see what is missing.', name=name, why=why, command=command)
    click.echo(visible(said), err=True)


def with_course(command: str, course_folder: Path | None) -> str:
    """Return a command, with the option --course if that was given."""
    return command if course_folder is None else f"{command} --course {quote(str(course_folder))}"
