"""Tests of plays in this process, of sources of the course: they are played as in a worker."""

from __future__ import annotations

from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.grading.in_process import InProcess
from normgrade.grading.reference_run import ReferenceRun
from normgrade.grading.run import Run
from normgrade.oracle.cache import Cache
from normgrade.oracle.oracle import Oracle
from normgrade.suite.collection import collect
from normgrade.worker.wire.observation import Cause


def test_right_source_passes_and_broken_one_fails(tiny: Course, expectations: Path) -> None:
    exercise = tiny.exercise("rms")
    oracle, reference = Oracle.of(exercise, Cache(expectations, bytes(32))), read_text(exercise.reference)
    reference_run, suite = ReferenceRun(oracle, exercise, reference), collect([exercise])["rms"]

    def outcomes(source: str) -> set[str]:
        return {result.check.outcome for result in Run(InProcess(oracle, source), reference_run).results(suite)}

    assert outcomes(reference) == {"passed"} and outcomes("unknown_name") == {"failed", "skipped"}
    request = reference_run.of(suite.tests[0]).asked[0].expectation.request
    error = InProcess(oracle, "unknown_name").play(request, 0).error
    assert error is not None and error.cause is Cause.NOT_LOADED and "unknown_name" in error.message
