"""Witnesses of an attack: sockets that listen, a victim that notes every signal, and the grader's own notes."""

import ctypes
import os
import resource
import secrets
import select
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

FENCE = 64  # the highest signal number: the victim notes all other signals before it
FATAL = {signal.SIGCHLD, signal.SIGPIPE, signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL}  # these keep their handlers
VICTIM = """
import os, signal, time
for number in range(1, 65):
    try:
        signal.signal(number, lambda number, frame: os.write(1, b"%d\\n" % number))
    except (OSError, ValueError):
        pass
os.write(1, b"ready\\n")
while True:
    time.sleep(0.02)  # not `pause`, which would sleep over a signal that came just before
"""


class Watch:
    """Sockets that listen, a victim that notes every signal, and the grader's own notes. The sockets lie in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.signals: list[int] = []
        self.unix, self.abstract = str(folder / "socket"), f"attacks-{secrets.token_hex(8)}"
        self.sockets = {
            "tcp": listening(socket.AF_INET, ("127.0.0.1", 0)),
            "udp": listening(socket.AF_INET, ("127.0.0.1", 0), socket.SOCK_DGRAM),
            "unix": listening(socket.AF_UNIX, self.unix),
            "unix datagram": listening(socket.AF_UNIX, self.unix + "-datagram", socket.SOCK_DGRAM),
        }
        if sys.platform == "linux":
            self.sockets["abstract"] = listening(socket.AF_UNIX, "\0" + self.abstract)
            become_subreaper()
        for number in {*range(1, 64)} - FATAL:
            with suppress(OSError, ValueError):
                signal.signal(number, lambda number, frame: self.signals.append(number))
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        self.start_victim()

    def start_victim(self) -> None:
        self.victim = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", VICTIM],
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        )
        if self.notes.readline() != b"ready\n":
            raise RuntimeError("the victim did not start")
        self.victim_settings = settings(self.victim.pid)
        self.own_settings = settings(os.getpid())

    @property
    def notes(self) -> IO[bytes]:
        """The notes that the victim writes to its stdout."""
        if self.victim.stdout is None:
            raise RuntimeError("the victim was started without a pipe")
        return self.victim.stdout

    def addresses(self) -> dict[str, object]:
        """Return the addresses of the sockets and the pid of the victim, by the names that attacks use for them."""
        return {
            "TCP": self.sockets["tcp"].getsockname()[1], "UDP": self.sockets["udp"].getsockname()[1], "UNIX": self.unix,
            "ABSTRACT": self.abstract, "VICTIM": self.victim.pid,
        }  # fmt: skip

    def reached(self) -> list[str]:
        """Return the sockets that heard something since the last call."""
        return [name for name, listener in self.sockets.items() if heard(listener)]

    def harmed(self) -> list[str]:
        """Return the harm to the victim and to the grader since the last call."""
        found = [f"grader: signal {number}" for number in self.signals]
        self.signals.clear()
        if settings(os.getpid()) != self.own_settings:
            found.append(f"grader: {settings(os.getpid())} instead of {self.own_settings}")
        return found + self.harmed_victim()

    def harmed_victim(self) -> list[str]:
        if self.victim.poll() is not None:
            found = [f"victim: ended with {self.victim.returncode}"]
            self.start_victim()
            return found
        now = settings(self.victim.pid)
        found = [] if now == self.victim_settings else [f"victim: {now} instead of {self.victim_settings}"]
        self.victim.send_signal(signal.SIGCONT)
        noted = [*self.noted(), *self.noted()]  # twice: a signal that arrives while it handles others is noted next time
        found += [f"victim: signal {number}" for number in noted if number != signal.SIGCONT]
        if now != self.victim_settings:
            self.victim.kill()
            self.victim.wait()
            self.start_victim()
        return found

    def noted(self) -> list[int]:
        """Return the signals that the victim noted since the last call."""
        self.victim.send_signal(FENCE)
        noted: list[int] = []
        while (line := self.notes.readline()) and int(line) != FENCE:
            noted.append(int(line))
        return noted

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.victim.kill()
        self.victim.wait()
        self.notes.close()
        for each in self.sockets.values():
            each.close()


def listening(family: int, address: str | tuple[str, int], kind: int = socket.SOCK_STREAM) -> socket.socket:
    listener = socket.socket(family, kind)
    listener.bind(address)
    if kind == socket.SOCK_STREAM:
        listener.listen(64)
    listener.setblocking(False)
    return listener


def heard(listener: socket.socket) -> bool:
    """Return True if anything arrived, and empty the socket."""
    found = False
    while select.select([listener], [], [], 0)[0]:
        found = True
        with suppress(OSError):
            if listener.type == socket.SOCK_STREAM:
                listener.accept()[0].close()
            else:
                listener.recv(2**16)
    return found


def become_subreaper() -> None:
    """Make this process the parent of a zygote's orphans, so that it can see them."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def settings(pid: int) -> dict[str, object]:
    """Return the settings of a process that another process of the same user may change."""
    if sys.platform != "linux":
        return {"priority": os.getpriority(os.PRIO_PROCESS, pid)}
    stat = Path(f"/proc/{pid}/stat").read_text()
    return {
        "priority": os.getpriority(os.PRIO_PROCESS, pid),
        "files": resource.prlimit(pid, resource.RLIMIT_NOFILE),
        "core": resource.prlimit(pid, resource.RLIMIT_CORE),
        "cores": sorted(os.sched_getaffinity(pid)),
        "policy": os.sched_getscheduler(pid),
        "oom": Path(f"/proc/{pid}/oom_score_adj").read_text().strip(),
        "stopped": stat.rpartition(")")[2].split()[0] in "Tt",
    }
