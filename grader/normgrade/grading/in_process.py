"""Plays of the course's own sources in this process. For a source that means no harm this is as good as a worker, and faster."""

from __future__ import annotations

from dataclasses import dataclass

from normgrade.language.errors import CourseError
from normgrade.oracle.oracle import Oracle
from normgrade.worker.wire.observation import Cause, Error, Observation, Playable


@dataclass(frozen=True)
class InProcess:
    """A source that the oracle plays natively. If it cannot be executed, every answer says so."""

    oracle: Oracle
    source: str

    def play(self, request: Playable, size_limit_bytes: int) -> Observation:
        try:
            return self.oracle.natively(self.source, request, size_limit_bytes)
        except CourseError as error:
            return Observation(error=Error(Cause.NOT_LOADED, str(error)))
