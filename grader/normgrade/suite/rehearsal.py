"""The plays of a suite without a submission: every test is run on the very answers that the reference is expected to give."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import pytest

from normgrade.compare.played import Played
from normgrade.course.course import Exercise
from normgrade.oracle.draws import rounded_to
from normgrade.oracle.expectation import Oracle
from normgrade.oracle.expected import Expectation, Expected
from normgrade.suite.collection import Suite
from normgrade.suite.vocabulary import Playing, playing
from normgrade.worker.observation import Array, Observation, Playable, Value


@dataclass(frozen=True)
class Nobody:
    """Stands for the submission that a rehearsal has none of."""

    def play(self, request: Playable, size_limit_bytes: int) -> Observation:
        raise AssertionError("a rehearsal plays on nothing")


@dataclass
class Rehearsing(Playing):
    """A check that is answered by its own expectations."""

    def play(self, expectation: Expectation, refusal: tuple[str, ...] | None = None) -> Played:
        self.plays.append(Played(echo(expectation), expectation, refusal))
        return self.plays[-1]


def rehearsed(suite: Suite, oracle: Oracle, exercise: Exercise, reference: str, seed: int) -> Iterator[tuple[str, tuple[Played, ...]]]:
    """The name of every test, and its plays. A test that is broken has those that it came to."""
    for test in suite.tests:
        check = Rehearsing(Nobody(), oracle, exercise, reference, seed, test.name)
        token = playing.set(check)
        try:
            with suppress(Exception, pytest.skip.Exception, pytest.fail.Exception):
                test()
        finally:
            playing.reset(token)
        yield test.name, tuple(check.plays)


def echo(expectation: Expectation) -> Observation:
    """The observation that agrees with an expectation in every place."""
    return Observation({place: value_of(expected) for place, expected in expectation.places.items()}, expectation.error)


def value_of(expected: Expected) -> Value:
    value = expected.value
    if isinstance(value, Array) and value.values.dtype.kind == "f" and expected.dtype is not None:
        return rounded_to(value.values, expected.dtype)
    return value
