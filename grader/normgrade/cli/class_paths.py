"""The hand-ins that a command is about: its options for them, and their reading."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from normgrade.classes.hand_ins import HandedIn
from normgrade.classes.reading.collecting import handed_in
from normgrade.classes.reading.file_names import Contracts
from normgrade.classes.reading.roster import read_roster
from normgrade.cli.options import F
from normgrade.cli.shell_words import slugs_alike
from normgrade.course.course import Course


def hand_in_options(command: F) -> F:
    """Add the options that say how paths are read: --exercise, --layout and --roster."""
    command = click.option(
        "--roster", "roster_file", type=click.Path(path_type=Path), metavar="FILE", help="CSV file that lists the students."
    )(command)
    layout = 'How the paths name students, such as canvas or "{student}/*/{exercise}.py".'
    command = click.option("--layout", metavar="NAME|PATTERN", help=layout)(command)
    every = "Exercise of all files, if their names do not tell it."
    return click.option("--exercise", "slug", metavar="SLUG", shell_complete=slugs_alike, help=every)(command)


def hand_ins_at(paths: Sequence[Path], course: Course, slug: str | None, layout: str | None, roster_file: Path | None) -> HandedIn:
    """Return the hand-ins under the paths. Raise UsageError if there are none, or if the course has no such exercise."""
    if slug is not None:
        course.exercise(slug)  # raises if there is none

    def contracts() -> Contracts:
        return {exercise.slug: [signature.name for signature in exercise.defines] for exercise in course}

    return handed_in(paths, course.slugs, layout, slug, read_roster(roster_file) if roster_file else None, contracts)
