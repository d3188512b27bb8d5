"""The untrusted side: shut in first, then reads the submission, then answers one question after the other.

Nothing here is secret and nothing here is trusted: the submission may change any of it. It runs in a fork of the zygote, or, where a
process cannot be forked, in a fresh one.
"""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import suppress
from types import ModuleType
from typing import TextIO

import torch

from normgrade.language import _
from normgrade.worker import by_hand, framing, messages, play
from normgrade.worker.capture import mark
from normgrade.worker.observation import Cause, Error, Observation
from normgrade.worker.walls import Walls
from normgrade.worker.walls.process import Budget, Process
from normgrade.worker.zygote_protocol import BROKEN

QUESTION_FD, ANSWER_FD = 3, 4
ANY_SIZE = 2**62  # bytes; the grader may ask for anything


def main(memory_mib: int, cpu_s: int) -> None:
    """Be a worker from the start; the grader's pipes are the three standard streams."""
    budget = Budget(memory_mib, cpu_s)
    use_one_thread()
    walls = Process()
    walls.prepare()
    if sys.platform == "win32":
        import msvcrt

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
    serve(question, answer)


def use_one_thread() -> None:
    """Threads do not survive a fork, and the order in which they add up is not always the same."""
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)


def enter(walls: Walls, budget: Budget, question: int, answer: int, output: int) -> None:
    """Keep five files and no others, and shut this process in."""
    nothing = os.open(os.devnull, os.O_RDWR)  # opened before there are walls, and by every worker for itself: what is open has a state
    arrange({0: nothing, 1: output, 2: output, QUESTION_FD: question, ANSWER_FD: answer, **walls.files})
    if os.getsid(0) != os.getpid():
        os.setsid()
    os.chdir("/")
    sys.dont_write_bytecode = True
    tempfile.tempdir = "/tmp"  # or looking for one that can be written in would fail, in libraries that need none
    walls.enclose(budget)


def arrange(files: dict[int, int]) -> None:
    """Move files to the descriptors that `files` says, and close all others."""
    import fcntl

    low = max(files) + 1
    spare = {target: fcntl.fcntl(fd, fcntl.F_DUPFD, low) for target, fd in files.items()}
    for target, fd in spare.items():
        os.dup2(fd, target)
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))


def serve(question: int = QUESTION_FD, answer: int = ANSWER_FD) -> None:
    """Answer until the grader hangs up, then end without any clean-up that the submission could have registered."""
    sys.stdout, sys.stderr = line_by_line(1), line_by_line(2)
    code = BROKEN
    try:
        answer_all(question, answer)
        code = 0
    finally:  # not `except`: even that name may be gone
        os._exit(code)


def answer_all(question: int, answer: int) -> None:
    modules: dict[str, ModuleType] = {}
    streams = [sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__]
    process = os.getpid()
    while True:
        try:
            serial, message = messages.receive(question, messages.QUESTIONS, framing.QUESTION_HEADER_BYTES, lambda: ANY_SIZE)
        except EOFError:
            return
        size_limit_bytes = message.size_limit_bytes if isinstance(message, messages.PlayQuestion) else 0
        frame = fitting(observe(message, modules), serial, framing.body_limit_bytes(size_limit_bytes))
        if os.getpid() != process:  # a child of the submission came out of its call; only one of the two answers
            return
        flush([*streams, sys.stdout, sys.stderr])
        with suppress(OSError):
            os.write(2, mark(serial))
        framing.send(answer, frame)


def line_by_line(fd: int) -> TextIO:
    """A text stream that holds no line back: what was printed before a crash is often the best clue."""
    return open(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


def observe(message: messages.Question, modules: dict[str, ModuleType]) -> Observation:
    """Do what is asked; an empty observation says that a source was loaded."""
    if isinstance(message, messages.Ban):
        by_hand.enforce(by_hand.Rules(message.banned, message.allowed))
        return Observation()
    if isinstance(message, messages.Load):
        try:
            modules[message.name] = play.load(message.source, message.file_name, message.name)
        except BaseException as error:  # SystemExit and KeyboardInterrupt are the submission's doing too
            return Observation(error=play.describe(error, message.file_name, cause=Cause.NOT_LOADED))
        return Observation()
    try:
        return play.play(modules["submission"], message.request, modules.get("probes"), message.size_limit_bytes)
    except BaseException as error:  # what a probe saw could not be read
        return Observation(error=play.describe(error, modules["submission"].__file__))


def fitting(observation: Observation, serial: int, body_limit: int) -> bytes:
    """The observation as a frame that the grader will accept; the reason why not, if it is too large."""
    try:
        frame = messages.encode(observation, serial)
        framing.read_prefix(frame[: framing.PREFIX.size], framing.ANSWER_HEADER_BYTES, body_limit)
        return frame
    except (framing.ProtocolError, TypeError, ValueError, MemoryError) as error:
        message = _("what was seen cannot be sent: {error}", error=error)
        return messages.encode(Observation(error=Error(Cause.RAISED, message[: play.MESSAGE_LIMIT])), serial)


def flush(streams: list[TextIO | None]) -> None:
    for stream in streams:
        with suppress(BaseException):  # the submission may have closed or replaced it
            if stream is not None:
                stream.flush()
