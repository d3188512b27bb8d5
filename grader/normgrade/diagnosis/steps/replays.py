"""Replays of the course's own sources, with other values in some of their places, within a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from normgrade.diagnosis.steps.failing import Failing
from normgrade.diagnosis.steps.same_values import same
from normgrade.worker.wire.messages import RecordQuestion
from normgrade.worker.wire.observation import Array, Put, Recording

Answer = Callable[[RecordQuestion], Recording]
Outputs = Mapping[str, np.ndarray]  # the numbers of a play, by place


class Spent(Exception):
    """The error if a replay is requested and none is left."""


@dataclass
class Replays:
    """Replays of one failing play. `left` is the number of replays that are still allowed."""

    failing: Failing
    answer: Answer
    left: int
    played: int = 0

    def record(self, source: str, whole: bool = False) -> Recording | None:
        """Record a source, forward only or as a `whole`. Returns None if it fails."""
        request = self.failing.whole if whole else self.failing.forward
        return self.ask(RecordQuestion(request, self.failing.size_limit_bytes, source))

    def put(self, source: str, puts: Iterable[Put], keep: bool = False) -> Recording | None:
        """Play a source, forward only, with other values in some places. With `keep`, values are recorded. Returns None if it fails."""
        return self.ask(RecordQuestion(self.failing.forward, self.failing.size_limit_bytes, source, tuple(puts), keep))

    def ask(self, question: RecordQuestion) -> Recording | None:
        if self.left <= 0:
            raise Spent
        self.left -= 1
        self.played += 1
        recording = self.answer(question)
        return recording if recording.error is None else None


def outputs_of(recording: Recording) -> Outputs:
    """Return the floating-point numbers that were observed, by place."""
    found = {place: value.values for place, value in recording.values.items() if isinstance(value, Array)}
    return {place: values.astype(np.float64) for place, values in found.items() if values.dtype.kind == "f"}


def places_apart(one: Outputs, other: Outputs, tolerance: float) -> set[str]:
    """Return the places of `other` at which the numbers differ."""
    return {place for place, values in other.items() if place not in one or not same(one[place], values, tolerance)}
