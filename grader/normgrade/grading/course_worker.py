"""Plays of the course's own wrong sources in a worker, one after the other, so that the grader needs no PyTorch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import tee
from types import TracebackType
from typing import Self

from normgrade.course.ban import Ban
from normgrade.course.exercise import Exercise, Limits
from normgrade.course.files import read_where_there
from normgrade.course.tensor_library import Library
from normgrade.grading.grading_options import crowding
from normgrade.grading.recordings import Recordings
from normgrade.grading.run import gone
from normgrade.oracle.exact_plays import ExactPlays
from normgrade.oracle.oracle import Oracle
from normgrade.worker.trusted.host import Host, Worker
from normgrade.worker.wire.messages import PlayQuestion, RecordQuestion
from normgrade.worker.wire.observation import Observation, Playable, Recording

SIZE_LIMIT_BYTES = 2**24  # of one value
LIMITS = Limits(total_s=3600.0)  # for all sources together


@dataclass
class CourseWorker:
    """A worker that loads one source after the other to play it, and enforces a `ban`. Its process starts with the first source.

    `recordings` holds earlier recordings.
    """

    host: Host
    exercise: Exercise
    ban: Ban | None = None
    worker: Worker | None = None
    recordings: Recordings = field(default_factory=Recordings, repr=False)

    def plays(self, asked: Iterable[tuple[str, Playable]], exactly: bool = False) -> Iterator[Observation | None]:
        """Yield the observation of each source, natively or `exactly` in float64; None if it cannot be executed, or has no answer.

        The worker plays the next sources while the caller looks at the observations before. If they are played `exactly`, the requests
        have to be widened ones.
        """
        questions, announced = tee(PlayQuestion(request, SIZE_LIMIT_BYTES, source, exactly) for source, request in asked)
        worker = self.open_worker()
        worker.announce(announced)
        return (self.answer(worker, question) for question in questions)

    def player(self, source: str) -> SourceInWorker:
        """Return the player of one source, which the worker plays for a while."""
        return SourceInWorker(self.open_worker(), source)

    def record(self, question: RecordQuestion) -> Recording:
        """Return one play of a source of the course's own, on record. If no value is replaced, its recording is held."""
        record = self.open_worker().record
        return self.recordings.of(question, record) if question.keep and not question.puts else record(question)

    def answer(self, worker: Worker, question: PlayQuestion) -> Observation | None:
        observation = worker.answer(question)
        return None if gone(observation) else observation

    def open_worker(self) -> Worker:
        """Return the worker. When it is new, it has loaded only the exercise's own probes."""
        if self.worker is None:
            probes, shared = map(read_where_there, (self.exercise.probes, self.exercise.shared_probes))
            self.worker = self.host.worker("", self.exercise.file_name, probes, LIMITS, self.ban, shared, crowding())
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
class SourceInWorker:
    """A source of the course's own, in a worker that may have played others before it."""

    worker: Worker
    source: str

    def play(self, request: Playable, size_limit_bytes: int) -> Observation:
        return self.worker.answer(PlayQuestion(request, size_limit_bytes, self.source))


def with_exact_plays(oracle: Oracle, exercise: Exercise, host: Host) -> Oracle:
    """Return the oracle with its reference played in a worker, so that this process needs no PyTorch. A NumPy reference is played here."""

    def in_worker(requests: Iterable[Playable]) -> Iterator[Observation | None]:
        with CourseWorker(host, exercise) as worker:
            yield from worker.plays(((oracle.reference or "", request) for request in requests), exactly=True)

    play = oracle.played_here if exercise.written_with is Library.NUMPY else in_worker
    return replace(oracle, exact_plays=ExactPlays(oracle.cache, play))
