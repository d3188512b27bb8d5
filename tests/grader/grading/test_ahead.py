"""Tests that expectations that do not ship are computed once, in several processes."""

from __future__ import annotations

from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.grading.ahead import compute_ahead
from normgrade.grading.grading_options import Options
from normgrade.grading.reference_run import ReferenceRun
from normgrade.oracle.cache import Cache
from normgrade.oracle.oracle import Oracle
from normgrade.suite.collection import collect

KEY = b"k" * 32


def reference_run(exercise: Exercise, folder: Path, seed: int = 3) -> ReferenceRun:
    return ReferenceRun(Oracle.of(exercise, Cache(folder, KEY)), exercise, read_text(exercise.reference), seed)


def test_expectations_of_other_processes_are_kept(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = tiny.exercise("rms")
    suite, told = collect([exercise])["rms"], list[tuple[str, int, int]]()
    compute_ahead(suite, reference_run(exercise, tmp_path), Options(cores=2, progress=lambda *what: told.append(what)))
    assert {(what, total) for what, _done, total in told} == {("rms: expected results, once for seed 3", len(suite.tests))}
    assert max(done for _what, done, _total in told) == len(suite.tests)

    monkeypatch.setattr("normgrade.oracle.oracle.expect", None)  # nothing can be computed from here on
    kept = reference_run(exercise, tmp_path)
    kept.ahead(suite, lambda: False)
    assert {*kept.known} == {*suite.names}
    monkeypatch.setattr("normgrade.grading.parallel.over_cores", None)
    compute_ahead(suite, reference_run(exercise, tmp_path), Options(cores=2))


def test_one_core_computes_nothing_ahead(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("normgrade.grading.parallel.over_cores", None)
    exercise = tiny.exercise("rms")
    compute_ahead(collect([exercise])["rms"], reference_run(exercise, tmp_path), Options(cores=1))


def test_dead_process_loses_nothing(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(*_arguments: object, **_options: object) -> None:
        raise BrokenProcessPool

    monkeypatch.setattr("normgrade.grading.parallel.over_cores", dies)
    exercise = tiny.exercise("rms")
    suite, here = collect([exercise])["rms"], reference_run(exercise, tmp_path)
    compute_ahead(suite, here, Options(cores=2))
    here.ahead(suite, lambda: False)
    assert {*here.known} == {*suite.names}
