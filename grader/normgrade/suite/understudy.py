"""Plays the course's own wrong sources in a worker, one after the other: the grader needs no PyTorch for that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import tee
from types import TracebackType
from typing import Self

from normgrade.course.ban import Ban
from normgrade.course.course import Exercise, Limits
from normgrade.course.files import read_where_there
from normgrade.suite.run import gone
from normgrade.worker.host import Host, Worker
from normgrade.worker.messages import PlayQuestion, RecordQuestion, Substitute
from normgrade.worker.observation import Observation, Playable, Recording

SIZE_LIMIT_BYTES = 2**24  # of one value
LIMITS = Limits(total_s=3600.0)  # for all sources together


@dataclass
class Understudy:
    """A worker that loads whatever source is to be played next, and enforces a `ban`. Its process starts with the first one."""

    host: Host
    exercise: Exercise
    ban: Ban | None = None
    worker: Worker | None = None

    def plays(self, asked: Iterable[tuple[str, Playable]], exactly: bool = False) -> Iterator[Observation | None]:
        """What each source observes, natively or `exactly` in float64, in their order; None where it cannot be executed, or has no answer.

        The worker plays the next ones while the caller looks at what was observed before. Who plays `exactly` asks widened requests.
        """
        questions, announced = tee(PlayQuestion(request, SIZE_LIMIT_BYTES, source, exactly) for source, request in asked)
        worker = self.open_worker()
        worker.announce(announced)
        return (self.answer(worker, question) for question in questions)

    def part(self, source: str) -> Part:
        """One source, which is played alone for a while."""
        return Part(self.open_worker(), source)

    def record(self, question: RecordQuestion | Substitute) -> Recording:
        """One play on record, of a source of the course's own."""
        return self.open_worker().record(question)

    def answer(self, worker: Worker, question: PlayQuestion) -> Observation | None:
        observation = worker.answer(question)
        return None if gone(observation) else observation

    def open_worker(self) -> Worker:
        """The worker; at first, one that has loaded nothing but the exercise's own probes."""
        if self.worker is None:
            probes, shared = map(read_where_there, (self.exercise.probes, self.exercise.shared_probes))
            self.worker = self.host.worker("", self.exercise.file_name, probes, LIMITS, self.ban, shared)
        return self.worker

    def close(self) -> None:
        """End the worker's process."""
        if self.worker is not None:
            self.worker.end_process()
            self.worker = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


@dataclass(frozen=True)
class Part:
    """A source of the course's own, in a worker that may have played others before it."""

    worker: Worker
    source: str

    def play(self, request: Playable, size_limit_bytes: int) -> Observation:
        return self.worker.answer(PlayQuestion(request, size_limit_bytes, self.source))
