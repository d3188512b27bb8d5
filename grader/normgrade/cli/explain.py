"""`normgrade explain`: the effect of a known mistake on the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from normgrade.cli.bar import progress
from normgrade.cli.listing import ago
from normgrade.cli.options import LISTED, course_option, mistakes_alike, refuse_unless_revealed, say, slugs_alike
from normgrade.cli.warn import warn, warn_of_folders, warn_of_unfinished
from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.mistakes import Mistake, read_mistakes
from normgrade.course.own_numbers import called
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.language import _, n_
from normgrade.language.errors import CourseError, UsageError, did_you_mean
from normgrade.learner.hints import GENERAL
from normgrade.learner.interviews import Slip, refuse_in_interview, slips
from normgrade.learner.standing import attempts_of
from normgrade.learner.workspace import Workspace, find_course

if TYPE_CHECKING:
    from normgrade.learner.explanation import Example, Explanation


@click.command("explain")
@click.argument("name", metavar="[MISTAKE]", required=False, shell_complete=mistakes_alike)
@click.option("--exercise", "slug", metavar="SLUG", shell_complete=slugs_alike, help="Exercise, if several have a mistake with that name.")
@course_option
def explain_command(name: str | None, slug: str | None, course_folder: Path | None) -> None:
    """Show how a mistake changes the numbers.

    Right and wrong numbers are side by side, on an input that shows the mistake and on one that hides it. MISTAKE is a name from a
    diagnosis. Without MISTAKE, your own mistakes are listed.
    """
    refuse_in_interview("normgrade explain")
    course = find_course(course_folder)
    if name is None:
        say(*made_by_you(course, slug))
        return
    if name in GENERAL:
        say(name, _(GENERAL[name]))
        return
    from normgrade.learner.explanation import explain  # loads pytest
    from normgrade.report.render.terminal import open_console  # loads NumPy

    known = {slug: read_mistakes(course.exercise(slug))} if slug else mistakes_of_all(course, course_folder)
    found_in = mistakes_called(name, known, course)
    slugs = [*found_in]
    if not slugs:
        names = {*GENERAL, *(mistake.name for mistakes in known.values() for mistake in mistakes)}
        meant = did_you_mean(name, names)
        raise UsageError(_('No mistake named "{name}".{meant} Use a name from a diagnosis.', name=name, meant=meant))
    exercise = course.exercise(preferred(course, slugs, name))
    refuse_unless_revealed(exercise, _("numbers"))

    warn_of_folders()
    with progress() as watched, open_grader([exercise], Options(progress=watched)) as grader:
        watched(_("{mistake}: playing every check", mistake=name), 0, 0)  # while PyTorch is imported
        found = explain(grader, exercise, found_in[exercise.slug])
    console = open_console()
    show(console, found)
    if others := [other for other in slugs if other != exercise.slug]:
        known_too = _("A mistake with this name is also known for {exercises}. Use --exercise SLUG to choose.", exercises=", ".join(others))
        console.print(Text(known_too, style="dim"))


def made_by_you(course: Course, slug: str | None) -> list[str]:
    """Return lines about the mistakes that were made at this exercise, or at any, the last one first."""
    workspace, wanted = Workspace.find(), {course.exercise(slug).slug} if slug else {*course.slugs}
    attempts = attempts_of(workspace).attempts() if workspace is not None else []
    made = [each for each in slips(attempts, ()) if each.exercise in wanted]
    if not made:
        return [
            _(
                "No mistakes are recorded here yet. "
                "Run `normgrade check` to find mistakes, and `normgrade explain MISTAKE` to see one in numbers."
            )
        ]
    now, latest = datetime.now(UTC), sorted(made, key=lambda each: each.made, reverse=True)
    lines = [_("Your mistakes, latest first:"), *(line_about(each, now) for each in latest[:LISTED])]
    if more := len(latest[LISTED:]):
        lines.append(n_("and {n} more; use --exercise SLUG to see it", "and {n} more; use --exercise SLUG to see them", more))
    return lines


def line_about(slip: Slip, now: datetime) -> str:
    """Return the command that explains a mistake, and when it was made."""
    command = f"normgrade explain {slip.mistake} --exercise {slip.exercise}"
    when = n_("made once, {ago}", "made {n} times, the last time {ago}", slip.times, ago=ago(now - slip.made))
    return f"  {command}\n    {when}"


def mistakes_of_all(course: Course, course_folder: Path | None) -> dict[str, tuple[Mistake, ...]]:
    """Return the known mistakes of every exercise, by slug. Exercises whose mistakes cannot be read are named and left out."""
    warn_of_unfinished(course, course_folder)
    known = {}
    for exercise in course:
        try:
            known[exercise.slug] = read_mistakes(exercise)
        except CourseError as error:
            warn(exercise.slug, str(error), course_folder)
    return known


def mistakes_called(name: str, known: Mapping[str, tuple[Mistake, ...]], course: Course) -> dict[str, Mistake]:
    """Return the mistake of that name of each exercise that has one; if none has, those that have it with another number."""
    exact = {slug: mistake for slug, mistakes in known.items() for mistake in mistakes if mistake.name == name}
    alike = ((slug, called(name, mistakes, read_text(course.exercise(slug).reference))) for slug, mistakes in known.items() if not exact)
    return exact or {slug: mistake for slug, mistake in alike if mistake is not None}


def preferred(course: Course, slugs: list[str], name: str) -> str:
    """Return the exercise in which the learner made the mistake last, else the first of the course."""
    workspace = Workspace.find()
    if workspace is not None and len(slugs) > 1:
        made = [attempt.exercise for attempt in attempts_of(workspace).attempts() if name in attempt.diagnoses]
        return next((slug for slug in reversed(made) if slug in slugs), slugs[0])
    return slugs[0]


def show(console: Console, found: Explanation) -> None:
    """Print the mistake, an example in which it shows, and one in which it hides."""
    console.print(Text.assemble((found.mistake.name, "bold"), f" · {found.exercise.slug}"))
    console.print(Text(found.mistake.says))
    show_example(console, _("It shows here: "), found.shows)
    show_example(console, _("It hides here: "), found.hides)


def show_example(console: Console, heading: str, example: Example | None) -> None:
    """Print the claim of an example's check, and the numbers of both sides."""
    from normgrade.report.render.whole import indented, side_lines  # loads NumPy
    from normgrade.report.render.wording import claim_of  # loads NumPy

    console.print()
    if example is None:
        console.print(Text(heading + _("no example with numbers.")))
        return
    console.print(Text.assemble((heading, "bold"), claim_of(example.check)))
    for line in side_lines(example.arrays):
        console.print(indented(line))
