"""Calls of Linux for which Python has no function: system calls by name, capabilities, and Landlock."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from normgrade.language import _

PRCTL = {"PR_SET_PDEATHSIG": 1, "PR_SET_DUMPABLE": 4, "PR_SET_KEEPCAPS": 8, "PR_SET_CHILD_SUBREAPER": 36, "PR_SET_NO_NEW_PRIVS": 38}
CAPABILITIES_VERSION = 0x20080522
NAMESPACES = ("ipc", "mnt", "net", "pid", "uts")

# Name, number on x86_64, number on aarch64; a dash if the machine has no such call.
# Those that a submission may make with any arguments:
FREE = """
read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, preadv 295 69, close 3 57, close_range 436 436, lseek 8 62,
fadvise64 221 223, fstat 5 80, stat 4 -, lstat 6 -, newfstatat 262 79, statx 332 291, access 21 -, faccessat 269 48, faccessat2 439 439,
readlink 89 -, readlinkat 267 78, getcwd 79 17, getdents 78 -, getdents64 217 61, dup 32 23, dup2 33 -, dup3 292 24, mprotect 10 226,
munmap 11 215, mremap 25 216, madvise 28 233, brk 12 214, futex 202 98, set_robust_list 273 99, get_robust_list 274 100, rseq 334 293,
membarrier 324 283, restart_syscall 219 128, exit 60 93, exit_group 231 94, rt_sigaction 13 134, rt_sigprocmask 14 135,
rt_sigreturn 15 139, rt_sigpending 127 136, sigaltstack 131 132, getpid 39 172, gettid 186 178, getppid 110 173, getuid 102 174,
geteuid 107 175, getgid 104 176, getegid 108 177, getresuid 118 148, getresgid 120 150, getgroups 115 158, getpgrp 111 -,
nanosleep 35 101, gettimeofday 96 169, time 201 -, times 100 153, getrusage 98 165, getrandom 318 278, uname 63 160, getcpu 309 168,
sched_yield 24 124, getrlimit 97 163, poll 7 -, ppoll 271 73, select 23 -, pselect6 270 72, capget 125 90
"""
# All others that are filtered, tried, or made here:
OTHERS = """
open 2 -, openat 257 56, openat2 437 437, fcntl 72 25, ioctl 16 29, mmap 9 222, getpgid 121 155, getsid 124 156, clock_gettime 228 113,
clock_getres 229 114, clock_nanosleep 230 115, sysinfo 99 179, sched_getaffinity 204 123, prlimit64 302 261, kill 62 129, tgkill 234 131,
tkill 200 130, clone 56 220, clone3 435 435, fork 57 -, vfork 58 -, memfd_create 319 279, memfd_secret 447 447, shmget 29 194,
prctl 157 167, capset 126 91, unshare 272 97, mount 165 40, umount2 166 39, pivot_root 155 41, seccomp 317 277,
landlock_create_ruleset 444 444, landlock_add_rule 445 445, landlock_restrict_self 446 446, ptrace 101 117, process_vm_readv 310 270,
pidfd_open 434 434, rt_sigqueueinfo 129 138, setpriority 141 140, socket 41 198, socketpair 53 199, io_uring_setup 425 425,
keyctl 250 219, bpf 321 280, userfaultfd 323 282, perf_event_open 298 241, personality 135 92, msgget 68 186, mq_open 240 180,
execve 59 221, mknodat 259 33, chmod 90 -, fchmodat 268 53, utimensat 280 88, setxattr 188 5, truncate 76 45, unlinkat 263 35,
linkat 265 37, flock 73 32, chroot 161 51, setns 308 268, vmsplice 278 75, sethostname 170 161, setdomainname 171 162,
mount_setattr 442 442
"""


class Missing(Exception):
    """A tier that this machine does not offer. The text says why, and how to get it."""


@cache
def numbers(machine: str) -> dict[str, int]:
    """Return the numbers of all calls in the table that this machine has, by name. Raises Missing for an unknown machine."""
    column = {"x86_64": 1, "aarch64": 2}.get(machine)
    if column is None or sys.maxsize < 2**32:
        raise Missing(_("system calls are known only for 64-bit x86_64 and aarch64, but this Python runs on {machine}", machine=machine))
    rows = (row.split() for table in (FREE, OTHERS) for row in table.split(","))
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


def this_machine() -> str:
    """Return the name of the processor, such as "x86_64". Raises Missing if the system is not Linux."""
    if sys.platform != "linux":
        raise Missing(_("the walls need Linux, but this is {platform}; use Linux, or a container with Linux", platform=sys.platform))
    return os.uname().machine


@cache
def libc() -> ctypes.CDLL:
    """Return the C library that this process uses."""
    return ctypes.CDLL(None, use_errno=True)


def call(name: str, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """Make a system call and return its result. Raises OSError if it fails."""
    whole = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    result: int = libc().syscall(ctypes.c_long(numbers(this_machine())[name]), *whole)
    if result < 0:
        raise_errno(name)
    return result


def prctl(option: str, value: int) -> None:
    """Set an option of this process. Do nothing on other systems than Linux."""
    if sys.platform == "linux" and libc().prctl(PRCTL[option], ctypes.c_ulong(value), 0, 0, 0) < 0:
        raise_errno("prctl")


def raise_errno(what: str) -> None:
    """Raise the OSError of the last call that failed."""
    code = ctypes.get_errno()
    raise OSError(code, f"{what}: {os.strerror(code)}")


def namespaces() -> dict[str, str]:
    """Return the namespaces of this process: kind → the kernel's name for it, the same for all processes. Empty if the kernel has none."""
    links = {kind: f"/proc/self/ns/{kind}" for kind in NAMESPACES}
    return {kind: os.readlink(link) for kind, link in links.items() if os.path.lexists(link)}


def capabilities() -> int:
    """Return the effective capabilities of this process, as bits."""
    data = ctypes.create_string_buffer(24)
    call("capget", packed(CAPABILITIES_VERSION, 0), data)
    return int.from_bytes(data.raw[:4], sys.byteorder) | int.from_bytes(data.raw[12:16], sys.byteorder) << 32


def drop_capabilities(keep: int = 0) -> None:
    """Give up every capability except for those whose bits are set in `keep`."""
    low, high = keep & 0xFFFFFFFF, keep >> 32
    call("capset", packed(CAPABILITIES_VERSION, 0), packed(low, low, 0, high, high, 0))


def packed(*numbers: int) -> bytes:
    """Return the numbers as 32-bit words in the machine's byte order."""
    return b"".join(number.to_bytes(4, sys.byteorder) for number in numbers)


# Landlock, which lets a process read certain files. Everything else that it can restrict is forbidden.

READ_FILE, READ_DIR = 1 << 2, 1 << 3
PATH_BENEATH = 1
VERSION = 1
ATTRIBUTES = struct.Struct("=QQQ")  # rights on files, on network ports, and on resources that only equally restricted processes may reach
RULE = struct.Struct("=Qi")  # rights, a file descriptor


def landlock_version() -> int:
    """Return the version of Landlock in this kernel. Raises Missing if it cannot be used."""
    try:
        return call("landlock_create_ruleset", None, 0, VERSION)
    except OSError as error:
        if error.errno == errno.EOPNOTSUPP:
            raise Missing(_("Landlock is disabled in this kernel; boot it with `landlock` in the list `lsm=`")) from error
        if error.errno == errno.ENOSYS:
            raise Missing(_("this kernel does not support Landlock; use Linux 5.13 or later")) from error
        raise Missing(_("Landlock cannot be used ({error}); a container's profile may forbid it", error=error)) from error


@cache
def rights() -> tuple[int, ...]:
    """Return all rights that this kernel can restrict, one number for each of the ATTRIBUTES.

    Each bit is tried, so that a restriction of a newer kernel is included.
    """
    return tuple(sum(1 << bit for bit in range(64) if accepts(field, 1 << bit)) for field in range(3))


def accepts(field: int, right: int) -> bool:
    """Return True if the kernel knows this right, which belongs to one of the three sets."""
    try:
        os.close(create(*(right if number == field else 0 for number in range(3))))
    except OSError:
        return False
    return True


def create(*attributes: int) -> int:
    """Create a set of rules, and return its file descriptor.

    An older kernel accepts this structure too if the fields that it does not know are 0.
    """
    packed = ATTRIBUTES.pack(*attributes)
    return call("landlock_create_ruleset", packed, len(packed), 0)


def ruleset(readable: Iterable[Path]) -> int:
    """Return a set of rules that allows reading these files, and everything in these folders. The caller closes it."""
    rules = create(*rights())
    for path in readable:
        allow(rules, path)
    return rules


def allow(rules: int, path: Path) -> None:
    """Add one file or folder to the rules, if it exists."""
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        read = READ_FILE | READ_DIR if stat.S_ISDIR(os.fstat(fd).st_mode) else READ_FILE
        call("landlock_add_rule", rules, PATH_BENEATH, RULE.pack(read, fd), 0)
    finally:
        os.close(fd)


def restrict(rules: int) -> None:
    """Restrict this process and its children permanently. The process must have given up gaining privileges before."""
    call("landlock_restrict_self", rules, 0)
