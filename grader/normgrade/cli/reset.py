"""`normgrade reset`: begin an exercise anew."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from normgrade.cli.options import course_option, say
from normgrade.cli.shell_words import slugs_alike
from normgrade.course.exercise import Exercise
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.learner.workspace import find_course, needed


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
