"""Tests of the preparation: it lasts as long as the zygote starts, and what it leaves is done on demand."""

from __future__ import annotations

from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.course.tensor_library import Library
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.grading.preparation import prepare
from normgrade.report.report import Outcome


def test_preparation_ends_when_the_host_is_ready(tiny: Course, expectations: Path) -> None:
    rms = tiny.exercise("rms")
    with open_grader([rms], Options()) as grader:
        grader.hosts[Library.TORCH].starter.protection()
        assert grader.hosts[Library.TORCH].ready
        prepare(grader, rms, seed=2)
        assert not grader.reference_run(rms, 2).known
        outcomes = {result.check.outcome for result in grader.results(rms, read_text(rms.reference), "rms.py", seed=2)}
    assert outcomes == {Outcome.PASSED}
