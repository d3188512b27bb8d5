"""What every known mistake changes in the plays of a suite: computed when a seed is first asked for, then read from the cache."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256

from normgrade.compare.effects import Effects, decode, effects_of, encode
from normgrade.course.course import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import Mistake
from normgrade.course.package import PACKAGE
from normgrade.language import _
from normgrade.oracle.expectation import Oracle, fingerprint
from normgrade.oracle.kept import Damaged
from normgrade.suite.collection import Suite
from normgrade.suite.grading_options import OnProgress
from normgrade.suite.run import Rehearsal

SOURCES = ("compare/differences.py", "compare/effects.py", "compare/facts.py", "suite/*.py")  # that decide on plays and effects


def repertoire(suite: Suite, rehearsal: Rehearsal, mistakes: Sequence[Mistake], progress: OnProgress) -> Effects:
    """The effects of these mistakes of an exercise, in all plays that the seed draws."""
    oracle, exercise, seed = rehearsal.oracle, rehearsal.exercise, rehearsal.seed
    name = key(oracle, exercise, mistakes, seed)
    if (known := oracle.cache.get(name)) is not None:
        with suppress(Damaged):  # as good as none
            return decode(known)

    def tick(done: int, total: int) -> None:
        progress(_("{exercise}: what each known mistake leads to, once for seed {seed}", exercise=exercise.slug, seed=seed), done, total)

    tick(0, len(mistakes))
    asked = [((test.name, number), each) for test in suite.tests for number, each in enumerate(rehearsal.of(test).asked)]
    plays = [(place, each.played_by(None)) for place, each in asked]
    found = effects_of(plays, rehearsal.reference, mistakes, oracle, tick)
    oracle.cache.put(name, encode(found))
    return found


def key(oracle: Oracle, exercise: Exercise, mistakes: Sequence[Mistake], seed: int) -> str:
    """The name under which the effects are kept: it depends on everything that they depend on."""
    texts = [read_text(exercise.folder / "exercise.toml"), read_text(exercise.suite), read_text(exercise.reference), oracle.probes or ""]
    wrong = [text for mistake in mistakes for text in (mistake.name, mistake.source)]
    return fingerprint("effects", str(seed), *texts, *oracle.spread, *wrong, own_sources())


@cache
def own_sources() -> bytes:
    paths = sorted(path for pattern in SOURCES for path in PACKAGE.glob(pattern))
    return sha256(b"\0".join(path.read_bytes() for path in paths)).digest()
