"""Tests of the filter of system calls, run by an interpreter in this file."""

from __future__ import annotations

import errno
import struct
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's")

if sys.platform == "linux":
    from normgrade.worker.walls import kernel, seccomp

MACHINES = ("x86_64", "aarch64")
OWN = 4711  # the id of the process
FREE = [row.split()[0] for row in kernel.FREE.split(",")]


def decide(program: bytes, machine: int, number: int, arguments: tuple[int, ...] = ()) -> int:
    """Return the decision of the kernel on a call."""
    data = struct.pack("<IIQ6Q", number, machine, 0, *(*arguments, *(6 - len(arguments)) * (0,)))
    code = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    at = held = 0
    while True:
        what, if_true, if_false, operand = code[at]
        at += 1
        match what:
            case 0x20:
                [held] = struct.unpack_from("<I", data, operand)
            case 0x54:
                held &= operand
            case 0x15:
                at += if_true if held == operand else if_false
            case 0x35:
                at += if_true if held >= operand else if_false
            case 0x06:
                return int(operand)
            case _:
                raise AssertionError(f"an instruction {what:#x}")


def failing(code: int) -> int:
    return seccomp.FAIL | code


@pytest.mark.parametrize("machine", MACHINES)
def test_unlisted_calls_fail(machine: str) -> None:
    program, known = seccomp.program(machine, OWN), kernel.numbers(machine)
    names = {number: name for name, number in known.items()}
    allowed = {known[name] for name in (*FREE, *seccomp.FILTERED) if name in known}
    for number in range(600):
        decision = decide(program, seccomp.MACHINES[machine], number)
        if number not in allowed:
            assert decision == failing(seccomp.REFUSED.get(names.get(number, ""), errno.EPERM)), names.get(number, number)
        elif names[number] not in seccomp.FILTERED:
            assert decision == seccomp.ALLOW, names[number]


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_another_machine_end_the_process(machine: str) -> None:
    program = seccomp.program(machine, OWN)
    for other in {0x40000003, 0xC000003E, 0xC00000B7, 0x40000028} - {seccomp.MACHINES[machine]}:  # i386, x86_64, aarch64, arm
        assert decide(program, other, 0) == seccomp.KILL
    assert decide(program, seccomp.MACHINES[machine], seccomp.X32) == seccomp.KILL
    assert decide(program, seccomp.MACHINES[machine], seccomp.X32 + 59) == seccomp.KILL


RDONLY, CLOEXEC = 0, 0o2000000
ARGUMENTS: list[tuple[str, tuple[int, ...], int]] = [
    ("openat", (0xFFFFFF9C, 1, RDONLY | CLOEXEC), 0),
    *(("openat", (0xFFFFFF9C, 1, flag), errno.EACCES) for flag in (1, 2, 0o100, 0o1000, 0o2000, 0o20000, 0o10000000, CLOEXEC | 0o1000)),
    ("mmap", (0, 4096, 3, 0x22, 2**64 - 1, 0), 0),
    ("mmap", (0, 4096, 1, 0x01, 3, 0), 0),
    *(("mmap", (0, 4096, 3, flags, 2**64 - 1, 0), errno.ENOMEM) for flags in (0x21, 0x23, 0x122, 0x121)),
    *(("fcntl", (1, command, 0), 0) for command in (0, 1, 2, 3, 1030)),
    ("fcntl", (1, 4, 0o4000), 0),
    *(("fcntl", (1, *rest), errno.EPERM) for rest in ((4, 0o20000), (8, 1), (10, 9), (15, 0), (5, 0), (6, 0), (1031, 1 << 20), (1033, 1))),
    *(("ioctl", (0, command, 0), 0) for command in (0x5401, 0x541B, 0x5421)),
    *(("ioctl", (0, command, 0), errno.EPERM) for command in (0x5412, 0x5452, 0x8901, 0x40046601)),
    ("prlimit64", (0, 7, 0, 1), 0),
    *(("prlimit64", rest, errno.EPERM) for rest in ((1, 7, 0, 1), (0, 7, 1, 0), (0, 7, 1 << 32, 0), (2**32 - 1, 7, 0, 0))),
    ("kill", (OWN, 9), 0),
    *(("kill", (pid, 0), errno.EPERM) for pid in (0, 1, 2**32 - 1, 2**64 - 1, OWN + 1)),
    *((name, (pid, 8, 0), 0) for name in ("getpgid", "getsid", "sched_getaffinity") for pid in (0, OWN)),
    *((name, (pid, 8, 0), errno.EPERM) for name in ("getpgid", "getsid", "sched_getaffinity") for pid in (1, OWN + 1, 2**32 - 1)),
    *((name, (clock, 0), 0) for name in ("clock_gettime", "clock_getres", "clock_nanosleep") for clock in (0, 1, 3, 7, 11)),
    *((name, (clock, 0), errno.EPERM) for name in ("clock_gettime", "clock_nanosleep") for clock in (16, 2**32 - 2, 2**32 - 50)),
    ("tgkill", (OWN, 5, 6), 0),
    ("tgkill", (5, 5, 6), errno.EPERM),
]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("name", "arguments", "error"), ARGUMENTS)
def test_arguments_decide(machine: str, name: str, arguments: tuple[int, ...], error: int) -> None:
    decision = decide(seccomp.program(machine, OWN), seccomp.MACHINES[machine], kernel.numbers(machine)[name], arguments)
    assert decision == (failing(error) if error else seccomp.ALLOW)


def test_upper_half_of_an_argument_is_ignored() -> None:
    """Ignore the upper bits of these arguments, since the kernel reads only 32 bits of them."""
    for name, arguments, error in ARGUMENTS:
        if name in ("fcntl", "ioctl", "kill", "tgkill", "openat"):
            high = tuple(argument | 1 << 40 for argument in arguments)
            decision = decide(seccomp.program("x86_64", OWN), seccomp.MACHINES["x86_64"], kernel.numbers("x86_64")[name], high)
            assert decision == (failing(error) if error else seccomp.ALLOW), (name, high)


def test_a_program_fits_into_the_kernel() -> None:
    assert all(len(seccomp.program(machine, OWN)) // 8 <= 4096 for machine in MACHINES)
