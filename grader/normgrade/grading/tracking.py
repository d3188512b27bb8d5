"""The footprints of an exercise's known mistakes: they ship with it, or else they are computed once, on all cores, and kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import Mistake
from normgrade.diagnosis.deadline import NEVER, Deadline
from normgrade.diagnosis.effects import Layout, OnChange, Plays, effects_from, effects_of
from normgrade.diagnosis.footprints import VERSION, Footprints, decode, digest, encode
from normgrade.grading.grading_options import Options
from normgrade.grading.reference_run import ReferenceRun
from normgrade.language import _
from normgrade.oracle.fingerprint import fingerprint
from normgrade.oracle.kept import Damaged, request_key
from normgrade.oracle.oracle import Oracle
from normgrade.suite.collection import collect
from normgrade.suite.suite import Suite

if TYPE_CHECKING:  # multiprocessing is loaded only if anything has to be computed
    from normgrade.grading.parallel import Tick

FEW = 2000  # plays of mistakes, which take less time than starting more processes


def footprints(
    suite: Suite, reference_run: ReferenceRun, mistakes: Sequence[Mistake], options: Options, deadline: Deadline = NEVER
) -> Footprints:
    """Return the footprints of these mistakes in all plays of a suite. Those that do not ship with the exercise are computed.

    Raises OutOfTime if they are not computed by the deadline.
    """
    if (known := at_hand(suite, reference_run, mistakes)) is not None:
        return known
    there = shipped(suite, reference_run)
    return joined(there, computed(suite, reference_run, missing_in(there, mistakes), options, deadline)).among(mistakes)


def at_hand(suite: Suite, reference_run: ReferenceRun, mistakes: Sequence[Mistake]) -> Footprints | None:
    """Return the footprints of these mistakes that ship or were kept, without computing any; None if some are missing."""
    there = shipped(suite, reference_run)
    if missing := missing_in(there, mistakes):
        more = kept(reference_run, missing)
        return None if more is None else joined(there, more).among(mistakes)
    return there if there is None else there.among(mistakes)


def missing_in(there: Footprints | None, mistakes: Sequence[Mistake]) -> list[Mistake]:
    """Return the mistakes whose footprints are still to be found, including those that changed since."""
    return [mistake for mistake in mistakes if there is None or not there.has(mistake)]


def joined(there: Footprints | None, more: Footprints) -> Footprints:
    return more if there is None else more.with_those(there)


def shipped(suite: Suite, reference_run: ReferenceRun) -> Footprints | None:
    """Return the footprints that ship with an exercise; None if there are none, or if they are of other plays."""
    with suppress(OSError, Damaged):
        there = decode(reference_run.exercise.footprints.read_bytes())
        return there if made_for(there, suite, reference_run) else None
    return None


def made_for(there: Footprints, suite: Suite, reference_run: ReferenceRun) -> bool:
    """Return True if footprints are of the plays of a suite."""
    plays = plays_of(suite, reference_run)
    return there.layout.keys == tuple(key for key, _ in plays) and np.array_equal(there.plays, made_of(plays, reference_run.oracle))


def computed(
    suite: Suite,
    reference_run: ReferenceRun,
    mistakes: Sequence[Mistake],
    options: Options,
    deadline: Deadline = NEVER,
    on_change: OnChange = lambda mistake, play, change: None,
) -> Footprints:
    """Compute the footprints and keep them, unless they were kept already. No two processes compute the same ones at once.

    If they are computed in this process, `on_change` is called with every change that a mistake makes. Raises OutOfTime if they are not
    computed by the deadline.
    """
    if (known := kept(reference_run, mistakes)) is not None:
        return known
    cache, name = reference_run.oracle.cache, key(reference_run, mistakes)
    with cache.alone(name, deadline.left_s):
        if (known := kept(reference_run, mistakes)) is not None:
            return known
        deadline.keep()
        found = play_all(suite, reference_run, mistakes, options, deadline, on_change)
        cache.put(name, encode(found))
    return found


def kept(reference_run: ReferenceRun, mistakes: Sequence[Mistake]) -> Footprints | None:
    """Return the footprints that were kept; None if they are still to be computed."""
    known = reference_run.oracle.cache.get(key(reference_run, mistakes))
    with suppress(Damaged):  # as if there were none
        return None if known is None else decode(known)
    return None


def play_all(
    suite: Suite, reference_run: ReferenceRun, mistakes: Sequence[Mistake], options: Options, deadline: Deadline, on_change: OnChange
) -> Footprints:
    """Play every mistake, on all cores if that is worth it, and return the footprints."""
    from normgrade.grading.parallel import Job, over_cores  # loads multiprocessing

    oracle, exercise, seed = reference_run.oracle, reference_run.exercise, reference_run.seed
    what = _("{exercise}: effects of known mistakes, once for seed {seed}", exercise=exercise.slug, seed=seed)
    plays = plays_of(suite, reference_run)
    cores = options.cores if len(plays) * len(mistakes) > FEW else 1
    if cores == 1 or not mistakes:
        jobs = [Job(len(mistakes), partial(play_here, what, plays, reference_run.reference, mistakes, oracle, on_change))]
    else:
        slices = [mistakes[len(mistakes) * core // cores : len(mistakes) * (core + 1) // cores] for core in range(cores)]
        jobs = [Job(len(some), partial(play_elsewhere, what, exercise, oracle.elsewhere(), seed, some)) for some in slices if some]
    first, *others = over_cores(jobs, cores, options.progress, deadline=deadline, first=what)
    for other in others:
        first = first.with_those(other)
    return first


def play_here(
    what: str, plays: Plays, reference: str, mistakes: Sequence[Mistake], oracle: Oracle, on_change: OnChange, tick: Tick
) -> Footprints:
    return Footprints.of(effects_of(plays, reference, mistakes, oracle, partial(tick, what), on_change), made_of(plays, oracle), mistakes)


def play_elsewhere(what: str, exercise: Exercise, oracle: Oracle, seed: int, mistakes: Sequence[Mistake], tick: Tick) -> Footprints:
    """Return the footprints of these mistakes, as a job in another process. It collects the suite again, because plays cannot be sent."""
    reference_run = ReferenceRun(oracle, exercise, read_text(exercise.reference), seed)
    plays = plays_of(collect([exercise])[exercise.slug], reference_run)
    return play_here(what, plays, reference_run.reference, mistakes, oracle, lambda mistake, play, change: None, tick)


def none_of(suite: Suite, reference_run: ReferenceRun) -> Footprints:
    """Return the footprints of no mistake, in the plays of a suite."""
    plays = plays_of(suite, reference_run)
    return Footprints.of(effects_from((), Layout.of(plays), ()), made_of(plays, reference_run.oracle), ())


def plays_of(suite: Suite, reference_run: ReferenceRun) -> Plays:
    """Return all plays of a suite by their keys, as the right answer plays them."""
    return [((test.name, number), play) for test in suite.tests for number, play in enumerate(reference_run.of(test).right)]


def made_of(plays: Plays, oracle: Oracle) -> np.ndarray:
    """Return a number for each play, which depends on all that the play depends on in the course, but on no version of a library."""
    own = [str(VERSION), oracle.reference or "", oracle.all_probes, *oracle.spread]
    return np.array([digest(*own, request_key(play.expectation.request)) for _, play in plays], np.uint64)


def key(reference_run: ReferenceRun, mistakes: Sequence[Mistake]) -> str:
    """Return the cache name of footprints. It depends on everything that they depend on."""
    wrong = [text for mistake in mistakes for text in (mistake.name, mistake.source)]
    return fingerprint("footprints", *of_exercise(reference_run), *wrong)


def key_of_one(reference_run: ReferenceRun, mistake: Mistake) -> str:
    """Return the cache name of the changes that one mistake was seen to make."""
    return fingerprint("seen", *of_exercise(reference_run), mistake.source)


def of_exercise(reference_run: ReferenceRun) -> tuple[str | bytes, ...]:
    """Return all that plays of an exercise depend on, except for the source that is played."""
    oracle, exercise = reference_run.oracle, reference_run.exercise
    files = [exercise.description, exercise.suite, exercise.reference, *exercise.helpers]
    return (str(reference_run.seed), *map(read_text, files), oracle.all_probes, *oracle.spread)
