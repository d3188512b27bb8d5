"""Tests of the grader: it is opened once, grades any number of times, and closes its hosts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise, Limits
from normgrade.course.files import read_text
from normgrade.course.tensor_library import Library
from normgrade.grading import grader as grader_module
from normgrade.grading.grader import LEAST_LEFT_S, Grader
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.report.report import Outcome

WRONG = "def rms(x, eps=1e-5):\n    return x\n"


@pytest.fixture(scope="module")
def grader(tiny: Course, expectations: Path) -> Iterator[Grader]:
    with open_grader([*tiny, *tiny], Options()) as grader:
        yield grader


@pytest.fixture
def rms(tiny: Course) -> Exercise:
    return tiny.exercise("rms")


def test_right_answer_passes_between_wrong_ones(grader: Grader, rms: Exercise) -> None:
    reference = read_text(rms.reference)
    for source, outcome in ((WRONG, Outcome.FAILED), (reference, Outcome.PASSED), (WRONG, Outcome.FAILED)):
        outcomes = {result.check.outcome for result in grader.results(rms, source, "rms.py")}
        assert outcome in outcomes and (outcome is Outcome.FAILED or outcomes == {Outcome.PASSED})


def test_results_are_lazy_and_closing_ends_the_worker(grader: Grader, rms: Exercise) -> None:
    results = grader.results(rms, read_text(rms.reference), "rms.py")
    first = next(results)
    worker = grader.hosts[Library.TORCH].connected
    assert first.check.name == grader.suites["rms"].names[0] and worker is not None and worker.channel is not None
    results.close()
    assert worker.channel is None


def test_timeout_limits_each_answer_and_the_total(grader: Grader, rms: Exercise) -> None:
    exercise = replace(rms, limits=Limits(answer_s=5.0, total_s=30.0))
    hurried = replace(grader, options=replace(grader.options, timeout_s=2.0))
    assert grader.limits(exercise) == exercise.limits
    assert hurried.limits(exercise) == replace(exercise.limits, answer_s=2.0, total_s=2.0)


def test_crowding_never_stretches_the_users_time(grader: Grader, rms: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grader_module, "crowding", lambda: 2.0)
    hurried = replace(grader, options=replace(grader.options, timeout_s=2.0))
    assert [each.worker(rms, WRONG, "rms.py").crowding for each in (grader, hurried)] == [2.0, 1.0]


def test_search_takes_half_of_the_remaining_time(grader: Grader, rms: Exercise) -> None:
    list(grader.results(rms, WRONG, "rms.py"))
    used_s = grader.hosts[Library.TORCH].used_s
    exercise = replace(rms, limits=Limits(5.0, 1000.0))
    hurried = replace(grader, options=replace(grader.options, timeout_s=used_s + 2.5))
    assert grader.search_s(exercise) == math.inf and hurried.search_s(exercise) == pytest.approx(1.25)
    assert grader.search_s(replace(rms, limits=Limits(5.0, used_s + LEAST_LEFT_S / 2))) == 0.0


def test_search_without_time_differs_from_empty_search(grader: Grader, rms: Exercise) -> None:
    wrong, right = (list(grader.results(rms, source, "rms.py")) for source in (WRONG, read_text(rms.reference)))
    assert grader.diagnose(rms, wrong, within_s=-1.0).diagnoses is None
    assert grader.diagnose(rms, right).diagnoses == ()
