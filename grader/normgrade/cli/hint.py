"""`normgrade hint`: the next hint, and no more."""

from __future__ import annotations

from pathlib import Path

import click

from normgrade.cli.options import course_option, say, slugs_alike
from normgrade.language import _, n_
from normgrade.learning import progress_of, take_hint
from normgrade.workspace import find_course, needed


@click.command("hint")
@click.argument("slug", shell_complete=slugs_alike)
@course_option
def hint_command(slug: str, course_folder: Path | None) -> None:
    """The next hint for an exercise.

    It is one of what failed at your last check, if anything did, else the next of the exercise's own.
    """
    workspace, exercise = needed(), find_course(course_folder).exercise(slug)
    attempts = progress_of(workspace).attempts(slug)
    of_failures = attempts[-1].hints if attempts else ()
    left = take_hint(exercise, of_failures, workspace)
    if not left:
        say(_("You have had every hint for {slug}. `normgrade solution {slug} --spoil` shows the answer.", slug=slug))
        return
    hint = left[0]
    say(_("Of what failed at your last check: {hint}", hint=hint) if hint in of_failures else hint)
    more = len(left) - 1
    say(n_("({n} more hint)", "({n} more hints)", more) if more else _("(That was the last one.)"))
