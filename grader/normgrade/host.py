"""The trusted side: has submissions played in processes of their own, and makes an observation of whatever they do."""

from __future__ import annotations

import signal
import sys
import time
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

from normgrade import wire
from normgrade.course import Limits
from normgrade.errors import GraderError, UsageError
from normgrade.line import Ending, Forged, HungUp, Line, Silence
from normgrade.observation import Cause, Error, Observation, Request
from normgrade.processes import Fresh, Lost, Starter, Zygote
from normgrade.sandbox import TIERS

BROKEN = 97  # the exit code of a worker that cannot answer any more
GRACE_S = 0.5  # between a closed line and the end of its process, so that its exit code can be seen
LOSSES = 2  # how often a submission may take the zygote with it


class Host:
    """Workers behind the walls of one tier. The first process starts at once, while the grader does something else.

    `fork` says whether workers are forks of one process or fresh ones; by default they are forks on Linux.
    """

    def __init__(self, tier: str = "process", fork: bool | None = None) -> None:
        if tier not in TIERS:
            raise UsageError(f'No sandbox named "{tier}". There is {", ".join(TIERS)}.')
        self.tier = tier
        self.fork = sys.platform == "linux" if fork is None else fork
        self.starter = self.new_starter()
        self.on_line: Worker | None = None

    def new_starter(self) -> Starter:
        return Zygote(self.tier) if self.fork else Fresh(self.tier)

    def worker(self, submission: str, file_name: str, probes: str | None = None, limits: Limits = Limits()) -> Worker:
        """A worker for this source; `probes` is the source of the exercise's own probes. It starts when it is first asked."""
        return Worker(self, wire.Load(submission, file_name, "submission"), probes, limits)

    def line(self, worker: Worker) -> Line:
        """A line to a new process. Only one worker has a line at a time."""
        if self.on_line is not None and self.on_line is not worker:
            self.on_line.hang_up()
        self.on_line = worker
        try:
            return self.starter.start()
        except Lost:
            self.restart()
        try:
            return self.starter.start()
        except Lost as error:
            raise GraderError(
                "The process that runs submissions ended twice without cause. Is memory short? Run `normgrade doctor`."
            ) from error

    def restart(self) -> None:
        self.starter.close()
        self.starter = self.new_starter()

    def close(self) -> None:
        """End every process that was started here."""
        self.starter.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class Worker:
    """Plays requests on one submission. A process that died or hung is replaced for the next request."""

    def __init__(self, host: Host, submission: wire.Load, probes: str | None, limits: Limits) -> None:
        self.host = host
        self.submission = submission
        self.probes = None if probes is None else wire.Load(probes, "probes.py", "probes")
        self.limits = limits
        self.used_s = 0.0
        self.losses = 0
        self.line: Line | None = None
        self.failure: Observation | None = None  # what every request gets, once the submission could not be loaded
        self.preface = ""  # what it printed while it was loaded

    def play(self, request: Request, size_limit_bytes: int) -> Observation:
        """What the probe saw; arrays of more than `size_limit_bytes` are described."""
        played_before = self.is_alive()
        observation = self.play_once(request, size_limit_bytes)
        if played_before and observation.error is not None and observation.error.cause in (Cause.EXITED, Cause.CRASHED) and self.line is None:
            return self.play_once(request, size_limit_bytes)  # what an earlier request left behind may have done it
        return observation

    def play_once(self, request: Request, size_limit_bytes: int) -> Observation:
        if self.line is None and self.failure is None:
            self.load()
        if self.failure is not None:
            return self.failure
        assert self.line is not None
        observation = self.ask(wire.Play(request, size_limit_bytes))
        preface, self.preface = self.preface, ""
        return replace(observation, stdout=preface + observation.stdout)

    def is_alive(self) -> bool:
        """Whether there is a line to a process, which may have hung up since the last request."""
        try:
            if self.line is not None:
                self.line.check()
        except HungUp:
            self.hang_up()
        except Forged:
            pass  # the next question will find the same
        return self.line is not None

    def load(self) -> None:
        """Start a process and have it load the submission. If that fails, it is not tried again."""
        self.line = self.host.line(self)
