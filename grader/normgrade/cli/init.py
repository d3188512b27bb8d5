"""`normgrade init`: begin a workspace."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from normgrade.cli.options import say
from normgrade.course import Course
from normgrade.errors import UsageError
from normgrade.language import _, n_
from normgrade.learning import advice, records
from normgrade.workspace import Workspace, new_workspace


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path), default=Path(), metavar="[DIR]")
def init_command(folder: Path) -> None:
    """Begin a workspace: a stub and a prompt for every exercise.

    Without DIR, in this folder. What is there already is never overwritten; run again, it adds what is new in the course.
    """
    try:
        workspace = new_workspace(folder)
        course = Course.find(None, workspace.course)
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
