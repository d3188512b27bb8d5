"""An understudy: one worker plays the course's own sources, one after the other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from normgrade.course.course import Course
from normgrade.suite.understudy import Understudy
from normgrade.worker.host import Host
from normgrade.worker.observation import Array, Observation
from normgrade.worker.requests import FunctionCall

SOURCE = "import os\ncalls = 0\n\ndef rms(x):\n    global calls\n    calls += 1\n    return {}\n"
REQUEST = FunctionCall("rms", [Array(np.ones(2, np.float32), "float32")])


@pytest.fixture
def understudy(tiny: Course) -> Iterator[Understudy]:
    with Host() as host, Understudy(host, tiny.exercise("rms")) as one:
        yield one


def result(observation: Observation | None) -> list[float] | None:
    if observation is None or observation.error is not None:
        return None
    value = observation.values["result"]
    assert isinstance(value, Array)
    return value.values.tolist()  # type: ignore[no-any-return]


def test_sources_are_played_one_after_the_other_in_one_process(understudy: Understudy) -> None:
    assert understudy.worker is None  # nothing starts before it is needed
    pids = set()
    for factor in (2.0, 3.0, 2.0):
        assert result(understudy.play(SOURCE.format(f"{factor} * x"), REQUEST)) == [factor, factor]
        pids.add(tuple(result(understudy.play(SOURCE.format("x * 0 + os.getpid()"), REQUEST)) or ()))
    assert len(pids) == 1


def test_a_source_is_loaded_afresh_after_another_and_once_in_a_row(understudy: Understudy) -> None:
    counted, other = SOURCE.format("x * 0 + calls"), SOURCE.format("x")
    assert [result(understudy.play(source, REQUEST)) for source in (counted, counted, other, counted)] == [[1, 1], [2, 2], [1, 1], [1, 1]]


def test_what_a_source_raises_is_observed(understudy: Understudy) -> None:
    seen = understudy.play(SOURCE.format("x.nothing"), REQUEST)
    assert seen is not None and seen.error is not None and seen.error.types[0] == "AttributeError"


@pytest.mark.parametrize("bad", ["1 / 0\n", SOURCE.format("os._exit(3)")])
def test_one_that_cannot_be_played_is_none_and_the_next_one_is_played(bad: str, understudy: Understudy) -> None:
    good = SOURCE.format("x")
    assert [result(understudy.play(source, REQUEST)) for source in (bad, good, bad, good)] == [None, [1, 1], None, [1, 1]]
