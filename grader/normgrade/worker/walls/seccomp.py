"""The system calls that a submission may make, as a program for the kernel's filter. Every call that is not listed fails."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from normgrade.worker.walls.kernel import call, numbers

ALLOWED = """
read write readv writev pread64 preadv close close_range lseek fadvise64 fstat stat lstat newfstatat statx access faccessat faccessat2
readlink readlinkat getcwd getdents getdents64 dup dup2 dup3 mprotect munmap mremap madvise brk futex set_robust_list get_robust_list rseq
membarrier restart_syscall exit exit_group rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending sigaltstack getpid gettid getppid getuid
geteuid getgid getegid getresuid getresgid getgroups getpgrp nanosleep
gettimeofday time times getrusage capget getrandom uname getcpu sched_yield getrlimit poll ppoll select pselect6
""".split()

WHOLE = 0xFFFFFFFF
OWN_PROCESS = 0x6E6F726D  # a placeholder in the program for the id of the process that will load it


class Only(NamedTuple):
    """A condition on a call: `word & mask` is one of `values`, or, with `unless`, none of them.

    `word` counts the 32-bit words of the call's arguments. Each argument has two, the low one first.
    """

    word: int
    mask: int
    values: tuple[int, ...]
    unless: bool = False


WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | getattr(os, "O_ASYNC", 0) | getattr(os, "O_PATH", 0)
SHARED, ANONYMOUS, GROWS_DOWN = 0x01, 0x20, 0x100  # kinds of memory that no limit counts
FCNTL = (0, 1, 2, 3, 4, 1030)  # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC
IOCTL = (0x5401, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX

FILTERED: Mapping[str, tuple[int, tuple[Only, ...]]] = {  # the error if a condition fails, and the conditions
    "open": (errno.EACCES, (Only(2, WRITING, (0,)),)),
    "openat": (errno.EACCES, (Only(4, WRITING, (0,)),)),
    "mmap": (errno.ENOMEM, (Only(6, SHARED | ANONYMOUS, (SHARED | ANONYMOUS,), unless=True), Only(6, GROWS_DOWN, (0,)))),
    "fcntl": (errno.EPERM, (Only(2, WHOLE, FCNTL), Only(4, getattr(os, "O_ASYNC", 0), (0,)))),
    "ioctl": (errno.EPERM, (Only(2, WHOLE, IOCTL),)),
    "prlimit64": (errno.EPERM, (Only(0, WHOLE, (0,)), Only(4, WHOLE, (0,)), Only(5, WHOLE, (0,)))),  # its own limits, and only to read them
    **dict.fromkeys(("getpgid", "getsid", "sched_getaffinity"), (errno.EPERM, (Only(0, WHOLE, (0, OWN_PROCESS)),))),
    **dict.fromkeys(("clock_gettime", "clock_getres", "clock_nanosleep"), (errno.EPERM, (Only(0, ~0xF & WHOLE, (0,)),))),  # not of others
    "kill": (errno.EPERM, (Only(0, WHOLE, (OWN_PROCESS,)),)),
    "tgkill": (errno.EPERM, (Only(0, WHOLE, (OWN_PROCESS,)),)),
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


def program(machine: str) -> bytes:
    """Return the filter for a machine. It kills a process that uses another machine's numbers, which mean other calls there."""
    known = numbers(machine)
    parts: list[Instruction] = [(LOAD, 0, 0, MACHINE_AT), (IF_EQUAL, 1, 0, MACHINES[machine]), (RETURN, 0, 0, KILL)]
    parts += [(LOAD, 0, 0, NUMBER_AT), (IF_AT_LEAST, 0, 1, X32), (RETURN, 0, 0, KILL)]
    for name in ALLOWED:
        if name in known:
            parts += when(known[name], [(RETURN, 0, 0, ALLOW)])
    for name, (error, conditions) in FILTERED.items():
        if name in known:
            parts += when(known[name], [*checks(conditions, error), (RETURN, 0, 0, ALLOW)])
    for name, error in REFUSED.items():
        if name in known:
            parts += when(known[name], [(RETURN, 0, 0, FAIL | error)])
    parts.append((RETURN, 0, 0, FAIL | errno.EPERM))
    return b"".join(INSTRUCTION.pack(*part) for part in parts)


def when(number: int, then: list[Instruction]) -> list[Instruction]:
    """Return instructions for the call of this number."""
    return [(IF_EQUAL, 0, len(then), number), *then]


def checks(conditions: Iterable[Only], error: int) -> Iterator[Instruction]:
    """Yield instructions that return the error unless all conditions hold."""
    for condition in conditions:
        yield LOAD, 0, 0, ARGUMENTS_AT + 4 * condition.word
        yield AND, 0, 0, condition.mask
        if condition.unless:
            for value in condition.values:
                yield IF_EQUAL, 0, 1, value
                yield RETURN, 0, 0, FAIL | error
        else:
            for left, value in zip(range(len(condition.values), 0, -1), condition.values, strict=True):
                yield IF_EQUAL, left, 0, value
            yield RETURN, 0, 0, FAIL | error


def install(template: bytes) -> None:
    """Filter the calls of this process permanently."""
    code = template.replace(OWN_PROCESS.to_bytes(4, "little"), os.getpid().to_bytes(4, "little"))
    held = ctypes.create_string_buffer(code, len(code))
    described = struct.pack("@HP", len(code) // INSTRUCTION.size, ctypes.addressof(held))
    call("seccomp", FILTER_MODE, 0, described)
