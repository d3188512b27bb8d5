"""The changes that every known mistake makes in the plays of a suite: computed when a seed is first asked for, then read from the cache."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from typing import TYPE_CHECKING

from normgrade.compare.deadline import NEVER, Deadline
from normgrade.compare.effects import Effects, Plays, decode, effects_of, encode, merged
from normgrade.course.course import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import Mistake
from normgrade.course.package import PACKAGE
from normgrade.language import _
from normgrade.oracle.cache import Cache
from normgrade.oracle.expectation import Oracle, fingerprint
from normgrade.oracle.kept import Damaged
from normgrade.suite.collection import collect
from normgrade.suite.grading_options import Options
from normgrade.suite.run import Rehearsal
from normgrade.suite.suite import Suite

if TYPE_CHECKING:  # multiprocessing is loaded where anything has to be computed
    from normgrade.suite.parallel import Tick

FEW = 2000  # plays of mistakes, which take less long than to start more processes
SOURCES = ("compare/differences.py", "compare/effects.py", "compare/facts.py", "suite/*.py")  # that decide on plays and effects


def repertoire(suite: Suite, rehearsal: Rehearsal, mistakes: Sequence[Mistake], options: Options, deadline: Deadline = NEVER) -> Effects:
    """The effects of these mistakes of an exercise, in all plays that the seed draws. No two processes compute the same ones at once.

    Raises OutOfTime where they are not computed by the deadline.
    """
    if (known := kept(rehearsal, mistakes)) is not None:
        return known
    cache, name = rehearsal.oracle.cache, key(rehearsal.oracle, rehearsal.exercise, mistakes, rehearsal.seed)
    with cache.alone(name, deadline.left_s):
        if (known := kept(rehearsal, mistakes)) is not None:
            return known
        deadline.keep()
        found = computed(suite, rehearsal, mistakes, options, deadline)
        cache.put(name, encode(found))
    return found


def computed(suite: Suite, rehearsal: Rehearsal, mistakes: Sequence[Mistake], options: Options, deadline: Deadline) -> Effects:
    """The effects, from plays of every mistake, on all cores where that is worth it."""
    from normgrade.suite.parallel import Job, over_cores

    oracle, exercise, seed = rehearsal.oracle, rehearsal.exercise, rehearsal.seed
    what = _("{exercise}: what each known mistake leads to, once for seed {seed}", exercise=exercise.slug, seed=seed)
    plays = plays_of(suite, rehearsal)
    cores = options.cores if len(plays) * len(mistakes) > FEW else 1
    if cores == 1:
        jobs = [Job(len(mistakes), partial(effects_in, what, plays, rehearsal.reference, mistakes, oracle))]
    else:
        elsewhere = replace(oracle, cache=Cache(oracle.cache.folder, oracle.cache.key))  # without what it holds in memory
        slices = [mistakes[len(mistakes) * core // cores : len(mistakes) * (core + 1) // cores] for core in range(cores)]
        jobs = [Job(len(some), partial(effects_elsewhere, what, exercise, elsewhere, seed, some)) for some in slices if some]
    return merged(over_cores(jobs, cores, options.progress, deadline=deadline, first=what))


def kept(rehearsal: Rehearsal, mistakes: Sequence[Mistake]) -> Effects | None:
    """The effects as they were kept; None where they are still to be computed."""
    known = rehearsal.oracle.cache.get(key(rehearsal.oracle, rehearsal.exercise, mistakes, rehearsal.seed))
    with suppress(Damaged):  # as good as none
        return None if known is None else decode(known)
    return None


def plays_of(suite: Suite, rehearsal: Rehearsal) -> Plays:
    """All plays of a suite, as they are asked for, with nothing observed."""
    return [((test.name, number), play) for test in suite.tests for number, play in enumerate(rehearsal.of(test).right)]


def effects_in(what: str, plays: Plays, reference: str, mistakes: Sequence[Mistake], oracle: Oracle, tick: Tick) -> Effects:
    return effects_of(plays, reference, mistakes, oracle, partial(tick, what))


def effects_elsewhere(what: str, exercise: Exercise, oracle: Oracle, seed: int, mistakes: Sequence[Mistake], tick: Tick) -> Effects:
    """The effects of these mistakes, for a job in another process: it collects the suite anew, since plays do not travel."""
    rehearsal = Rehearsal(oracle, exercise, read_text(exercise.reference), seed)
    plays = plays_of(collect([exercise])[exercise.slug], rehearsal)
    return effects_in(what, plays, rehearsal.reference, mistakes, oracle, tick)


def key(oracle: Oracle, exercise: Exercise, mistakes: Sequence[Mistake], seed: int) -> str:
    """The name under which the effects are kept: it depends on everything that they depend on."""
    files = [exercise.description, exercise.suite, exercise.reference, *exercise.helpers]
    texts = [*map(read_text, files), oracle.all_probes]
    wrong = [text for mistake in mistakes for text in (mistake.name, mistake.source)]
    return fingerprint("effects", str(seed), *texts, *oracle.spread, *wrong, own_sources())


@cache
def own_sources() -> bytes:
    paths = sorted(path for pattern in SOURCES for path in PACKAGE.glob(pattern))
    return sha256(b"\0".join(path.read_bytes() for path in paths)).digest()
