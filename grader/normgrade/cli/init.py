"""`normgrade init`: begin a workspace."""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote

import click

from normgrade.cli.options import course_option, say
from normgrade.cli.warn import warn_of_unfinished
from normgrade.course.course import Course, named_by_environment
from normgrade.course.trust import trust
from normgrade.language import _, n_
from normgrade.language.errors import UsageError
from normgrade.learner.standing import advice, records
from normgrade.learner.workspace import MARK, Workspace, as_toml, new_workspace


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path), default=Path(), metavar="[DIR]")
@course_option
def init_command(folder: Path, course_folder: Path | None) -> None:
    """Begin a workspace: a stub and a prompt for every exercise.

    Without DIR, in this folder. What is there already is never overwritten; run again, it adds what is new in the course.
    With --course, the workspace names that course, and you trust it there: its code runs with your permissions.
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
                'No workspace can be begun at "{folder}" ({error}). Name a folder that you may write in.',
                folder=folder,
                error=error.strerror,
            )
        ) from error
    if added:
        say(n_("{n} file added to {folder}.", "{n} files added to {folder}.", len(added), folder=workspace.root))
    else:
        say(_("Nothing is new: all is there already, in {folder}.", folder=workspace.root))
    for path in added:
        say(f"  {path.relative_to(workspace.root)}")
    around = Workspace.find()
    if around is None or around.root != workspace.root:
        say(_("Go there with `cd {folder}`.", folder=quote(str(folder))))
    say(advice(records(course, workspace)))


def trust_named(workspace: Workspace, course: Course, insist: bool) -> None:
    """Trust the course if the workspace names it. If it does not, raise a UsageError where `insist` is true."""
    if workspace.course is not None and os.path.realpath(workspace.course) == str(course.root):
        trust(workspace.root, course.root)
    elif insist:
        raise UsageError(
            _(
                '"{path}" is there already, and does not name the course "{course}". Write `course = {named}` into it, and run this again.',
                path=workspace.root / MARK,
                course=course.root,
                named=as_toml(str(course.root)),
            )
        )
