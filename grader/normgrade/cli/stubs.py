"""`normgrade init` and `normgrade reset`: begin a workspace, or an exercise anew."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from shlex import quote

import click

from normgrade.cli.options import LISTED, course_option, say, slugs_alike
from normgrade.cli.warn import warn_of_unfinished
from normgrade.course.course import Course, named_by_environment
from normgrade.course.exercise import Exercise
from normgrade.course.trust import trust
from normgrade.language import _, n_
from normgrade.language.errors import UsageError
from normgrade.learner.standing import advice, records
from normgrade.learner.workspace import MARK, Workspace, as_toml, find_course, needed, new_workspace


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path), default=Path(), metavar="[DIR]")
@course_option
def init_command(folder: Path, course_folder: Path | None) -> None:
    """Create a workspace with a stub and a prompt for every exercise.

    Without DIR, this folder becomes the workspace. Existing files are never overwritten. Run the command again to add new exercises of the
    course. With --course, the workspace names that course, and you trust it there: its code runs with your permissions.
    """
    named = course_folder or named_by_environment()
    course = None if named is None else Course.find(named)
    try:
        workspace = new_workspace(folder, None if course is None else course.root)
        if course is not None:
            trust_named(workspace, course, insist=course_folder is not None)
        course = course or Course.find(workspace.trusted_course())
        warn_of_unfinished(course, course_folder)
        added = workspace.add(course)
    except OSError as error:
        raise UsageError(
            _(
                'The workspace cannot be created in "{folder}" ({error}). Choose a folder that you can write to.',
                folder=folder,
                error=error.strerror,
            )
        ) from error
    say_added(workspace.root, added, told(workspace, added))
    around = Workspace.find()
    if around is None or around.root != workspace.root:
        say(_("Run `cd {folder}` to go there.", folder=quote(str(folder))))
    say(advice(records(course, workspace)))


def say_added(folder: Path, added: Sequence[Path], told: Sequence[str]) -> None:
    """Print that files were added to a folder, with lines about them; or that there was nothing to add."""
    if added:
        said = n_("{n} file added to {folder}.", "{n} files added to {folder}.", len(added), folder=folder)
    else:
        said = _("Nothing to add: all files already exist in {folder}.", folder=folder)
    say(said, *(f"  {line}" for line in told))


def told(workspace: Workspace, added: Sequence[Path]) -> list[str]:
    """Return lines about the files that were added: a few by their names, many as numbers."""
    if len(added) <= LISTED:
        return [str(path.relative_to(workspace.root)) for path in added]
    stubs = sum(path.parent == workspace.root for path in added)
    prompts = len(added) - stubs
    lines = {
        n_("{n} stub for your code", "{n} stubs for your code, one for each exercise", stubs): stubs,
        n_("{n} file in prompts: a task", "{n} files in prompts: the tasks, and their figures", prompts): prompts,
    }
    return [line for line, count in lines.items() if count]


def trust_named(workspace: Workspace, course: Course, insist: bool) -> None:
    """Trust the course if the workspace names it. If it does not and `insist` is true, raise a UsageError."""
    if workspace.course is not None and os.path.realpath(workspace.course) == str(course.root):
        trust(workspace.root, course.root)
    elif insist:
        raise UsageError(
            _(
                '"{path}" already exists, and does not name the course "{course}". '
                "Add `course = {named}` to it, then run this command again.",
                path=workspace.root / MARK,
                course=course.root,
                named=as_toml(str(course.root)),
            )
        )


@click.command("reset")
@click.argument("slug", shell_complete=slugs_alike)
@course_option
def reset_command(slug: str, course_folder: Path | None) -> None:
    """Restore the stub of an exercise.

    Your file is kept, with the date in its name.
    """
    say(put_stub_back(find_course(course_folder).exercise(slug)))


def put_stub_back(exercise: Exercise) -> str:
    """Put the stub back in the workspace, and return a sentence about the file that was there."""
    workspace = needed()
    try:
        backup = workspace.reset(exercise, datetime.now())
    except OSError as error:
        raise UsageError(
            _('"{file}" cannot be reset ({error}). Your files are unchanged.', file=exercise.file_name, error=error.strerror)
        ) from error
    if backup is None:
        return _("{file} is the stub again. It contained no code of yours.", file=exercise.file_name)
    where = backup.relative_to(workspace.root)
    return _("{file} is the stub again. Your file is kept as {kept}.", file=exercise.file_name, kept=where)
