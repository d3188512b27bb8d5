"""`normgrade new`: begin an exercise."""

from __future__ import annotations

import os
from pathlib import Path

import click

from normgrade.cli.options import course_option, say
from normgrade.cli.stubs import say_added
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
@click.option("--numpy", is_flag=True, help="Create an exercise that uses only NumPy, such as a hand-written backward pass.")
@click.option("--probes", is_flag=True, help="Add a file for the exercise's own probes.")
@click.option("--language", type=click.Choice(OTHERS), help="Add texts in this language. The languages of the course are always included.")
@course_option
def new_command(slug: str, contract: tuple[str, ...], numpy: bool, probes: bool, language: str | None, course_folder: Path | None) -> None:
    """Create all files of a new exercise.

    The parts that you must write are marked TODO. SLUG is the name of the exercise, and SIGNATURE is a class or function that it defines:
    "WeightNorm(weight, dim=0)" is a layer, and "softmax(x, dim=-1)" is a function. Existing files are never overwritten. If --course names
    an empty folder, a new course is created there.
    """
    from normgrade.verify.draft import USUAL, Draft, add, checked_contract, checked_slug, files_of, refuse_taken  # loads pytest

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
                'The exercise cannot be written to "{path}" ({error}). Use --course DIR to choose a course that you can write to.',
                path=error.filename,
                error=error.strerror,
            )
        ) from error
    tell(course, added, kept)
    if language is not None and language not in course.settings.languages:
        said = _(
            'Add "{language}" to `languages` in {path}, so that no text in this language is forgotten.',
            language=language,
            path=settings_in(course.root),
        )
        say(said)
    command = with_course(f"normgrade verify {slug}", course_folder)
    say(_("Fill in the parts marked TODO. Run `{command}` to see what is missing next.", command=command))


def course_of_author(course_folder: Path | None, language: str | None) -> Course:
    """Return the course that an exercise is added to; an empty folder becomes a new course.

    The course that normgrade carries is chosen only inside its own folder. Raise UsageError if no course is meant.
    """
    from normgrade.verify.draft import begin_course  # loads pytest

    if course_folder is not None and is_empty(course_folder):
        course = begin_course(course_folder, tuple(filter(None, [ENGLISH, language])))
        say(_("Created a new course in {folder}, with a workflow that proves it in GitHub Actions.", folder=course.root))
        return course
    if course_folder is not None and not exercises_in(course_folder).is_dir():
        said = _(
            '"{folder}" is neither a course nor an empty folder. Use --course DIR to choose a course, or an empty folder for a new one.',
            folder=course_folder,
        )
        raise UsageError(said)
    workspace = Workspace.find()
    unnamed = course_folder is None and named_by_environment() is None and (workspace is None or workspace.course is None)
    if unnamed and not Path(os.path.realpath(Path.cwd())).is_relative_to(carried()):
        raise UsageError(_("No course is chosen for the exercise. Use --course DIR to choose a course, or an empty folder for a new one."))
    return find_course(course_folder)


def is_empty(folder: Path) -> bool:
    """Return True if a folder does not exist or is empty but for a new repository of git."""
    return not os.path.lexists(folder) or (folder.is_dir() and all(path.name == ".git" for path in folder.iterdir()))


def tell(course: Course, added: list[Path], kept: list[Path]) -> None:
    """Print which files were added, and which were there already."""
    say_added(course.root, added, [str(path.relative_to(course.root)) for path in added])
    if added and kept:
        say(n_("{n} existing file is unchanged.", "{n} existing files are unchanged.", len(kept)))
        for path in kept:
            say(f"  {path.relative_to(course.root)}")
