"""The expectations of all requests of a suite with the public seed, computed here: they are to ship with the exercise."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from normgrade.compare.differences import unsound
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.grading.grading_options import PUBLIC_SEED
from normgrade.grading.reference_run import ReferenceRun
from normgrade.oracle.oracle import Oracle
from normgrade.oracle.shipped import Recorded
from normgrade.suite.suite import Suite


def recorded(suite: Suite, exercise: Exercise, oracle: Oracle, tick: Callable[[], None] = lambda: None) -> Recorded:
    """Compute the expectations of a suite. Return each request with its expectation, by the name under which they ship.

    `tick` is called after each test.
    """
    here = replace(oracle.afresh(), recorded={})
    reference_run = ReferenceRun(here, exercise, read_text(exercise.reference), PUBLIC_SEED)
    for test in suite.tests:
        reference_run.of(test)
        tick()
    assert here.recorded is not None
    return {
        name: (request, replace(expectation, sound=unsound(expectation) is None)) for name, (request, expectation) in here.recorded.items()
    }


def asked(suite: Suite, exercise: Exercise, oracle: Oracle) -> Collection[str]:
    """Return the names of all requests of a suite. Expectations that do not ship are computed."""
    counting = replace(oracle, held={}, recorded={})
    reference_run = ReferenceRun(counting, exercise, read_text(exercise.reference), PUBLIC_SEED)
    for test in suite.tests:
        reference_run.of(test)
    return {*counting.held, *(counting.recorded or ())}
