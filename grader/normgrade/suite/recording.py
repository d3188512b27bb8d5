"""What the oracle says of everything that a suite asks with the public seed, computed here: what is to ship with the exercise."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from normgrade.compare.differences import unsound
from normgrade.course.course import Exercise
from normgrade.course.files import read_text
from normgrade.oracle.expectation import Oracle
from normgrade.oracle.shipped import Recorded
from normgrade.suite.grading_options import PUBLIC_SEED
from normgrade.suite.run import Rehearsal
from normgrade.suite.suite import Suite


def recorded(suite: Suite, exercise: Exercise, oracle: Oracle, tick: Callable[[], None] = lambda: None) -> Recorded:
    """Every request of a suite by the name under which it ships, with its expectation as it is computed here.

    `tick` is called after each test.
    """
    here = replace(oracle.afresh(), recorded={})
    rehearsal = Rehearsal(here, exercise, read_text(exercise.reference), PUBLIC_SEED)
    for test in suite.tests:
        rehearsal.of(test)
        tick()
    assert here.recorded is not None
    return {
        name: (request, replace(expectation, sound=unsound(expectation) is None)) for name, (request, expectation) in here.recorded.items()
    }


def asked(suite: Suite, exercise: Exercise, oracle: Oracle) -> Collection[str]:
    """The names of all requests of a suite. What does not ship is computed."""
    counting = replace(oracle, held={}, recorded={})
    rehearsal = Rehearsal(counting, exercise, read_text(exercise.reference), PUBLIC_SEED)
    for test in suite.tests:
        rehearsal.of(test)
    return {*counting.held, *(counting.recorded or ())}
