"""The files that ship with an exercise, so that nobody waits for their computation: their writing, and the proof that they still hold."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from normgrade.compare.played import PlayKey
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text, write_whole
from normgrade.course.mistakes import Mistake, read_mistakes
from normgrade.diagnosis.effects import Change
from normgrade.diagnosis.footprints import Footprints, decode, encode
from normgrade.grading.ahead import compute_ahead
from normgrade.grading.grader import Grader
from normgrade.grading.grading_options import PUBLIC_SEED, Options
from normgrade.grading.opening import open_grader
from normgrade.grading.recording import asked, recorded
from normgrade.grading.reference_run import ReferenceRun
from normgrade.grading.tracking import computed, made_for
from normgrade.language import _, n_
from normgrade.oracle.kept import Damaged
from normgrade.oracle.shipped import Shipped as Spreads
from normgrade.oracle.shipped import deviations as deviations_of_spreads
from normgrade.oracle.shipped import shipped

SAMPLE = 4  # the proof computes one of so many tests and mistakes anew: a change of the oracle or of the probes shows in every one
EDGE = 0.02  # the share of the facts changed by a mistake that may differ on another machine; one may always differ


class Shipped(NamedTuple):
    """A file that ships with an exercise: its path, its content as it is computed here, and the deviations of an existing content."""

    path: Callable[[Exercise], Path]
    content: Callable[[Grader, Exercise], bytes]
    deviations: Callable[[Grader, Exercise, bytes, int], Iterator[str]]  # a sentence each, from a sample


def footprints_of(grader: Grader, exercise: Exercise) -> bytes:
    """Return the footprints of all known mistakes, as they are computed here."""
    return encode(footprints_here(grader, exercise, read_mistakes(exercise)))


def footprints_here(grader: Grader, exercise: Exercise, mistakes: Sequence[Mistake]) -> Footprints:
    """Return the footprints of these mistakes as they are computed here. The changes seen are recorded for the diagnoses that follow."""
    suite, reference_run, every = grader.suites[exercise.slug], grader.reference_run(exercise, PUBLIC_SEED), read_mistakes(exercise)
    records = grader.records_of(exercise)

    def learn(number: int, key: PlayKey, change: Change) -> None:
        records.learn(every.index(mistakes[number]), key, change)

    return computed(suite, reference_run, mistakes, grader.options, on_change=learn)


def deviating_footprints(grader: Grader, exercise: Exercise, there: bytes, sample: int = 1) -> Iterator[str]:
    """Yield a sentence for each mistake in a sample whose footprint does not hold here, or one if the file is of something else."""
    mistakes = read_mistakes(exercise)
    suite, reference_run = grader.suites[exercise.slug], grader.reference_run(exercise, PUBLIC_SEED)
    try:
        theirs = decode(there)
    except Damaged:
        yield _("It is damaged, or was written by another version.")
        return
    if (
        not made_for(theirs, suite, reference_run)
        or theirs.mistakes != tuple(each.name for each in mistakes)
        or not all(map(theirs.has, mistakes))
    ):
        yield _("It was computed for other mistakes, or for another suite or reference.")
        return
    some = mistakes[:: SAMPLE * sample]
    ours, theirs = footprints_here(grader, exercise, some), theirs.among(some)
    for name, here, marks in zip(ours.mistakes, ours.marks, theirs.marks, strict=True):
        if (others := int((here ^ marks).sum())) > max(1, EDGE * here.sum()):
            told = n_("{mistake}: {n} fact is changed only in the file or only here.",
                      "{mistake}: {n} facts are changed only in the file or only here.", others, mistake=name)  # fmt: skip
            yield told


def spreads_of(grader: Grader, exercise: Exercise, sample: int = 1) -> bytes:
    """Return the oracle's answers to all requests of the suite, or of one of every `sample` tests, as they are computed here."""
    suite, oracle = grader.suites[exercise.slug], grader.oracles[exercise.slug].afresh()
    suite = replace(suite, tests=suite.tests[::sample])
    compute_ahead(suite, ReferenceRun(oracle, exercise, read_text(exercise.reference), PUBLIC_SEED), grader.options)
    return shipped(recorded(suite, exercise, oracle))


def deviating_spreads(grader: Grader, exercise: Exercise, there: bytes, sample: int = 1) -> Iterator[str]:
    """Yield a sentence if spreads in a sample of the tests do not hold here, or if those of any test are missing."""
    fresh = spreads_of(grader, exercise, SAMPLE * sample)
    wanted = asked(grader.suites[exercise.slug], exercise, grader.oracles[exercise.slug])
    return deviations_of_spreads(Spreads.read(there), Spreads.read(fresh), wanted)


FILES = (
    Shipped(attrgetter("spreads"), spreads_of, deviating_spreads),  # first, as the others use its plays
    Shipped(attrgetter("footprints"), footprints_of, deviating_footprints),
)


def write(exercises: Sequence[Exercise], options: Options = Options()) -> None:  # noqa: B008
    """Compute and write the files that ship with the exercises."""
    with open_grader(exercises, options) as grader:
        for exercise in exercises:
            for file in FILES:
                write_whole(file.path(exercise), file.content(grader, exercise))
            grader.forget()


def missing(exercise: Exercise) -> tuple[Path, ...]:
    """Return the files that might ship with the exercise, and do not."""
    return tuple(path for file in FILES if not (path := file.path(exercise)).exists())


def deviations(grader: Grader, exercise: Exercise, sample: int = 1) -> Iterator[str]:
    """Yield the deviations of the files that ship with an exercise from those computed here, and the command that writes them anew.

    One of every SAMPLE times `sample` tests and mistakes is computed.
    """
    told = False
    for file in FILES:
        path = file.path(exercise)
        for sentence in file.deviations(grader, exercise, path.read_bytes(), sample) if path.exists() else ():
            told = True
            yield f"{path.relative_to(exercise.course).as_posix()}: {sentence}"
    if told:
        yield _("Run `{command}` to write it again.", command=command(exercise))


def command(exercise: Exercise) -> str:
    """Return the command that writes the files that ship with an exercise."""
    course = ["--course", exercise.other_course] if exercise.other_course else []
    return shlex.join(["normgrade", "verify", "--write", exercise.slug, *course])
