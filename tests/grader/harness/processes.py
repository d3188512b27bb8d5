"""The processes of this machine, read from /proc."""

import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

EXITING = 0x4  # the kernel's flag of a process that is exiting
Family = dict[int, tuple[int, bool]]


def everyone() -> Family:
    """Return the parent of every process, and True if it is not a zombie."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
                found[int(name)] = (int(fields[1]), fields[0] not in b"ZX")
    return found


def is_alive(pid: int) -> bool:
    """Return True if a process runs and has not been killed. A killed process takes a moment to end."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    pending = [int(line.split()[1], 16) for line in status.splitlines() if line.startswith(("SigPnd", "ShdPnd"))]
    is_killed = any(signals & 1 << signal.SIGKILL - 1 for signals in pending)
    return state not in b"ZX" and not is_killed and not int(fields[5]) & EXITING


def descendants(of: int, family: Family) -> set[int]:
    """Return all processes below this one, except for zombies."""
    found, before = {of}, 0
    while len(found) > before:
        before = len(found)
        found |= {pid for pid, (parent, _) in family.items() if parent in found}
    return {pid for pid in found - {of} if family[pid][1]}


def marked(mark: str, among: Iterable[int]) -> set[int]:
    """Return the processes with this mark in their command lines."""
    found = set()
    for pid in among:
        with suppress(OSError):
            if mark.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.add(pid)
    return found


def named(pid: int) -> str:
    """Return the end of a process's command line, or its number if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")[-200:]
    except OSError:
        return str(pid)


def reap(known: set[int]) -> None:
    """Wait for the orphans that have ended, so that their numbers are free."""
    for pid, (parent, alive) in everyone().items():
        if parent == os.getpid() and not alive and pid not in known:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def resident_bytes() -> int:
    """Return the resident memory of this process; 0 if the platform does not tell."""
    if sys.platform != "linux":
        return 0
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
