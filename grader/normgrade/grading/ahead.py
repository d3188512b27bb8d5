"""Expectations that do not ship, such as those of another seed or of a course that ships nothing: computed on all cores, then cached."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.tensor_library import Library
from normgrade.grading.grading_options import PUBLIC_SEED, Options
from normgrade.grading.reference_run import ReferenceRun
from normgrade.language import _
from normgrade.oracle.fingerprint import fingerprint
from normgrade.oracle.oracle import Oracle
from normgrade.suite.collection import collect
from normgrade.suite.suite import Suite

if TYPE_CHECKING:  # multiprocessing is loaded only if anything has to be computed
    from normgrade.grading.parallel import Tick

KEPT = b"kept"  # the content of the cache entry that marks everything as computed


def compute_ahead(suite: Suite, reference_run: ReferenceRun, options: Options) -> None:
    """Let the reference play a suite in several processes, so that its expectations are found in the cache afterwards.

    Nothing is done with a single core, or if the expectations ship or are known already. Nor is anything done for an exercise in NumPy:
    its expectations are computed in less time than a process takes to start.
    """
    oracle, exercise = reference_run.oracle, reference_run.exercise
    if options.cores < 2 or exercise.written_with is Library.NUMPY or ships(reference_run) or reference_run.known.keys() >= {*suite.names}:
        return
    name = key(suite, reference_run)
    if oracle.cache.get(name) is not None:
        return
    with oracle.cache.alone(name):
        if oracle.cache.get(name) is None:
            from concurrent.futures.process import BrokenProcessPool  # loads multiprocessing

            from normgrade.grading.parallel import Job, over_cores  # loads multiprocessing

            slices = [suite.names[core :: options.cores] for core in range(options.cores)]
            jobs = [
                Job(len(names), partial(play_tests, exercise, oracle.elsewhere(), reference_run.seed, names)) for names in slices if names
            ]
            with suppress(BrokenProcessPool):  # if memory is short, this process computes each expectation on demand
                over_cores(jobs, options.cores, options.progress, first=doing(exercise, reference_run.seed))
                oracle.cache.put(name, KEPT)


def ships(reference_run: ReferenceRun) -> bool:
    """Return True if the expectations for this seed ship with the exercise."""
    return reference_run.seed == PUBLIC_SEED and bool(reference_run.oracle.shipped.entries)


def play_tests(exercise: Exercise, oracle: Oracle, seed: int, names: Sequence[str], tick: Tick) -> None:
    """Let the reference play the named tests, as a job in another process.

    It collects the suite again, because tests cannot be sent to a process.
    """
    reference_run = ReferenceRun(oracle, exercise, read_text(exercise.reference), seed)
    for test in collect([exercise])[exercise.slug].tests:
        if test.name in names:
            reference_run.of(test)
            tick(doing(exercise, seed))


def doing(exercise: Exercise, seed: int) -> str:
    """Return the text that names this work, for the progress."""
    return _("{exercise}: expected results, once for seed {seed}", exercise=exercise.slug, seed=seed)


def key(suite: Suite, reference_run: ReferenceRun) -> str:
    """Return the cache name of the mark that everything was computed. It depends on all that the expectations depend on."""
    exercise, oracle = reference_run.exercise, reference_run.oracle
    files = [exercise.description, exercise.suite, exercise.reference, *exercise.helpers]
    return fingerprint("ahead", str(reference_run.seed), *map(read_text, files), oracle.all_probes, *oracle.spread, *suite.names)
