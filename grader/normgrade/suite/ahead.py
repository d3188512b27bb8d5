"""Expectations that do not ship, as those of another seed or of a course that ships nothing: computed on all cores, then kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from normgrade.course.course import Exercise
from normgrade.course.files import read_text
from normgrade.language import _
from normgrade.oracle.expectation import Oracle, fingerprint
from normgrade.suite.collection import collect
from normgrade.suite.grading_options import PUBLIC_SEED, Options
from normgrade.suite.run import Rehearsal
from normgrade.suite.suite import Suite

if TYPE_CHECKING:  # multiprocessing is loaded where anything has to be computed
    from normgrade.suite.parallel import Tick

KEPT = b"kept"  # says that everything was computed


def compute_ahead(suite: Suite, rehearsal: Rehearsal, options: Options) -> None:
    """Have several processes rehearse a suite, if that takes long: what they compute is kept, and found at once afterwards.

    NumPy's expectations are computed sooner than a process starts.
    """
    oracle, exercise = rehearsal.oracle, rehearsal.exercise
    if options.cores < 2 or exercise.written_with == "numpy" or ships(rehearsal) or rehearsal.known.keys() >= {*suite.names}:
        return
    name = key(suite, rehearsal)
    if oracle.cache.get(name) is not None:
        return
    with oracle.cache.alone(name):
        if oracle.cache.get(name) is None:
            from concurrent.futures.process import BrokenProcessPool

            from normgrade.suite.parallel import Job, over_cores

            slices = [suite.names[core :: options.cores] for core in range(options.cores)]
            jobs = [Job(len(names), partial(rehearse, exercise, oracle.elsewhere(), rehearsal.seed, names)) for names in slices if names]
            with suppress(BrokenProcessPool):  # where memory is short, this process computes what it is asked for
                over_cores(jobs, options.cores, options.progress, first=doing(exercise, rehearsal.seed))
                oracle.cache.put(name, KEPT)


def ships(rehearsal: Rehearsal) -> bool:
    """Whether what a suite asks with this seed ships with the exercise."""
    return rehearsal.seed == PUBLIC_SEED and bool(rehearsal.oracle.shipped.entries)


def rehearse(exercise: Exercise, oracle: Oracle, seed: int, names: Sequence[str], tick: Tick) -> None:
    """Rehearse some tests, for a job in another process: it collects the suite anew, since tests do not travel."""
    rehearsal = Rehearsal(oracle, exercise, read_text(exercise.reference), seed)
    for test in collect([exercise])[exercise.slug].tests:
        if test.name in names:
            rehearsal.of(test)
            tick(doing(exercise, seed))


def doing(exercise: Exercise, seed: int) -> str:
    """What takes so long."""
    return _("{exercise}: what is expected, once for seed {seed}", exercise=exercise.slug, seed=seed)


def key(suite: Suite, rehearsal: Rehearsal) -> str:
    """The name under which it is kept that everything was computed: it depends on all that the expectations depend on."""
    exercise, oracle = rehearsal.exercise, rehearsal.oracle
    files = [exercise.description, exercise.suite, exercise.reference, *exercise.helpers]
    return fingerprint("ahead", str(rehearsal.seed), *map(read_text, files), oracle.all_probes, *oracle.spread, *suite.names)
