"""The newest recordings of the course's own sources, in memory: right code and known mistakes are recorded again for many submissions."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from normgrade.oracle.kept import request_key
from normgrade.worker.wire.messages import RecordQuestion
from normgrade.worker.wire.observation import Array, Recording

MOST_BYTES = 2**25  # of the numbers that are held
Key = tuple[str, int, bytes]  # a source, its limit in bytes, and the request


@dataclass
class Recordings:
    """The recordings that were asked for last, the newest at the end, and the bytes that their numbers take."""

    held: OrderedDict[Key, Recording] = field(default_factory=OrderedDict, repr=False)
    size_bytes: int = 0

    def of(self, question: RecordQuestion, record: Callable[[RecordQuestion], Recording]) -> Recording:
        """Return the recording that answers a question about a source of the course's own. If it is not held, `record` makes it."""
        key = question.source or "", question.size_limit_bytes, request_key(question.request)
        if key not in self.held:
            recording = record(question)
            if recording.error is not None:  # it may be that of a process that died
                return recording
            self.add(key, recording)
        self.held.move_to_end(key)
        return self.held[key]

    def add(self, key: Key, recording: Recording) -> None:
        """Hold a recording, and drop the oldest ones if there are too many numbers. The new one stays."""
        self.held[key] = recording
        self.size_bytes += size_of(recording)
        while self.size_bytes > MOST_BYTES and len(self.held) > 1:
            _key, oldest = self.held.popitem(last=False)
            self.size_bytes -= size_of(oldest)


def size_of(recording: Recording) -> int:
    """Return the bytes that the numbers of a recording take."""
    values = sum(value.values.nbytes for value in recording.values.values() if isinstance(value, Array))
    return values + sum(record.values.nbytes for record in recording.records)
