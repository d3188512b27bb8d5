"""The zygote, a process that has imported PyTorch, or only NumPy, and forks itself for every worker.

It never holds a suite, a reference or an expectation.

It answers questions on the socket that it inherited. The grader asks it to start a worker on three pipes, or to end the worker. When the
socket closes, the zygote ends with everything that it started.
"""

from __future__ import annotations

import fcntl
import gc
import json
import linecache
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import numpy as np

from normgrade.course.ban import Ban
from normgrade.course.tensor_library import Library
from normgrade.language import _
from normgrade.language.places import Place
from normgrade.worker.untrusted import worker as untrusted
from normgrade.worker.untrusted.play import backend
from normgrade.worker.walls import ANSWER_FD, Budget, Protection, Walls, at_most, selftest, walls_of
from normgrade.worker.walls.kernel import Missing, prctl
from normgrade.worker.wire import framing, messages
from normgrade.worker.wire.framing import ASKED, ENDED, GONE_S, KILLED, READY, SAID, START, STARTED, WHERE, ask
from normgrade.worker.wire.observation import Array


def main(
    control_fd: int, tier: str, grader: Mapping[str, str], bans: Sequence[tuple[tuple[str, ...], tuple[str, ...]]], library: str
) -> None:
    """Warm up, build the strongest walls up to `tier`, then serve.

    `grader` holds the grader's namespaces: kind → name. `bans` are those that workers will enforce: banned, and allowed. `library`
    names the one that submissions are written with.
    """
    control, written_with = socket.socket(fileno=control_fd), Library(library)
    with ended_by(control):
        used = backend(written_with)
        gc.freeze()  # collections skip imported objects, which would take a tenth of the time of the imports
        warm_up(written_with)
        for banned, allowed in bans:
            used.find_banned(Ban(banned, allowed))
    check_threads()
    freeze()
    walls, protection = strongest(at_most(tier), grader, partial(example_works, written_with))
    prctl("PR_SET_CHILD_SUBREAPER", 1)  # processes that outlive a worker become children of this one
    prctl("PR_SET_DUMPABLE", 0)  # no other process of this user may read the memory of this one or of its workers
    described = json.dumps([protection.tier, protection.trials, protection.loses, protection.reasons]).encode()
    control.sendall(SAID.pack(READY, len(described)) + described)

    def become_worker(budget: Budget, question: int, answer: int, output: int) -> None:
        prctl("PR_SET_PDEATHSIG", signal.SIGKILL)
        control.detach()
        untrusted.enter(walls, budget, question, answer, output)
        untrusted.serve(written_with)

    serve(control, become_worker)
    os._exit(0)  # an orderly end of PyTorch takes 0.15 s, and the grader would wait for it


def strongest(tiers: list[str], grader: Mapping[str, str], works: Callable[[], bool]) -> tuple[Walls, Protection]:
    """Return the walls of the first of these tiers that passes its self-test, in which correct code `works`."""
    reasons: dict[str, str] = {}
    for kind in list(map(walls_of, tiers)):  # imported before any are built: some walls hide the files of the others
        try:
            walls = kind()
            trials = build_and_test(walls, grader, works)
            return walls, Protection(walls.name, trials, tuple(map(_, walls.loses)), reasons)
        except Missing as reason:
            reasons[kind.name] = str(reason)
    raise RuntimeError(_("even right code does not work here: {reasons}", reasons=reasons))


def build_and_test(walls: Walls, grader: Mapping[str, str], works: Callable[[], bool]) -> int:
    """Build walls and test them; return the number of trials. Raises Missing if they cannot be built, or fail a trial."""
    try:
        walls.prepare()
        tried, failed = self_test(walls, grader, works)
    except Exception as error:  # for any error: weaker walls may still work
        walls.give_up(str(error) if isinstance(error, OSError | Missing) else f"{type(error).__name__}: {error}")
    if failed:
        probes = _(", ").join(failed[:5]) + (" …" if len(failed) > 5 else "")
        walls.give_up(_("the self-test failed: {probes} ({failed} of {tried} probes)", probes=probes, failed=len(failed), tried=tried))
    return tried


def self_test(walls: Walls, grader: Mapping[str, str], works: Callable[[], bool]) -> tuple[int, list[str]]:
    """Have a worker test the walls; return the number of trials, and a description of each that failed."""
    facts = selftest.Facts(os.getpid(), grader, walls.namespaces, walls.kept_capabilities, walls.neighbours, works)
    answer, their_answer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            untrusted.enter(walls, Budget(1024, 60), their_answer, their_answer, their_answer)
            trials = selftest.trials(walls.name, facts)
            os.write(ANSWER_FD, json.dumps([len(trials), selftest.failures(trials)]).encode())
        except BaseException as error:
            os.write(2, json.dumps([0, [f"{type(error).__name__}: {error}"]]).encode())
        finally:
            os._exit(0)
    os.close(their_answer)
    said = os.read(answer, 2**16) if select.select([answer], [], [], GONE_S)[0] else b""
    os.close(answer)
    os.kill(pid, signal.SIGKILL)  # it is reaped with the first worker: waiting for the end of so large a process takes as long as the test
    if not said:
        status = os.waitpid(pid, 0)[1]
        raise OSError(_("the worker of the self-test ended without an answer ({code})", code=os.waitstatus_to_exitcode(status)))
    tried, failed = json.loads(said)
    if failed and not tried:
        raise OSError(_("the self-test could not be made: {error}", error=failed[0]))
    return tried, failed


def example_works(written_with: Library) -> bool:
    """Return True if a small submission can be played with a request like those of every suite."""
    used, loaded = backend(written_with), untrusted.Loaded(written_with)
    untrusted.observe(messages.Load(used.EXAMPLE, "example.py", "submission"), loaded)
    seen = untrusted.observe(messages.PlayQuestion(used.first_step(), 2**16), loaded)
    output = seen.values.get(Place("output", step=1))
    return seen.error is None and isinstance(output, Array) and bool(np.abs(output.values).max() == 0.0)


def warm_up(written_with: Library) -> None:
    """Do everything once that a worker does, so that all imports and allocations are made before the forks."""
    used, loaded = backend(written_with), untrusted.Loaded(written_with)
    used.use_one_thread()
    ban = Ban(("no.such.name",))  # last, when every module that can be banned has been imported
    plays = [messages.PlayQuestion(request, 2**16) for request in (used.first_step(), *used.many_steps())]
    questions: list[messages.Question] = [messages.Load(used.EXAMPLE, "example.py", "submission"), *plays, ban]
    for message in questions:
        _serial, asked = messages.decode(messages.QUESTIONS, messages.encode(message), framing.QUESTION_HEADER_BYTES, 2**16)
        untrusted.encoded(untrusted.observe(asked, loaded), 0, 2**16)
    del sys.modules["submission"], linecache.cache["example.py"]


@contextmanager
def ended_by(control: socket.socket) -> Iterator[None]:
    """End this process at once if the socket closes, even in an import, which may take many seconds on a busy machine.

    The kernel then sends SIGIO. It would also send it for a question, but nobody asks before the process is ready.
    """
    signal.signal(signal.SIGIO, signal.SIG_DFL)  # which ends the process
    flags = fcntl.fcntl(control, fcntl.F_GETFL)
    fcntl.fcntl(control, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(control, fcntl.F_SETFL, flags | os.O_ASYNC)
    with suppress(BlockingIOError):
        if not control.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT):
            os._exit(0)  # it was closed before
    yield
    fcntl.fcntl(control, fcntl.F_SETFL, flags)


def check_threads() -> None:
    """Raise RuntimeError if this process has several threads: its forks would hang."""
    tasks = Path("/proc/self/task")
    if tasks.exists() and (count := len(list(tasks.iterdir()))) != 1:
        raise RuntimeError(_("the process to fork from has {n} threads instead of one", n=count))


def freeze() -> None:
    """Collect the garbage since the last freeze, and exclude all other objects from later collections.

    A collection in a worker would copy the shared pages of the objects that it visits.
    """
    gc.enable()
    gc.collect()
    gc.freeze()


def serve(control: socket.socket, become_worker: Callable[[Budget, int, int, int], None]) -> None:
    """Start and end workers, one at a time, until the socket closes."""
    pid = 0
    try:
        while True:
            asked, files, _flags, _address = socket.recv_fds(control, ASKED.size, 3)
            if len(asked) != ASKED.size:
                return
            what, grace_ms, memory_mib, cpu_s = ASKED.unpack(asked)
            if what == START:
                pid = os.fork()
                if pid == 0:
                    try:
                        become_worker(Budget(memory_mib, cpu_s), *files)
                    finally:  # reached only if the worker could not start
                        os._exit(1)
                for fd in files:
                    os.close(fd)
                control.sendall(SAID.pack(STARTED, pid))
            elif what == WHERE:
                ask(pid)
            else:
                answer, pid = end(pid, grace_ms / 1000), 0
                control.sendall(SAID.pack(*answer))
    except ConnectionError:
        return
    finally:
        end(pid, 0.0)


def end(pid: int, grace_s: float) -> tuple[int, int]:
    """End a worker and everything that it started. Return ENDED if it ended by itself within `grace_s`, else KILLED; and its exit code."""
    if not pid:
        return KILLED, 0
    alone = ended_alone(pid, grace_s)
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)  # its group may not exist yet; the id is still the worker's, because it has not been reaped
    status = os.waitpid(pid, 0)[1]
    reap_all()
    return ENDED if alone else KILLED, os.waitstatus_to_exitcode(status)


def ended_alone(pid: int, grace_s: float) -> bool:
    """Return True if a worker ends by itself within this time. It is not reaped here."""
    deadline = time.monotonic() + grace_s
    while not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.001)
    return True


def reap_all() -> None:
    """Kill the processes that a worker left, generation by generation, until there are none. Raises TimeoutError after GONE_S."""
    deadline = time.monotonic() + GONE_S
    while time.monotonic() < deadline:
        for child in children():
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG) != (0, 0):
                pass
        except ChildProcessError:
            return
        time.sleep(0.0005)
    raise TimeoutError(_("the processes of a submission are still alive after {seconds} s", seconds=GONE_S))


def children() -> list[int]:
    """Return the children of this process; none if the platform does not tell."""
    if os.getpid() == 1:  # the first process of its namespace: -1 means all others there
        return [-1]
    try:
        return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except OSError:
        return []
