"""`normgrade similar`: the pairs of answers that share most of their own syntax."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import click

from normgrade.classes.hand_ins import HandedIn, HandIn, LeftOut
from normgrade.classes.similar.answers import Answer, answer_of, given_by
from normgrade.classes.similar.similarity import Ranking, Similarity
from normgrade.cli.class_paths import hand_in_options, hand_ins_at
from normgrade.cli.options import course_option, whole_number
from normgrade.cli.output import format_of, refuse_unless_writable, write_report
from normgrade.cli.shell_words import one_of
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.language.visible import visible, visible_name, write_data
from normgrade.learner.workspace import find_course

FORMATS = ("terminal", "json")
MOST = 10_000  # pairs that are shown


@click.command("similar")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH…")
@hand_in_options
@click.option("--top", callback=whole_number(1, MOST), default="10", metavar="N", help="Number of pairs of each exercise, 10 by default.")
@click.option("--pair", nargs=2, metavar="A B", help="Show the answers of two students, and mark what they share.")
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write the result to FILE.")
@click.option(
    "--format",
    "format",
    metavar="|".join(FORMATS),
    shell_complete=one_of(FORMATS),
    help="Format of the result, by default from the suffix of FILE: .txt or .json.",
)
@course_option
def similar_command(
    paths: tuple[Path, ...],
    slug: str | None,
    layout: str | None,
    roster_file: Path | None,
    top: int,
    pair: tuple[str, str] | None,
    output: Path | None,
    format: str | None,
    course_folder: Path | None,
) -> None:
    """Show which answers of a class are alike.

    For each exercise, pairs of answers are ranked by how much syntax they share, and each score comes with how usual it is in this class.
    Code that the exercise gives does not count, and no code is run. PATH is a folder or an archive with the answers of a class.
    """
    format = known_format(format, output)
    if output is not None:
        refuse_unless_writable(output)
    course = find_course(course_folder)
    handed = hand_ins_at(paths, course, slug, layout, roster_file)
    found, left_out = compared(course, handed)
    chosen = [Ranking(slug, each, each.top(top)) for slug, each in found.items()] if pair is None else [*of_pair(found, *pair)]
    for each in left_out:
        click.echo(visible(_("Left out: {file}: {why}", file=visible_name(each.origin), why=each.why)), err=True)
    hand_over(chosen, left_out, format, output, whole=pair is not None)


def known_format(format: str | None, output: Path | None) -> str:
    """Return the format of the result. Raise a UsageError if it is only one for reports."""
    found = format_of(format, output)
    if found not in FORMATS:
        raise UsageError(
            _(
                "`normgrade similar` has no format {format}. Use --format terminal or --format json, or a FILE in .txt or .json.",
                format=found,
            )
        )
    return found


def compared(course: Course, handed: HandedIn) -> tuple[Mapping[str, Similarity], Sequence[LeftOut]]:
    """Return how alike the answers to each exercise are, in the order of the course, and the files that are not compared."""
    by_slug: dict[str, list[HandIn]] = {}
    for each in handed.hand_ins:
        by_slug.setdefault(each.exercise, []).append(each)
    found, left_out = {}, [*handed.left_out]
    for exercise in in_order(course, by_slug):
        answers = answers_to(exercise, by_slug[exercise.slug])
        found[exercise.slug] = Similarity.of(each for each in answers if isinstance(each, Answer))
        left_out += [each for each in answers if isinstance(each, LeftOut)]
    return found, left_out


def in_order(course: Course, slugs: Iterable[str]) -> Sequence[Exercise]:
    return sorted(map(course.exercise, slugs), key=lambda exercise: (exercise.order, exercise.slug))


def answers_to(exercise: Exercise, hand_ins: Iterable[HandIn]) -> Sequence[Answer | LeftOut]:
    given = given_by(exercise)
    return [answer_of(each, given) for each in hand_ins]


def of_pair(found: Mapping[str, Similarity], one: str, other: str) -> Iterable[Ranking]:
    """Return the pair of two students for each exercise that both have answered. Raise a UsageError if there is none."""
    pairs = {slug: each.of_students(one, other) for slug, each in found.items()}
    if not any(pairs.values()):
        raise no_pair(found, one, other)
    return [Ranking(slug, found[slug], [pair]) for slug, pair in pairs.items() if pair is not None]


def no_pair(found: Mapping[str, Similarity], one: str, other: str) -> UsageError:
    """Return the error about two students without answers to compare."""
    students = {name for each in found.values() for name in each.students}
    for name in (one, other):
        if name not in students:
            meant = did_you_mean(name, students)
            return UsageError(
                _('No answer of "{name}" was found.{meant} Run the command without --pair to see the names.', name=name, meant=meant)
            )
    return UsageError(
        _(
            "{one} and {other} have no answers to compare: to no exercise have both written enough of their own. "
            "Run the command without --pair to see the names.",
            one=one,
            other=other,
        )
    )


def hand_over(found: Sequence[Ranking], left_out: Sequence[LeftOut], format: str, output: Path | None, whole: bool) -> None:
    """Print the result or write it to a file. With `whole`, a person reads the sources too."""
    from normgrade.cli.alike import as_json, as_text, show  # loads NumPy

    if format == "json":
        text = as_json(found, left_out)
        write_data(text) if output is None else write_report(output, format, text)
    elif output is None:
        show(found, whole)
    else:
        write_report(output, format, as_text(found, whole))
