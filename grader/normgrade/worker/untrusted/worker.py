"""The untrusted side, a worker. It shuts itself in, then loads the submission, then answers one question after the other.

Nothing here is secret or trusted: the submission may change any of it. A worker is a fork of the zygote, or a new process if processes
cannot be forked.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from types import FrameType, ModuleType
from typing import TextIO

from normgrade.course.ban import Ban
from normgrade.course.tensor_library import Library
from normgrade.language import _
from normgrade.worker.untrusted import play
from normgrade.worker.untrusted.exceptions import MESSAGE_LIMIT, describe, frames_running
from normgrade.worker.untrusted.on_record import play_on_record
from normgrade.worker.untrusted.play import Failures, backend, in_words, raise_cause
from normgrade.worker.untrusted.stopping import forbid_threads
from normgrade.worker.walls import ANSWER_FD, QUESTION_FD, Budget, Walls
from normgrade.worker.wire import framing, messages
from normgrade.worker.wire.framing import BROKEN, when_asked
from normgrade.worker.wire.observation import Cause, Error, Observation, Recording

ANY_SIZE = 2**62  # bytes; the grader may ask for anything


@dataclass
class Loaded:
    """The modules that were loaded, by name: "submission", "probes", "shared_probes"; and the library that they are written with.

    `source` and `file_name` are those of the submission.
    """

    written_with: Library
    modules: dict[str, ModuleType] = field(default_factory=dict)
    source: str | None = None
    file_name: str = ""


def main(memory_mib: int, cpu_s: int, library: str) -> None:
    """Run a new process as a worker. Its three standard streams are the grader's pipes."""
    budget = Budget(memory_mib, cpu_s)
    written_with = Library(library)
    backend(written_with).use_one_thread()
    walls = Walls()
    walls.prepare()
    if sys.platform == "win32":
        import msvcrt  # not on every system

        question, answer = os.dup(0), os.dup(1)
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(2, 1)
        for fd in (question, answer):
            msvcrt.setmode(fd, os.O_BINARY)
        walls.enclose(budget)
    else:
        question, answer = QUESTION_FD, ANSWER_FD
        enter(walls, budget, 0, 1, 2)
    framing.send(answer, messages.encode(Observation()))
    serve(written_with, question, answer)


def enter(walls: Walls, budget: Budget, question: int, answer: int, output: int) -> None:
    """Shut this process in. It keeps five open files, and those that the walls need."""
    nothing = os.open(os.devnull, os.O_RDWR)  # opened before the walls forbid it, and in each worker: forks share an open file's state
    keep_files({0: nothing, 1: output, 2: output, QUESTION_FD: question, ANSWER_FD: answer, **walls.files})
    if os.getsid(0) != os.getpid():
        os.setsid()
    os.chdir("/")
    sys.dont_write_bytecode = True
    tempfile.tempdir = "/tmp"  # some libraries ask for a folder to write to, and fail if there is none, though they never write
    walls.enclose(budget)


def keep_files(files: dict[int, int]) -> None:
    """Move open files, new descriptor → old one, and close all others."""
    import fcntl  # not on every system

    low = max(files) + 1
    spare = {target: fcntl.fcntl(fd, fcntl.F_DUPFD, low) for target, fd in files.items()}
    for target, fd in spare.items():
        os.dup2(fd, target)
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))


def serve(written_with: Library, question: int = QUESTION_FD, answer: int = ANSWER_FD) -> None:
    """Answer until the grader closes its pipe. Then end without the clean-up functions that the submission may have registered."""
    sys.stdout, sys.stderr = line_by_line(1), line_by_line(2)
    code = BROKEN
    try:
        answer_all(written_with, question, answer)
        code = 0
    finally:  # not `except BaseException`: the submission may have deleted that name
        os._exit(code)


def answer_all(written_with: Library, question: int, answer: int) -> None:
    """Answer every question until there are no more."""
    loaded, replies = Loaded(written_with), Replies(answer)
    when_asked(lambda frame: replies.tell_where(frame, loaded))
    while True:
        try:
            serial, message = messages.receive(question, messages.QUESTIONS, framing.QUESTION_HEADER_BYTES, lambda: ANY_SIZE)
        except EOFError:
            return
        replies.open = serial
        frame = encoded(observe(message, loaded), serial, messages.body_limit_bytes(message))
        replies.open = None
        if not replies.send(frame, serial):
            return


class Replies:
    """The pipe for the answers. `open` is the serial of the question that is being answered."""

    def __init__(self, answer: int) -> None:
        self.answer, self.process = answer, os.getpid()
        self.open: int | None = None
        self.streams = [sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__]

    def send(self, frame: bytes, serial: int) -> bool:
        """Send an answer after all earlier output. Return False in a child that the submission forked, because only its parent answers."""
        if os.getpid() != self.process:
            return False
        flush([*self.streams, sys.stdout, sys.stderr])
        with suppress(OSError):
            os.write(2, framing.mark(serial))
        framing.send(self.answer, frame)
        return True

    def tell_where(self, frame: FrameType | None, loaded: Loaded) -> None:
        """Send the lines that are running, in place of an answer that is late, and end this process."""
        if (serial := self.open) is None:
            return
        self.open = None
        error = Error(Cause.TIMED_OUT, _("no answer in time"), frames=frames_running(frame, loaded.file_name))
        if self.send(encoded(Observation(error=error), serial, 0), serial):
            os._exit(0)


def line_by_line(fd: int) -> TextIO:
    """Return a text stream that writes every line at once: the last output before a crash is often the best clue."""
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def observe(message: messages.Question, loaded: Loaded) -> Observation:
    """Answer a question of the grader. The observation is empty if a source was loaded, or a ban enforced."""
    match message:
        case Ban():
            forbid_threads()
            backend(loaded.written_with).enforce(message)
            return Observation()
        case messages.Load():
            return load(message, loaded)
        case messages.RecordQuestion():
            return record(message, loaded)
    submission, probes = loaded.modules["submission"], loaded.modules.get("probes")
    if message.source not in (None, loaded.source):
        failed = load(messages.Load(message.source, submission.__file__ or "", "submission"), loaded)
        if failed.error is not None:
            return failed
        submission = loaded.modules["submission"]
    try:
        dtype = "float64" if message.exactly else "float32"
        return play.play(submission, message.request, probes, message.size_limit_bytes, dtype, written_with=loaded.written_with)
    except BaseException as error:  # the values that the probe returned could not be read
        return Observation(error=describe(error, submission.__file__))


def record(message: messages.RecordQuestion, loaded: Loaded) -> Recording:
    """Play a request on record."""
    source = loaded.source if message.source is None else message.source
    return play_on_record(
        source or "",
        loaded.file_name,
        message.request,
        loaded.modules.get("probes"),
        message.size_limit_bytes,
        loaded.written_with,
        message.puts,
        message.keep,
        every=message.source is not None,
    )


def load(message: messages.Load, loaded: Loaded) -> Observation:
    """Execute a source. Return what failed in the cells of a notebook, and the error if the source cannot be used."""
    failed, error = Failures(), None
    if message.name == "submission":
        loaded.source, loaded.file_name = None, message.file_name
    try:
        loaded.modules[message.name] = module = play.load(message.source, message.file_name, message.name, failed)
        raise_cause(module, message.defines, failed)
        if message.name == "submission":
            loaded.source = message.source
    except BaseException as raised:  # SystemExit and KeyboardInterrupt too: the submission has raised them
        error = describe(raised, message.file_name, cause=Cause.NOT_LOADED)
    return Observation(in_words(failed), error)


def encoded(observation: Observation, serial: int, body_limit: int) -> bytes:
    """Return the observation as a frame. If the grader would refuse it, return a frame that says why."""
    try:
        frame = messages.encode(observation, serial)
        framing.read_prefix(frame[: framing.PREFIX.size], framing.ANSWER_HEADER_BYTES, body_limit)
        return frame
    except (framing.ProtocolError, TypeError, ValueError, MemoryError) as error:
        message = _("the observation cannot be sent: {error}", error=error)
        return messages.encode(type(observation)(error=Error(Cause.RAISED, message[:MESSAGE_LIMIT])), serial)


def flush(streams: list[TextIO | None]) -> None:
    """Write the buffered output of the streams."""
    for stream in streams:
        with suppress(BaseException):  # the submission may have closed or replaced it
            if stream is not None:
                stream.flush()
