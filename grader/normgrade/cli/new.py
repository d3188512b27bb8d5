"""`normgrade new`: begin an exercise."""

from __future__ import annotations

import os
from pathlib import Path

import click

from normgrade.authoring.names import USUAL, checked_contract, checked_slug, refuse_taken
from normgrade.cli.options import course_option, say
from normgrade.cli.warn import with_course
from normgrade.course.course import Course, named_by_environment
from normgrade.course.layout import exercises_in, settings_in
from normgrade.course.package import carried
from normgrade.language import ENGLISH, LANGUAGES, _, n_
from normgrade.language.errors import UsageError
from normgrade.learner.workspace import Workspace, find_course

OTHERS = [language for language in LANGUAGES if language != ENGLISH]


@click.command("new")
@click.argument("slug")
@click.argument("contract", nargs=-1, metavar="SIGNATURE…")
@click.option("--numpy", is_flag=True, help="For an exercise in NumPy alone, such as a backward pass by hand.")
@click.option("--probes", is_flag=True, help="With a file for probes of its own.")
@click.option("--language", type=click.Choice(OTHERS), help="With texts in this language too; those of the course are there anyway.")
@course_option
def new_command(slug: str, contract: tuple[str, ...], numpy: bool, probes: bool, language: str | None, course_folder: Path | None) -> None:
    """Begin an exercise: every file that it needs, with what is left to you marked TODO.

    SLUG is its name, and SIGNATURE what it defines: "WeightNorm(weight, dim=0)" is a layer, "softmax(x, dim=-1)" a function. What is there
    already is never overwritten. With --course and an empty folder, a new course begins there.
    """
    from normgrade.authoring.draft import Draft, add, files_of  # loads pytest

    checked_slug(slug)
    signatures = checked_contract(contract or (USUAL if numpy else ()), numpy)
    try:
        course = course_of_author(course_folder, language)
        refuse_taken(course, slug, signatures)
        languages = tuple(dict.fromkeys((*course.settings.languages, *filter(None, [language]))))
        added, kept = add(files_of(Draft(slug, signatures, languages, numpy, probes), course))
    except OSError as error:
        raise UsageError(
            _(
                'The exercise cannot be written: "{path}" ({error}). Name a course with --course DIR that you may write in.',
                path=error.filename,
                error=error.strerror,
            )
        ) from error
    tell(course, slug, added, kept)
    if language is not None and language not in course.settings.languages:
        said = _(
            'Add "{language}" to `languages` in {path}, so that no text in it is forgotten.',
            language=language,
            path=settings_in(course.root),
        )
        say(said)
    command = with_course(f"normgrade verify {slug}", course_folder)
    say(_("Write what is marked TODO. `{command}` says what is missing next.", command=command))


def course_of_author(course_folder: Path | None, language: str | None) -> Course:
    """Return the course that an exercise is added to; an empty folder becomes a new course.

    The course that normgrade carries is chosen only inside its own folder. Raise UsageError if no course is meant.
    """
    from normgrade.authoring.draft import begin_course  # loads pytest

    if course_folder is not None and is_empty(course_folder):
        course = begin_course(course_folder, tuple(filter(None, [ENGLISH, language])))
        say(_("A new course begins in {folder}.", folder=course.root))
        return course
    if course_folder is not None and not exercises_in(course_folder).is_dir():
        said = _(
            '"{folder}" is neither a course nor an empty folder, in which one could begin. Name another with --course DIR.',
            folder=course_folder,
        )
        raise UsageError(said)
    workspace = Workspace.find()
    unnamed = course_folder is None and named_by_environment() is None and (workspace is None or workspace.course is None)
    if unnamed and not Path(os.path.realpath(Path.cwd())).is_relative_to(carried()):
        raise UsageError(_("Which course is the exercise for? Name it with --course DIR; in an empty folder, a new one begins."))
    return find_course(course_folder)


def is_empty(folder: Path) -> bool:
    """Return True if a folder is empty or does not exist."""
    return not os.path.lexists(folder) or (folder.is_dir() and not any(folder.iterdir()))


def tell(course: Course, slug: str, added: list[Path], kept: list[Path]) -> None:
    """Print which files were added, and which were there already."""
    if added:
        say(n_("{n} file added to {folder}.", "{n} files added to {folder}.", len(added), folder=course.root))
    else:
        say(_("Nothing is new: all is there already, in {folder}.", folder=course.root))
    for path in added:
        say(f"  {path.relative_to(course.root)}")
    if added and kept:
        say(n_("{n} file is kept, as it was there already.", "{n} files are kept, as they were there already.", len(kept)))
        for path in kept:
            say(f"  {path.relative_to(course.root)}")
