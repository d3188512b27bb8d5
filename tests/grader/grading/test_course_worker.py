"""Tests of the course's worker: one process that plays the course's own sources one after the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from normgrade.course.ban import Ban
from normgrade.course.course import Course
from normgrade.grading.course_worker import CourseWorker
from normgrade.worker.trusted.host import Host
from normgrade.worker.wire.observation import Array, Cause, Observation
from normgrade.worker.wire.requests import FunctionCall

SOURCE = "import os\ncalls = 0\n\ndef rms(x):\n    global calls\n    calls += 1\n    return {}\n"
REQUEST = FunctionCall("rms", [Array(np.ones(2, np.float32), "float32")])


@pytest.fixture
def course_worker(tiny: Course) -> Iterator[CourseWorker]:
    with Host() as host, CourseWorker(host, tiny.exercise("rms")) as one:
        yield one


def one(course_worker: CourseWorker, source: str) -> list[float] | None:
    [observation] = course_worker.plays([(source, REQUEST)])
    return result(observation)


def result(observation: Observation | None) -> list[float] | None:
    if observation is None or observation.error is not None:
        return None
    value = observation.values["result"]
    assert isinstance(value, Array)
    return value.values.tolist()  # type: ignore[no-any-return]


def test_sources_are_played_in_one_process(course_worker: CourseWorker) -> None:
    assert course_worker.worker is None  # started only when needed
    pids = set()
    for factor in (2.0, 3.0, 2.0):
        assert one(course_worker, SOURCE.format(f"{factor} * x")) == [factor, factor]
        pids.add(tuple(one(course_worker, SOURCE.format("x * 0 + os.getpid()")) or ()))
    assert len(pids) == 1


def test_source_is_reloaded_only_after_another(course_worker: CourseWorker) -> None:
    counted, other = SOURCE.format("x * 0 + calls"), SOURCE.format("x")
    assert [one(course_worker, source) for source in (counted, counted, other, counted)] == [[1, 1], [2, 2], [1, 1], [1, 1]]


def test_exception_of_a_source_is_observed(course_worker: CourseWorker) -> None:
    [seen] = course_worker.plays([(SOURCE.format("x.nothing"), REQUEST)])
    assert seen is not None and seen.error is not None and seen.error.types[0] == "AttributeError"


@pytest.mark.parametrize("bad", ["1 / 0\n", SOURCE.format("os._exit(3)")])
def test_unplayable_source_is_none_and_the_next_plays(bad: str, course_worker: CourseWorker) -> None:
    good = SOURCE.format("x")
    assert [one(course_worker, source) for source in (bad, good, bad, good)] == [None, [1, 1], None, [1, 1]]


@pytest.mark.parametrize("bad", ["1 / 0\n", SOURCE.format("os._exit(3)")])
def test_pipelined_plays_come_in_order(bad: str, course_worker: CourseWorker) -> None:
    sources = [SOURCE.format(f"{factor} * x") for factor in range(4)]
    played = course_worker.plays((source, REQUEST) for source in (*sources[:2], bad, *sources[2:]))
    assert [result(each) for each in played] == [[0, 0], [1, 1], None, [2, 2], [3, 3]]


def test_abandoned_plays_do_not_disturb_later_ones(course_worker: CourseWorker) -> None:
    sources = [SOURCE.format(f"{factor} * x") for factor in range(6)]
    assert result(next(course_worker.plays((source, REQUEST) for source in sources))) == [0, 0]
    assert [result(each) for each in course_worker.plays((source, REQUEST) for source in sources[3:])] == [[3, 3], [4, 4], [5, 5]]


def test_part_reports_a_source_that_ends_the_process(course_worker: CourseWorker) -> None:
    parts = {source: course_worker.player(SOURCE.format(source)) for source in ("2 * x", "os._exit(3)", "os._exit(3)  # again", "3 * x")}
    seen = {source: part.play(REQUEST, 2**16) for source, part in parts.items()}
    assert [result(each) for each in seen.values()] == [[2, 2], None, None, [3, 3]]
    assert [each.error and each.error.cause for each in seen.values()] == [None, Cause.EXITED, Cause.EXITED, None]


def test_ban_holds_for_every_source(tiny: Course) -> None:
    with Host() as host, CourseWorker(host, tiny.exercise("rms"), Ban(("torch.var",))) as course_worker:
        for source in ("x.var()", "x.var() + 1"):
            seen = course_worker.player(SOURCE.format(source)).play(REQUEST, 2**16)
            assert seen.error is not None and seen.error.types[0] == "ByHand"
