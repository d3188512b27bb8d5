"""Tests of the recordings that are held for the next submission."""

from __future__ import annotations

import numpy as np
import pytest

from normgrade.grading import recordings
from normgrade.grading.recordings import Recordings
from normgrade.worker.wire.messages import RecordQuestion
from normgrade.worker.wire.observation import Cause, Error, Record, Recording
from normgrade.worker.wire.requests import FunctionCall


def question(source: str, size_limit_bytes: int = 64, argument: float = 1.0) -> RecordQuestion:
    return RecordQuestion(FunctionCall("f", [argument]), size_limit_bytes, source)


class Recorder:
    """A function that makes a recording of 80 bytes, or one with an error, and counts its calls."""

    def __init__(self, error: Error | None = None) -> None:
        self.asked: list[str | None] = []
        self.error = error

    def __call__(self, asked: RecordQuestion) -> Recording:
        self.asked.append(asked.source)
        return Recording({}, self.error, records=(Record(0, 0, "float64", np.zeros(10)),))


def test_equal_questions_are_recorded_once() -> None:
    held, record = Recordings(), Recorder()
    assert held.of(question("a"), record) is held.of(question("a"), record)
    assert record.asked == ["a"]


@pytest.mark.parametrize("other", [question("b"), question("a", 65), question("a", argument=2.0)])
def test_other_questions_are_recorded(other: RecordQuestion) -> None:
    held, record = Recordings(), Recorder()
    assert held.of(question("a"), record) is not held.of(other, record)
    assert len(record.asked) == 2


def test_failed_recordings_are_not_held() -> None:
    held, record = Recordings(), Recorder(Error(Cause.CRASHED, "it died"))
    held.of(question("a"), record)
    held.of(question("a"), record)
    assert record.asked == ["a", "a"] and held.size_bytes == 0


def test_recordings_not_asked_for_longest_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings, "MOST_BYTES", 160)
    held, record = Recordings(), Recorder()
    for source in ("a", "b", "a", "c", "a", "b"):
        held.of(question(source), record)
    assert record.asked == ["a", "b", "c", "b"] and held.size_bytes == 160


def test_newest_recording_is_held_however_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recordings, "MOST_BYTES", 1)
    held, record = Recordings(), Recorder()
    for source in ("a", "b", "b"):
        held.of(question(source), record)
    assert record.asked == ["a", "b"] and held.size_bytes == 80
