"""`normgrade hint`: one hint at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from normgrade.cli.options import course_option, say, whole_number
from normgrade.cli.shell_words import slugs_alike
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.language import _, n_
from normgrade.learner.hints import Hint, take_hint
from normgrade.learner.interviews import refuse_in_interview
from normgrade.learner.standing import advice, attempts_of, records
from normgrade.learner.workspace import Workspace, find_course


@click.command("hint")
@click.argument("slug", shell_complete=slugs_alike)
@click.argument("number", required=False, callback=whole_number(1, 99))
@course_option
def hint_command(slug: str, number: int | None, course_folder: Path | None) -> None:
    """Show the next hint for an exercise.

    If your last check failed, hints about the failure come first, then the hints of the exercise. NUMBER chooses a hint of the exercise.
    Outside a workspace, hints are not counted, and NUMBER is 1 by default.
    """
    refuse_in_interview("normgrade hint")
    course, workspace = find_course(course_folder), Workspace.find()
    exercise = course.exercise(slug)
    if workspace is None or number is not None:
        say_numbered(exercise, number or 1)
    else:
        say_next(course, exercise, workspace)


def say_numbered(exercise: Exercise, number: int) -> None:
    """Print one of the exercise's own hints."""
    if number > len(exercise.hints):
        say(no_more(exercise))
        return
    say(exercise.hints[number - 1])
    slug, count = exercise.slug, len(exercise.hints)
    if number == count:
        say(_("(This was the last hint.)"))
    else:
        say(
            _(
                "(Hint {number} of {count}. Run `normgrade hint {slug} {next}` for the next one.)",
                number=number,
                count=count,
                slug=slug,
                next=number + 1,
            )
        )


def say_next(course: Course, exercise: Exercise, workspace: Workspace) -> None:
    """Print the next hint that was not given yet."""
    attempts = attempts_of(workspace).attempts(exercise.slug)
    last = attempts[-1] if attempts else None
    if last is not None and last.passed:
        say(_("{slug} passed your last check, so there are no hints.", slug=exercise.slug), advice(records(course, workspace)))
        return
    say(*in_words(exercise, take_hint(exercise, last, workspace)))


def in_words(exercise: Exercise, left: Sequence[Hint]) -> tuple[str, ...]:
    """Return the first of the hints that are left, and how many follow."""
    if not left:
        return (no_more(exercise),)
    more = len(left) - 1
    return left[0].shown, n_("({n} more hint)", "({n} more hints)", more) if more else _("(This was the last hint.)")


def no_more(exercise: Exercise) -> str:
    """Return the message that there are no more hints; it names the solution if the course reveals it."""
    if exercise.reveal != "full":
        return _("There are no more hints for {slug}.", slug=exercise.slug)
    return _("There are no more hints for {slug}. Run `normgrade solution {slug} --spoil` to see the answer.", slug=exercise.slug)
