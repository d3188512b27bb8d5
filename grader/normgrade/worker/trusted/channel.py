"""A channel to one worker process: ask a question, wait for its answer, end the process.

Three threads read and write the worker's pipes, so that no wait lasts longer than its time limit, even if the worker misbehaves.
"""

from __future__ import annotations

import os
import queue
import secrets
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from normgrade.language import _
from normgrade.language.visible import printable
from normgrade.worker.wire import framing, messages
from normgrade.worker.wire.observation import Cause, Frame, Observation

OUTPUT_LIMIT_BYTES = 16 * 1024
LAST_S = 0.4  # for the last words of a process: its output, though a child may hold the pipe open, its exit code, its running lines


class Pipes(NamedTuple):
    """The grader's ends of a worker's three pipes."""

    question: int
    answer: int
    output: int


@dataclass(frozen=True, slots=True)
class Ending:
    """The ending of a process. `alone`: by itself, before the grader killed it. `code`: its exit code, or minus the number of a signal."""

    alone: bool
    code: int


class NoAnswer(Exception):
    """An answer that did not come in time."""


class Closed(Exception):
    """The end of a worker, or of its pipe."""


class Forged(Exception):
    """Bytes that are no frame, or a frame that does not answer the first open question."""


class Channel:
    """Questions to a worker and its answers, in the same order.

    `kill` waits for the process to end by itself, at most the given seconds, and then kills it with everything that it started. `where`
    asks the process which lines are running.
    """

    def __init__(self, pipes: Pipes, kill: Callable[[float], Ending], where: Callable[[], None] = lambda: None) -> None:
        self.kill, self.where = kill, where
        self.ending: Ending | None = None
        self.serial = secrets.randbelow(2**16)  # random, so that no submission can guess it before the first question
        self.open: deque[tuple[int, int, type[Observation]]] = deque()  # serial, limit in bytes and kind of the answers still to come
        self.body_limit = 0  # of the answer that is being received
        self.questions: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.answers: queue.SimpleQueue[tuple[int, Observation] | Exception] = queue.SimpleQueue()
        self.wanted = threading.Semaphore(0)  # answers to read: anything else that a worker writes stays in the pipe, which holds little
        self.capture = Capture(pipes.output)
        threading.Thread(target=self.write, args=(pipes.question,), daemon=True).start()
        threading.Thread(target=self.read, args=(pipes.answer,), daemon=True).start()

    def has_started(self, timeout_s: float) -> None:
        """Wait for the answer that a process sends unasked when it has started. Raises NoAnswer, Closed or Forged."""
        self.open.append((0, 0, Observation))
        self.receive(timeout_s)

    def ask(self, message: messages.Question, timeout_s: float) -> Observation:
        """Ask a question while no other is open, and return its answer. Raises NoAnswer, Closed or Forged."""
        self.send(message)
        return self.receive(timeout_s)

    def send(self, message: messages.Question) -> None:
        """Ask a question. Its answer comes after those to the questions that are open."""
        self.serial = (self.serial + 1) % 2**16
        self.open.append((self.serial, messages.body_limit_bytes(message), messages.answered_by(message)))
        self.capture.begin(self.serial)
        self.questions.put(messages.encode(message, self.serial))

    def receive(self, timeout_s: float) -> Observation:
        """Return the answer to the first open question. Raises NoAnswer, Closed or Forged."""
        serial, self.body_limit, kind = self.open.popleft()
        self.wanted.release()
        try:
            received = self.answers.get(timeout=timeout_s)
        except queue.Empty:
            raise NoAnswer from None
        if isinstance(received, Exception):
            self.answers.put(received)  # every later question gets the same error
            raise received
        if received[0] != serial or type(received[1]) is not kind:
            raise Forged(_("an unexpected answer"))
        return received[1]

    def lines_running(self, timeout_s: float) -> tuple[Frame, ...]:
        """Return the running lines of a worker that gave no answer; none if it does not name them within this time."""
        self.where()
        try:
            received = self.answers.get(timeout=timeout_s)
        except queue.Empty:
            return ()
        error = None if isinstance(received, Exception) else received[1].error
        return error.frames if error is not None and error.cause is Cause.TIMED_OUT else ()

    def printed(self) -> str:
        """Return the output for the last question that was answered, or that will never be answered."""
        return self.capture.take()

    def end(self, grace_s: float = 0.0) -> Ending:
        """End the process with everything that it started, within `grace_s` seconds. Further calls return the same ending."""
        if self.ending is None:
            self.ending = Ending(False, 0)  # if `kill` raises, nothing is left to kill
            self.capture.patience_s = LAST_S
            self.questions.put(None)
            self.ending = self.kill(grace_s)
            self.wanted.release()
        return self.ending

    def write(self, fd: int) -> None:
        """Send questions, until there are no more. Runs in its own thread."""
        try:
            while (frame := self.questions.get()) is not None:
                framing.send(fd, frame)
        except OSError:  # the worker reads no more; the thread that reads answers notices the same and reports it
            pass
        finally:
            os.close(fd)

    def read(self, fd: int) -> None:
        """Receive as many answers as are wanted. Runs in its own thread."""
        try:
            while self.wanted.acquire() and self.ending is None:
                self.answers.put(messages.receive(fd, messages.ANSWERS, framing.ANSWER_HEADER_BYTES, lambda: self.body_limit))
        except framing.ProtocolError as error:
            self.answers.put(Forged(str(error)))
        except (EOFError, OSError):
            self.answers.put(Closed())
        finally:
            os.close(fd)


class Capture:
    """The output of one process, answer by answer: read at once, kept up to a limit, without the characters that control a terminal.

    A thread of its own reads it, so that printing never blocks for long.
    """

    def __init__(self, fd: int) -> None:
        self.changed = threading.Condition()
        self.kept = bytearray()
        self.dropped_bytes = 0
        self.pending = b""  # the last bytes, which may be the beginning of a mark
        self.awaited = deque([framing.mark(0)])  # the marks that are still to come; the first ends the output of the start of the process
        self.starting = True  # output at this time belongs to no answer
        self.said: deque[str] = deque()  # the output of answers that have come and were not taken
        self.patience_s = 1.0  # how long to wait for a mark
        self.thread = threading.Thread(target=self.read, args=(fd,), daemon=True)
        self.thread.start()

    def begin(self, serial: int) -> None:
        """Expect the output of the answer with this serial, after that of the answers begun before. It ends with its mark."""
        with self.changed:
            if self.starting:
                self.awaited.clear()
                self.said.clear()
                self.kept, self.dropped_bytes, self.pending, self.starting = bytearray(), 0, b"", False
            self.awaited.append(framing.mark(serial))

    def take(self) -> str:
        """Return the output of the first answer that was not taken. Wait for its mark, or for the end of all output."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.said or not self.thread.is_alive(), self.patience_s):
                self.patience_s = 0.02  # the code may have redirected its output, so that no mark will come for later answers either
            if not self.said:
                self.keep(self.pending)
                self.end_answer()
            return self.said.popleft()

    def read(self, fd: int) -> None:
        """Read the pipe until its end, then close it. Runs in its own thread."""
        try:
            while chunk := os.read(fd, framing.CHUNK_BYTES):
                with self.changed:
                    self.add(chunk)
        except OSError:
            pass
        finally:
            os.close(fd)
            with self.changed:
                if self.awaited:
                    self.keep(self.pending)
                    self.end_answer()
                self.changed.notify()

    def add(self, chunk: bytes) -> None:
        """Keep the output up to the next mark, and again up to the one after it."""
        text = self.pending + chunk
        while self.awaited and (end := text.find(self.awaited[0])) >= 0:
            self.keep(text[:end])
            text = text[end + len(self.awaited[0]) :]
            self.end_answer()
        if self.awaited:
            self.keep(text[: -framing.MARK_BYTES])
        self.pending = text[-framing.MARK_BYTES :] if self.awaited else b""  # output after the last answer belongs to none

    def keep(self, text: bytes) -> None:
        """Keep as much of this output as there is room for, and count the rest."""
        room = OUTPUT_LIMIT_BYTES - len(self.kept)
        self.kept += text[:room]
        self.dropped_bytes += max(len(text) - room, 0)

    def end_answer(self) -> None:
        """Complete the output of one answer."""
        more = "\n" + _("… {n:,} more bytes: printing this much takes time", n=self.dropped_bytes) + "\n" if self.dropped_bytes else ""
        self.said.append(printable(self.kept.decode("utf-8", "replace")) + more if self.kept else "")
        self.kept, self.dropped_bytes, self.pending = bytearray(), 0, b""
        if self.awaited:
            self.awaited.popleft()
        self.changed.notify()
