"""One answer of a course in detail: the whole report on a mistake, an alternative or the reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes, read_wrong
from normgrade.grading.grade import Submission
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.grading.reporting import report_on
from normgrade.inspection.inspection import inspect_source
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean
from normgrade.report.report import Report

Answer = tuple[str, str]  # its name in the report, and its source


def close_up(
    exercise: Exercise,
    mistake: str | None,
    alternative: str | None,
    seeds: Sequence[int],
    options: Options = Options(),  # noqa: B008
) -> list[Report]:
    """Return the whole reports on the named answers, on every seed. If none is named, report on the reference and the alternatives."""
    answers = list(named(exercise, mistake, alternative))
    with open_grader([exercise], options) as grader:
        return [report(grader, exercise, answer, seed) for seed in seeds for answer in answers]


def named(exercise: Exercise, mistake: str | None, alternative: str | None) -> Iterator[Answer]:
    """Yield the answers of these names. Raise UsageError if there is no such answer."""
    if mistake is not None:
        sources = {each.name: each.source for each in read_mistakes(exercise)}
        sources |= {each.name: each.source for each in read_wrong(exercise)}
        if mistake not in sources:
            raise UsageError(unknown(_("mistake"), mistake, exercise, sources))
        yield mistake, sources[mistake]
    if alternative is not None:
        paths = {path.stem: path for path in exercise.alternatives}
        if alternative not in paths:
            raise UsageError(unknown(_("alternative"), alternative, exercise, paths))
        yield from_file(exercise, paths[alternative])
    if mistake is None and alternative is None:
        yield from (from_file(exercise, path) for path in (exercise.reference, *exercise.alternatives))


def unknown(what: str, name: str, exercise: Exercise, known: Iterable[str]) -> str:
    """Return the sentence about a name that does not exist."""
    meant, there, slug = did_you_mean(name, known), ", ".join(known) or _("none"), exercise.slug
    return _('{slug} has no {what} named "{name}".{meant} Use one of: {known}.', slug=slug, what=what, name=name, meant=meant, known=there)


def from_file(exercise: Exercise, path: Path) -> Answer:
    return path.relative_to(exercise.course).as_posix(), read_text(path)


def report(grader: Grader, exercise: Exercise, answer: Answer, seed: int) -> Report:
    """Return the report on one answer with a seed, as a learner would get it, but without advice for learners.

    If only some checks are played, theirs are all the points.
    """
    name, source = answer
    seeded = replace(grader, options=replace(grader.options, seed=seed))
    submission = Submission(exercise, Path(exercise.file_name), name)
    found = replace(report_on(seeded, submission, inspect_source(source, exercise, allow_stub=True)), for_author=True)
    return replace(found, possible=grader.played(exercise).points, granted=0) if grader.options.only else found
