"""What ships with an exercise, so that nobody has to wait until it is computed: how it is written, and the proof that it still holds."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from normgrade.compare.footprints import Footprints, decode, encode
from normgrade.course.course import Exercise
from normgrade.course.files import read_text, write_whole
from normgrade.course.mistakes import read_mistakes
from normgrade.language import _, n_
from normgrade.oracle.kept import Damaged
from normgrade.oracle.shipped import Shipped as Spreads
from normgrade.oracle.shipped import deviations as deviations_of_spreads
from normgrade.oracle.shipped import shipped
from normgrade.suite.ahead import compute_ahead
from normgrade.suite.grader import Grader, open_grader
from normgrade.suite.grading_options import PUBLIC_SEED, Options
from normgrade.suite.recording import recorded
from normgrade.suite.run import Rehearsal
from normgrade.suite.tracking import computed

EDGE = 0.02  # of the facts that a mistake changes, those that may be others on another machine; one may always be


class Shipped(NamedTuple):
    """A file that ships with an exercise: where it lies, its content as it is computed here, and how its content may be other than that."""

    path: Callable[[Exercise], Path]
    content: Callable[[Grader, Exercise], bytes]
    deviations: Callable[[bytes, bytes], Iterator[str]]  # of what ships from what is computed, a sentence each


def footprints_of(grader: Grader, exercise: Exercise) -> bytes:
    """The footprints of all known mistakes, as they are computed here. What is seen of the mistakes serves the diagnoses that follow."""
    suite, rehearsal = grader.suites[exercise.slug], grader.rehearsal(exercise, PUBLIC_SEED)
    return encode(computed(suite, rehearsal, read_mistakes(exercise), grader.options, on_change=grader.records_of(exercise).learn))


def deviating_footprints(there: bytes, computed: bytes) -> Iterator[str]:
    """What of the footprints does not hold here."""
    try:
        ours, theirs = decode(computed), decode(there)
    except Damaged:
        yield _("It is damaged, or of another version.")
        return
    if made_of(ours) != made_of(theirs):
        yield _("It is of other mistakes, or of another suite or reference, than there are now.")
        return
    for name, here, there in zip(ours.mistakes, ours.marks, theirs.marks, strict=True):
        if (others := int((here ^ there).sum())) > max(1, EDGE * here.sum()):
            told = n_("{mistake}: {n} fact is changed there or here, and not in both.",
                      "{mistake}: {n} facts are changed there or here, and not in both.", others, mistake=name)  # fmt: skip
            yield told


def made_of(footprints: Footprints) -> tuple[object, ...]:
    """All that footprints were made of."""
    return footprints.layout.keys, footprints.plays.tolist(), footprints.mistakes, footprints.sources.tolist(), footprints.marks.shape


def spreads_of(grader: Grader, exercise: Exercise) -> bytes:
    """What the oracle says of all that the suite asks, as it is computed here."""
    oracle = grader.oracles[exercise.slug].afresh()
    suite, reference = grader.suites[exercise.slug], read_text(exercise.reference)
    compute_ahead(suite, Rehearsal(oracle, exercise, reference, PUBLIC_SEED), grader.options)
    return shipped(recorded(suite, exercise, oracle))


def deviating_spreads(there: bytes, computed: bytes) -> Iterator[str]:
    """What of the spreads does not hold here."""
    return deviations_of_spreads(Spreads.read(there), Spreads.read(computed))


FILES = (
    Shipped(attrgetter("spreads"), spreads_of, deviating_spreads),  # first: with it, the plays of the others are at hand
    Shipped(attrgetter("footprints"), footprints_of, deviating_footprints),
)


def write(exercises: Sequence[Exercise], options: Options = Options()) -> None:  # noqa: B008
    """Compute and write what ships with the exercises."""
    with open_grader(exercises, options) as grader:
        for exercise in exercises:
            for file in FILES:
                write_whole(file.path(exercise), file.content(grader, exercise))
            grader.forget()


def missing(exercise: Exercise) -> tuple[Path, ...]:
    """The files that might ship with the exercise, and do not."""
    return tuple(path for file in FILES if not (path := file.path(exercise)).exists())


def deviations(grader: Grader, exercise: Exercise) -> Iterator[str]:
    """What of the files that ship with an exercise is not as it is computed here, and the command that writes them anew."""
    told = False
    for file in FILES:
        path = file.path(exercise)
        for sentence in file.deviations(path.read_bytes(), file.content(grader, exercise)) if path.exists() else ():
            told = True
            yield f"{path.relative_to(exercise.course).as_posix()}: {sentence}"
    if told:
        yield _("`{command}` writes it anew.", command=command(exercise))


def command(exercise: Exercise) -> str:
    """The command that writes what ships with an exercise."""
    course = ["--course", exercise.other_course] if exercise.other_course else []
    return shlex.join(["normgrade", "verify", "--write", exercise.slug, *course])
