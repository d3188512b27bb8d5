"""A line to one worker process: ask, wait, hang up. Three threads read and write its pipes, so that no wait is longer than allowed."""

from __future__ import annotations

import os
import queue
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from normgrade.language import _
from normgrade.worker import framing, messages
from normgrade.worker.capture import Capture
from normgrade.worker.observation import Observation

LAST_WORDS_S = 0.3  # for the end of the output of a process that was ended; what it left behind may hold its pipe open


class Pipes(NamedTuple):
    """The grader's ends of a worker's three pipes."""

    question: int
    answer: int
    output: int


@dataclass(frozen=True, slots=True)
class Ending:
    """How a process ended: by itself or killed by us; `code` is its exit code, or minus the signal's number."""

    alone: bool
    code: int


class Silence(Exception):
    """No answer in time."""


class HungUp(Exception):
    """The other end closed the line."""


class Forged(Exception):
    """Bytes that are no frame, or a frame that answers nothing that was asked."""


class Line:
    """Questions to a worker and its answers, one at a time. `kill` ends the process and all it started, after some grace."""

    def __init__(self, pipes: Pipes, kill: Callable[[float], Ending]) -> None:
        self.kill = kill
        self.ending: Ending | None = None
        self.serial = secrets.randbelow(2**16)  # nothing that could be guessed before the first question
        self.body_limit = 0
        self.questions: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.answers: queue.SimpleQueue[tuple[int, Observation] | Exception] = queue.SimpleQueue()
        self.wanted = threading.Semaphore(0)  # answers: what nobody asked for stays in the pipe, where it has little room
        self.capture = Capture(pipes.output)
        threading.Thread(target=self.write, args=(pipes.question,), daemon=True).start()
        threading.Thread(target=self.read, args=(pipes.answer,), daemon=True).start()

    def ask(self, message: messages.Question, timeout_s: float) -> Observation:
        """The answer to one question, or Silence, HungUp or Forged."""
        self.serial = (self.serial + 1) % 2**16
        self.body_limit = framing.body_limit_bytes(message.size_limit_bytes) if isinstance(message, messages.PlayQuestion) else 0
        self.capture.begin(self.serial)
        self.questions.put(messages.encode(message, self.serial))
        return self.hear(self.serial, timeout_s)

    def hear(self, serial: int, timeout_s: float) -> Observation:
        """The next answer, if it has this serial."""
        self.wanted.release()
        try:
            heard = self.answers.get(timeout=timeout_s)
        except queue.Empty:
            raise Silence from None
        if isinstance(heard, Exception):
            self.answers.put(heard)  # it will not get better
            raise heard
        if heard[0] != serial:
            raise Forged(_("an answer that nobody asked for"))
        return heard[1]

    def printed(self) -> str:
        """What was printed for the last question."""
        return self.capture.take()

    def end(self, grace_s: float = 0.0) -> Ending:
        """Hang up, and end the process with everything it started."""
        if self.ending is None:
            self.ending = Ending(False, 0)  # should `kill` fail, there is nothing left to kill
            self.capture.patience_s = LAST_WORDS_S
            self.questions.put(None)
            self.ending = self.kill(grace_s)
            self.wanted.release()
        return self.ending

    def write(self, fd: int) -> None:
        try:
            while (frame := self.questions.get()) is not None:
                framing.send(fd, frame)
        except OSError:  # nobody reads any more; the end of the answers tells
            pass
        finally:
            os.close(fd)

    def read(self, fd: int) -> None:
        try:
            while self.wanted.acquire() and self.ending is None:
                self.answers.put(messages.receive(fd, Observation, framing.ANSWER_HEADER_BYTES, lambda: self.body_limit))
        except framing.ProtocolError as error:
            self.answers.put(Forged(str(error)))
        except (EOFError, OSError):
            self.answers.put(HungUp())
        finally:
            os.close(fd)
