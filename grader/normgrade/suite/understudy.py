"""Plays the course's own wrong sources in a worker, one after the other: the grader needs no PyTorch for that."""

from __future__ import annotations

import time
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from normgrade.course.course import Exercise
from normgrade.course.files import read_text
from normgrade.worker.host import Host, Worker
from normgrade.worker.messages import Load
from normgrade.worker.observation import Cause, Observation, Playable

SIZE_LIMIT_BYTES = 2**24  # of one value


@dataclass
class Understudy:
    """A worker that loads whatever source is to be played next. Its process starts with the first one."""

    host: Host
    exercise: Exercise
    worker: Worker | None = None
    loaded: str = ""
    waited_s: float = 0.0  # for answers, all together

    def play(self, source: str, request: Playable) -> Observation | None:
        """What a source observes natively; None where it cannot be executed, or has no answer."""
        since = time.perf_counter() - time.thread_time()
        observation = self.started(source).play(request, SIZE_LIMIT_BYTES)
        self.waited_s += time.perf_counter() - time.thread_time() - since
        died = observation.error is not None and observation.error.cause is not Cause.RAISED
        return None if died else observation

    def clock(self) -> float:
        """Seconds in which this thread computed or waited for an answer: what other programs take of the processor hardly counts."""
        return time.thread_time() + self.waited_s

    def started(self, source: str) -> Worker:
        """The worker, with this source loaded. A new one starts where the last one cannot load it."""
        worker = self.worker
        if worker is not None and source != self.loaded:
            worker.submission = Load(source, self.exercise.file_name, "submission")
            if worker.failure is not None or worker.channel is None or worker.ask(worker.submission).error is not None:
                self.close()
                worker = None
        if worker is None:
            probes = None if self.exercise.probes is None else read_text(self.exercise.probes)
            worker = self.worker = self.host.worker(source, self.exercise.file_name, probes)
        self.loaded = source
        return worker

    def close(self) -> None:
        """End the worker's process."""
        if self.worker is not None:
            self.worker.end_process()
            self.worker = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
