"""Tests of the opening of a grader: every exercise is opened once, and its hosts are closed."""

from __future__ import annotations

from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.tensor_library import Library
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.suite.collection import collect
from normgrade.worker.trusted.host import Host


@pytest.fixture
def rms(tiny: Course) -> Exercise:
    return tiny.exercise("rms")


def test_every_exercise_is_opened_once(tiny: Course, expectations: Path) -> None:
    with open_grader([*tiny, *tiny], Options()) as grader:
        assert grader.suites.keys() == grader.oracles.keys() == {*tiny.slugs}


def test_suites_can_be_collected_by_the_caller(rms: Exercise, expectations: Path) -> None:
    suites = collect([rms])
    with open_grader([rms], Options(), collect=lambda exercises: suites) as grader:
        assert grader.suites is suites


def test_exception_closes_the_host(rms: Exercise, expectations: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed, close = list[Host](), Host.close

    def noted(host: Host) -> None:
        closed.append(host)
        close(host)

    monkeypatch.setattr(Host, "close", noted)
    with pytest.raises(KeyError), open_grader([rms], Options()) as grader:
        host = grader.hosts[Library.TORCH]
        raise KeyError
    assert closed == [host]
