"""Starts the processes that submissions run in. The grader itself never forks: it has threads, which would not survive it."""

from __future__ import annotations

import json
import math
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from normgrade import PACKAGE
from normgrade.course.course import Limits
from normgrade.language import VARIABLE, _, spoken
from normgrade.language.errors import GraderError
from normgrade.worker.channel import Ending, Forged, HungUp, Line, Pipes, Silence
from normgrade.worker.walls import AUTO, TIERS, Standing
from normgrade.worker.walls.kernel import namespaces
from normgrade.worker.walls.process import Budget, Process
from normgrade.worker.zygote_protocol import ANSWER, END, ENDED, GONE_S, KILLED, QUESTION, READY, START, STARTED

START_S = 120.0  # for a process to import PyTorch, on the slowest machine
LOOK_S = 0.1  # between two looks at whether a zygote was stopped
PIPE_BYTES = 1024**2  # where the platform lets us choose: an answer in few pieces
INHERITED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")  # without which Python itself may not start
BOOTSTRAP = """
import gc, sys
gc.disable()
sys.path[:0] = {paths!r}
import normgrade.language, normgrade.{module} as program
normgrade.language.inherit()
program.main({arguments})
"""


def budget_of(limits: Limits) -> Budget:
    """What one worker may use where these limits hold: it cannot compute for longer than all answers may take."""
    return Budget(limits.memory_mib, math.ceil(limits.total_s) + 1)


USUAL = budget_of(Limits())


class Lost(Exception):
    """The zygote is gone, or does not answer."""


class Starter(Protocol):
    """Gives out lines to new processes, one at a time."""

    def standing(self) -> Standing:
        """The walls that workers stand behind, once the first process is there."""

    def wait(self, timeout_s: float) -> None:
        """For the first process to be there; Lost if it is not."""

    def start(self, budget: Budget) -> Line: ...

    def close(self) -> None:
        """End every process that was started."""


class Zygote:
    """Processes forked from one that has imported PyTorch. It starts at once; the first `start` waits for it."""

    def __init__(self, tier: str) -> None:
        self.tier = tier
        self.stands: Standing | None = None
        self.launch(around() if tier in (AUTO, "container", "namespaces") else [])

    def launch(self, around: list[str]) -> None:
        """Start the process, with a command around it or without."""
        self.around = around
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.log = tempfile.TemporaryFile()  # noqa: SIM115  (closed by `close`)
        with theirs:
            self.process = subprocess.Popen(
                [*around, *command("worker.zygote", f"{theirs.fileno()}, {self.tier!r}, {namespaces()!r}")],
                stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                pass_fds=[theirs.fileno()], env=environment(), cwd="/", start_new_session=True,
            )  # fmt: skip

    def wait(self, timeout_s: float) -> None:
        if self.stands is None and not self.answers(timeout_s):
            raise Lost

    def start(self, budget: Budget) -> Line:
        self.standing()
        ours, theirs = pipes()
        try:
            socket.send_fds(self.control, [QUESTION.pack(START, 0, *budget)], theirs)
            self.hear(STARTED)
        except (OSError, Lost) as error:
            for fd in ours:
                os.close(fd)
            raise Lost from error
        finally:
            for fd in theirs:
                os.close(fd)
        return Line(ours, self.end)

    def standing(self) -> Standing:
        if self.stands is None:
            try:
                _ready, size = self.hear(READY, timeout_s=START_S)
                tier, probes, loses, reasons = json.loads(self.control.recv(size, socket.MSG_WAITALL))
                self.stands = Standing(tier, probes, tuple(loses), reasons)
            except (Lost, OSError, ValueError) as error:
                self.relaunch(error)
                return self.standing()
        return self.stands

    def relaunch(self, error: Exception) -> None:
        """Without the command around it, which may be what failed; a GraderError where there was none."""
        code = self.process.poll()
        self.process.kill()
        self.process.wait()
        self.log.seek(0)
        said = self.log.read()
        self.log.close()
        self.control.close()
        if not self.around:
            raise cannot_start(said, code) from error
        self.launch([])

    def end(self, grace_s: float) -> Ending:
        """End the worker; Lost if the zygote went with it."""
        try:
            self.control.sendall(QUESTION.pack(END, round(grace_s * 1000), 0, 0))
        except OSError as error:
            raise Lost from error
        what, code = self.hear(ENDED, KILLED, timeout_s=grace_s + GONE_S + 2.0)
        return Ending(what == ENDED, code)

    def hear(self, *expected: int, timeout_s: float = GONE_S) -> tuple[int, int]:
        self.control.settimeout(timeout_s)
        try:
            heard = self.control.recv(ANSWER.size, socket.MSG_WAITALL) if self.answers(timeout_s) else b""
        except OSError:
            heard = b""
        if len(heard) != ANSWER.size or heard[0] not in expected:
            self.process.kill()  # it may have been stopped
            raise Lost
        what, number = ANSWER.unpack(heard)
        return what, number

    def answers(self, timeout_s: float) -> bool:
        """Whether it says anything within this time, or ends. One that was stopped is not waited for."""
        deadline = time.monotonic() + timeout_s
        while not select.select([self.control], [], [], min(LOOK_S, max(0.0, deadline - time.monotonic())))[0]:
            if time.monotonic() >= deadline or is_stopped(self.process.pid):
                return False
        return True

    def close(self) -> None:
        self.control.close()  # which tells the zygote to end its worker and itself
        try:
            self.process.wait(2 * GONE_S if self.stands else 0.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped; False where the platform does not tell."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"T"
    except (OSError, IndexError):
        return False


class Fresh:
    """Processes that import PyTorch themselves, where none can be forked. The first one starts at once."""

    def __init__(self, tier: str) -> None:
        self.lines: list[Line] = []
        self.spare: Line | None = self.launch(USUAL)

    def standing(self) -> Standing:
        reason = _("its walls are Linux's, and workers are not forked here")
        return Standing("process", 0, tuple(map(_, Process.loses)), dict.fromkeys(TIERS[1:], reason))

    def wait(self, timeout_s: float) -> None:
        """Every process is waited for when it is started."""

    def launch(self, budget: Budget) -> Line:
        ours, theirs = pipes()
        question, answer, output = theirs
        try:
            process = subprocess.Popen(
                command("worker.untrusted", f"{budget.memory_mib}, {budget.cpu_s}"),
                stdin=question, stdout=answer, stderr=output, env=environment(), cwd="/", start_new_session=True,
            )  # fmt: skip
        finally:
            for fd in theirs:
                os.close(fd)
        line = Line(ours, lambda grace_s: end(process, grace_s))
        self.lines = [line, *(line for line in self.lines if line.ending is None)]
        return line

    def start(self, budget: Budget) -> Line:
        line = self.spare if self.spare is not None and budget == USUAL else self.launch(budget)
        self.spare = None if line is self.spare else self.spare
        try:
            line.hear(0, START_S)
        except (Silence, HungUp, Forged) as error:
            said = line.printed().encode()
            raise cannot_start(said, line.end().code) from error
        return line

    def close(self) -> None:
        for line in self.lines:
            line.end()


def around() -> list[str]:
    """The command that puts a process into bubblewrap, where it is installed. Root needs no help, and would lose the right to be nobody."""
    program = shutil.which("bwrap")
    if program is None or os.geteuid() == 0:
        return []
    from normgrade.worker.walls.view import bubblewrap

    return bubblewrap(program)


def command(module: str, arguments: str) -> list[str]:
    """Python, running one of our modules: without the user's settings, the current folder and PYTHON… variables."""
    folder = str(PACKAGE.parent)
    paths = [] if folder.endswith("-packages") else [folder]  # where it is installed, Python finds it by itself
    bootstrap = BOOTSTRAP.format(paths=paths, module=module, arguments=arguments)
    return [sys.executable, "-s", "-P", "-X", "utf8", "-c", bootstrap]


def environment() -> dict[str, str]:
    """All that a worker learns of the environment. One thread: forks of several would hang, and sums would depend on their number."""
    threads = ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    fixed = {
        "PATH": os.defpath,
        "HOME": "/",
        "TMPDIR": tempfile.gettempdir(),
        "PYTHONHASHSEED": "0",
        VARIABLE: spoken(),
        "CUDA_VISIBLE_DEVICES": "",
        "TORCHINDUCTOR_CACHE_DIR": "/",  # any folder that is there: parts of PyTorch want one when they are imported, and never write in it
        **dict.fromkeys(threads, "1"),
    }
    return fixed | {name: os.environ[name] for name in INHERITED if name in os.environ}


def pipes() -> tuple[Pipes, tuple[int, int, int]]:
    """Three new pipes: the grader's ends, and those of a worker."""
    (their_question, question), (answer, their_answer), (output, their_output) = os.pipe(), os.pipe(), os.pipe()
    if sys.platform == "linux":
        import fcntl

        for fd in (question, answer, output):
            with suppress(OSError):  # the user may hold too many pipes already
                fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return Pipes(question, answer, output), (their_question, their_answer, their_output)


def end(process: subprocess.Popen[bytes], grace_s: float) -> Ending:
    """End a process that was not forked, and its group."""
    try:
        process.wait(grace_s)
        alone = True
    except subprocess.TimeoutExpired:
        alone = False
    if sys.platform != "win32":
        with suppress(ProcessLookupError, PermissionError):  # an empty group; macOS says the latter of zombies
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    return Ending(alone, process.wait())


def cannot_start(log: bytes, code: int | None) -> GraderError:
    """Why no process could be started, with the end of what it said, or else its exit code; None where it did not end."""
    said = log.decode("utf-8", "replace").strip()
    if "No module named 'torch'" in said:
        return GraderError(
            _("PyTorch is not installed for {python}. Run `{python} -m pip install torch`, then try again.", python=sys.executable)
        )
    late = _("nothing within {seconds:g} s", seconds=START_S)
    ending = late if code is None else _("nothing, and ended with exit code {code}", code=code)
    tail = "\n".join(said.splitlines()[-8:]) or ending
    return GraderError(
        _("The process that runs submissions did not start. Does `python -c 'import torch'` work? It said:\n{said}", said=tail)
    )
