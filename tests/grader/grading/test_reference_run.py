"""Tests of the reference's own run: it plays ahead as long as it is told to, and the rest on demand."""

from __future__ import annotations

from pathlib import Path

from hidden_suites import KEY, RIGHT, InThisProcess

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.grading.reference_run import ReferenceRun, failure
from normgrade.grading.run import Run
from normgrade.oracle.cache import Cache
from normgrade.oracle.oracle import Oracle
from normgrade.report.report import Outcome
from normgrade.suite.collection import collect


def test_reference_plays_ahead_until_told_to_stop(tiny: Course, expectations: Path) -> None:
    """Play ahead while a worker imports PyTorch. The other tests, and those that look at results, are played when needed."""
    exercise = tiny.exercise("centring")
    suite = collect([exercise])["centring"]
    reference_run = ReferenceRun(Oracle(Cache(expectations, KEY)), exercise, read_text(exercise.reference))
    ready = iter([False, False, True])
    reference_run.ahead(suite, lambda: next(ready))
    assert [*reference_run.known] == [test.name for test in suite.tests if not test.looks][:2]
    results = list(Run(InThisProcess(RIGHT, exercise), reference_run).results(suite))
    assert {*reference_run.known} == {*suite.names} and {result.check.outcome for result in results} == {Outcome.PASSED}


def test_failure_is_the_exception_of_a_test() -> None:
    error = ValueError("no")

    def failing() -> None:
        raise error

    assert failure(failing) is error
    assert failure(lambda: None) is None
