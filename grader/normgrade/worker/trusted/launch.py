"""Starters of the processes that run submissions. The grader itself never forks, because its threads would not survive that."""

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
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from normgrade.course.ban import Ban
from normgrade.course.exercise import Limits
from normgrade.course.package import PACKAGE
from normgrade.course.tensor_library import Library
from normgrade.language import VARIABLE, _, spoken
from normgrade.language.errors import GraderError
from normgrade.worker.trusted.channel import Channel, Closed, Ending, Forged, NoAnswer, Pipes
from normgrade.worker.walls import AUTO, TIERS, Budget, Protection, Walls
from normgrade.worker.walls.kernel import namespaces
from normgrade.worker.wire.framing import ASKED, END, ENDED, GONE_S, KILLED, READY, SAID, START, STARTED, WHERE, ask

START_S = 120.0  # for a process to import PyTorch, or the exercise's own probes, on the slowest machine
POLL_S = 0.1  # between two checks whether a zygote has been stopped
PIPE_BYTES = 1024**2  # of a pipe, if the platform lets us choose: large, so that an answer comes in few pieces
INHERITED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT")  # Python itself may not start without them
BOOTSTRAP = """
import gc, sys
gc.disable()
sys.path[:0] = {paths!r}
import normgrade.language, normgrade.{module} as program
normgrade.language.inherit()
program.main({arguments})
"""


def budget_of(limits: Limits) -> Budget:
    """Return the budget of one worker under these limits. Its CPU time is that of all answers, rounded up, and one second more."""
    return Budget(limits.memory_mib, math.ceil(limits.total_s) + 1)


DEFAULT_BUDGET = budget_of(Limits())


class Lost(Exception):
    """A failure of the process that starts workers: it has ended, or does not answer."""


class Zygote:
    """A starter of workers as forks of one process, which has imported the library `written_with` of the submissions and knows their bans.

    That process starts at once; the first `start` waits for it.
    """

    def __init__(self, tier: str, bans: Iterable[Ban] = (), written_with: Library = Library.TORCH) -> None:
        self.tier, self.written_with = tier, written_with
        self.bans = [(ban.banned, ban.allowed) for ban in bans]
        self.witnessed: Protection | None = None
        self.failed: GraderError | None = None
        self.launch(bubblewrap_command() if tier in (AUTO, "container", "namespaces") else [])

    def launch(self, wrapper: list[str]) -> None:
        """Start the process, inside the command `wrapper` if there is one."""
        self.wrapper = wrapper
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.log = tempfile.TemporaryFile()  # noqa: SIM115  (closed by `close`)
        with theirs:
            arguments = theirs.fileno(), self.tier, namespaces(), self.bans, self.written_with.value
            self.process = subprocess.Popen(
                [*wrapper, *command("worker.untrusted.zygote", *arguments)],
                stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                pass_fds=[theirs.fileno()], env=environment(), cwd="/", start_new_session=True,
            )  # fmt: skip

    @property
    def ready(self) -> bool:
        """True if the first process has started, or has ended."""
        return self.has_ended_its_start or self.has_answer(0.0)

    @property
    def has_ended_its_start(self) -> bool:
        """True if the first process has reported its walls, or could not be started."""
        return self.witnessed is not None or self.failed is not None

    def wait(self, timeout_s: float) -> None:
        """Wait for the first process. Raises Lost if it does not come in time."""
        if not self.has_ended_its_start and not self.has_answer(timeout_s):
            raise Lost

    def start(self, budget: Budget) -> Channel:
        """Return a channel to a new process. Raises Lost."""
        self.protection()
        ours, theirs = pipes()
        try:
            socket.send_fds(self.control, [ASKED.pack(START, 0, *budget)], theirs)
            self.receive(STARTED)
        except (OSError, Lost) as error:
            for fd in ours:
                os.close(fd)
            raise Lost from error
        finally:
            for fd in theirs:
                os.close(fd)
        return Channel(ours, self.end, self.where)

    def protection(self) -> Protection:
        """Wait for the first process, and return the walls around workers."""
        if self.failed is not None:
            raise self.failed
        if self.witnessed is None:
            try:
                _ready, size = self.receive(READY, timeout_s=START_S)
                tier, trials, loses, reasons = json.loads(self.control.recv(size, socket.MSG_WAITALL))
                self.witnessed = Protection(tier, trials, tuple(loses), reasons)
            except (Lost, OSError, ValueError) as error:
                self.relaunch(error)
                return self.protection()
        return self.witnessed

    def relaunch(self, error: Exception) -> None:
        """Start the process again without the wrapper, which may be the cause of the failure. Raises GraderError if there was none."""
        code = self.process.poll()
        self.process.kill()
        self.process.wait()
        self.log.seek(0)
        said = self.log.read()
        self.log.close()
        self.control.close()
        if not self.wrapper:
            self.failed = did_not_start(said, code)
            raise self.failed from error
        self.launch([])

    def end(self, grace_s: float) -> Ending:
        """End the worker. Raises Lost if the zygote has ended too."""
        try:
            self.control.sendall(ASKED.pack(END, round(grace_s * 1000), 0, 0))
        except OSError as error:
            raise Lost from error
        what, code = self.receive(ENDED, KILLED, timeout_s=grace_s + GONE_S + 2.0)
        return Ending(what == ENDED, code)

    def where(self) -> None:
        """Ask the worker which lines are running."""
        with suppress(OSError):  # the zygote has ended too; `end` notices it
            self.control.sendall(ASKED.pack(WHERE, 0, 0, 0))

    def receive(self, *expected: int, timeout_s: float = GONE_S) -> tuple[int, int]:
        """Return the zygote's answer and its number. Raises Lost if none of the `expected` answers comes in time."""
        self.control.settimeout(timeout_s)
        try:
            received = self.control.recv(SAID.size, socket.MSG_WAITALL) if self.has_answer(timeout_s) else b""
        except OSError:
            received = b""
        if len(received) != SAID.size or received[0] not in expected:
            self.process.kill()  # it may have been stopped, and would stay
            raise Lost
        what, number = SAID.unpack(received)
        return what, number

    def has_answer(self, timeout_s: float) -> bool:
        """Return True if the zygote answers or ends within this time. Do not wait for a stopped zygote."""
        deadline = time.monotonic() + timeout_s
        while not select.select([self.control], [], [], min(POLL_S, max(0.0, deadline - time.monotonic())))[0]:
            if time.monotonic() >= deadline or is_stopped(self.process.pid):
                return False
        return True

    def close(self) -> None:
        """End every process that was started."""
        self.control.close()  # the zygote then ends its worker and itself
        try:
            self.process.wait(2 * GONE_S if self.witnessed else 0.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def is_stopped(pid: int) -> bool:
    """Return True if a process was stopped; False if the platform does not tell."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"T"
    except (OSError, IndexError):
        return False


class Spawner:
    """A starter like Zygote for workers that are new processes and import the library themselves, if processes cannot be forked."""

    def __init__(self, tier: str, written_with: Library = Library.TORCH) -> None:
        self.written_with = written_with
        self.channels: list[Channel] = []
        self.spare: Channel | None = self.launch(DEFAULT_BUDGET)

    def protection(self) -> Protection:
        reason = _("its walls need Linux, and workers are not forked here")
        return Protection("process", 0, tuple(map(_, Walls.loses)), dict.fromkeys(TIERS[1:], reason))

    @property
    def ready(self) -> bool:
        return True  # `start` waits for every process

    def wait(self, timeout_s: float) -> None:
        """Do nothing: `start` waits for every process."""

    def launch(self, budget: Budget) -> Channel:
        """Start a process, without waiting until it is ready."""
        ours, theirs = pipes()
        question, answer, output = theirs
        try:
            process = subprocess.Popen(
                command("worker.untrusted.worker", budget.memory_mib, budget.cpu_s, self.written_with.value),
                stdin=question, stdout=answer, stderr=output, env=environment(), cwd="/", start_new_session=True,
            )  # fmt: skip
        finally:
            for fd in theirs:
                os.close(fd)
        channel = Channel(ours, lambda grace_s: end(process, grace_s), lambda: ask(process.pid))
        self.channels = [channel, *(channel for channel in self.channels if channel.ending is None)]
        return channel

    def start(self, budget: Budget) -> Channel:
        channel = self.spare if self.spare is not None and budget == DEFAULT_BUDGET else self.launch(budget)
        self.spare = None if channel is self.spare else self.spare
        try:
            channel.has_started(START_S)
        except (NoAnswer, Closed, Forged) as error:
            said = channel.printed().encode()
            raise did_not_start(said, channel.end().code) from error
        return channel

    def close(self) -> None:
        for channel in self.channels:
            channel.end()


Starter = Zygote | Spawner


def bubblewrap_command() -> list[str]:
    """Return the command that runs a process inside bubblewrap, or an empty list if it is not installed.

    The list is also empty for root, who can create namespaces without help, and could not change to the user nobody inside bubblewrap.
    """
    program = shutil.which("bwrap")
    if program is None or os.geteuid() == 0:
        return []
    from normgrade.worker.walls.view import bubblewrap  # loads importlib.metadata

    return bubblewrap(program)


def command(module: str, *arguments: object) -> list[str]:
    """Return the command that runs one of our modules, without the user's settings, the current folder and PYTHON… variables."""
    folder = str(PACKAGE.parent)
    paths = [] if folder.endswith("-packages") else [folder]  # if it is installed, Python finds it by itself
    bootstrap = BOOTSTRAP.format(paths=paths, module=module, arguments=", ".join(map(repr, arguments)))
    return [sys.executable, "-s", "-P", "-X", "utf8", "-c", bootstrap]


def environment() -> dict[str, str]:
    """Return the whole environment of a worker. It allows one thread, because several would hang after a fork, and sums would vary."""
    threads = ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    fixed = {
        "PATH": os.defpath,
        "HOME": "/",
        "TMPDIR": tempfile.gettempdir(),
        "PYTHONHASHSEED": "0",
        VARIABLE: spoken(),
        "CUDA_VISIBLE_DEVICES": "",
        "TORCHINDUCTOR_CACHE_DIR": "/",  # any folder that exists: parts of PyTorch ask for one at import, and never write to it
        **dict.fromkeys(threads, "1"),
    }
    return fixed | {name: os.environ[name] for name in INHERITED if name in os.environ}


def pipes() -> tuple[Pipes, tuple[int, int, int]]:
    """Return three new pipes: the grader's ends, and the worker's."""
    (their_question, question), (answer, their_answer), (output, their_output) = os.pipe(), os.pipe(), os.pipe()
    if sys.platform == "linux":
        import fcntl  # not on every system

        for fd in (question, answer, output):
            with suppress(OSError):  # there is a limit on all pipes of a user together
                fcntl.fcntl(fd, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    return Pipes(question, answer, output), (their_question, their_answer, their_output)


def end(process: subprocess.Popen[bytes], grace_s: float) -> Ending:
    """End a new process and its process group. It has `grace_s` seconds to end by itself."""
    try:
        process.wait(grace_s)
        alone = True
    except subprocess.TimeoutExpired:
        alone = False
    if sys.platform != "win32":
        with suppress(ProcessLookupError, PermissionError):  # the group is empty; macOS raises PermissionError for zombies
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    return Ending(alone, process.wait())


def did_not_start(log: bytes, code: int | None) -> GraderError:
    """Return the error for a process that did not start, with the end of its output, or else its exit code.

    `code` is None if the process did not end.
    """
    said = log.decode("utf-8", "replace").strip()
    if "No module named 'torch'" in said:
        return GraderError(
            _("PyTorch is not installed for {python}. Run `{python} -m pip install torch`, then try again.", python=sys.executable)
        )
    late = _("no output within {seconds:g} s", seconds=START_S)
    ending = late if code is None else _("no output, and exit code {code}", code=code)
    tail = "\n".join(said.splitlines()[-8:]) or ending
    return GraderError(
        _("The process that runs submissions did not start. Check if `python -c 'import torch'` works. Its output:\n{said}", said=tail)
    )
