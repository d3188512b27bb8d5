"""The system calls that a submission may make, as a program for the kernel's filter. Every call that is not listed fails."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import mmap
import os
import struct
import termios
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from normgrade.worker.walls.kernel import FREE, call, numbers


class Only(NamedTuple):
    """A condition on a call: `word & mask` is one of `values`; without a mask, `word` itself is.

    `word` counts the 32-bit words of the call's arguments. Each argument has two, the low one first.
    """

    word: int
    values: tuple[int, ...]
    mask: int | None = None


WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_ASYNC | os.O_PATH
SHARED, ANONYMOUS = mmap.MAP_SHARED, mmap.MAP_ANONYMOUS
GROWS_DOWN = 0x100  # no limit counts such memory, nor shared memory without a file
FCNTL = (fcntl.F_DUPFD, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL, fcntl.F_SETFL, fcntl.F_DUPFD_CLOEXEC)
IOCTL = (termios.TCGETS, termios.FIONREAD, termios.FIONBIO, termios.FIONCLEX, termios.FIOCLEX)
OWN = -1  # stands for the id of the process that is filtered
CLOCKS = tuple(range(16))  # those of the machine; others belong to a process, or to a device

FILTERED: Mapping[str, tuple[int, tuple[Only, ...]]] = {  # the error if a condition fails, and the conditions
    "open": (errno.EACCES, (Only(2, (0,), WRITING),)),
    "openat": (errno.EACCES, (Only(4, (0,), WRITING),)),
    "mmap": (errno.ENOMEM, (Only(6, (0, SHARED, ANONYMOUS), SHARED | ANONYMOUS), Only(6, (0,), GROWS_DOWN))),
    "fcntl": (errno.EPERM, (Only(2, FCNTL), Only(4, (0,), os.O_ASYNC))),
    "ioctl": (errno.EPERM, (Only(2, IOCTL),)),
    "prlimit64": (errno.EPERM, (Only(0, (0,)), Only(4, (0,)), Only(5, (0,)))),  # its own limits, and only to read them
    **dict.fromkeys(("getpgid", "getsid", "sched_getaffinity"), (errno.EPERM, (Only(0, (0, OWN)),))),
    **dict.fromkeys(("clock_gettime", "clock_getres", "clock_nanosleep"), (errno.EPERM, (Only(0, CLOCKS),))),
    **dict.fromkeys(("kill", "tgkill"), (errno.EPERM, (Only(0, (OWN,)),))),
}
REFUSED = {  # with another error than EPERM, which libraries handle
    "clone": errno.EAGAIN, "fork": errno.EAGAIN, "vfork": errno.EAGAIN, "clone3": errno.ENOSYS, "openat2": errno.ENOSYS,
    "memfd_create": errno.ENOMEM, "memfd_secret": errno.ENOMEM, "shmget": errno.ENOMEM,
}  # fmt: skip

INSTRUCTION = struct.Struct("=HBBI")  # code, steps if true, steps if false, operand
LOAD, AND, IF_EQUAL, IF_AT_LEAST, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
NUMBER_AT, MACHINE_AT, ARGUMENTS_AT = 0, 4, 16  # in the kernel's description of a call
ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000
MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32 = 0x40000000  # calls from this number on belong to the 32-bit variant of x86_64
FILTER_MODE = 1

Instruction = tuple[int, int, int, int]


def program(machine: str, process: int) -> bytes:
    """Return the filter for a process on a machine. It kills the process if it uses another machine's numbers, which mean other calls."""
    known = numbers(machine)
    parts: list[Instruction] = [(LOAD, 0, 0, MACHINE_AT), (IF_EQUAL, 1, 0, MACHINES[machine]), (RETURN, 0, 0, KILL)]
    parts += [(LOAD, 0, 0, NUMBER_AT), (IF_AT_LEAST, 0, 1, X32), (RETURN, 0, 0, KILL)]
    free = {row.split()[0]: [(RETURN, 0, 0, ALLOW)] for row in FREE.split(",")}
    filtered = {name: [*checks(conditions, error, process), (RETURN, 0, 0, ALLOW)] for name, (error, conditions) in FILTERED.items()}
    refused = {name: [(RETURN, 0, 0, FAIL | error)] for name, error in REFUSED.items()}
    for name, then in (free | filtered | refused).items():
        if name in known:
            parts += [(IF_EQUAL, 0, len(then), known[name]), *then]
    parts.append((RETURN, 0, 0, FAIL | errno.EPERM))
    return b"".join(INSTRUCTION.pack(*part) for part in parts)


def checks(conditions: Iterable[Only], error: int, process: int) -> Iterator[Instruction]:
    """Yield instructions that return the error unless all conditions hold."""
    for condition in conditions:
        values = [process if value == OWN else value for value in condition.values]
        yield LOAD, 0, 0, ARGUMENTS_AT + 4 * condition.word
        if condition.mask is not None:
            yield AND, 0, 0, condition.mask
        for left, value in zip(range(len(values), 0, -1), values, strict=True):
            yield IF_EQUAL, left, 0, value
        yield RETURN, 0, 0, FAIL | error


def install(code: bytes) -> None:
    """Filter the calls of this process permanently."""
    held = ctypes.create_string_buffer(code, len(code))
    described = struct.pack("@HP", len(code) // INSTRUCTION.size, ctypes.addressof(held))
    call("seccomp", FILTER_MODE, 0, described)
