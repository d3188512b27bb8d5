"""The self-test: what the walls promise, tried in a worker before any submission is let in. The tier reported is the tier witnessed."""

from __future__ import annotations

import _thread
import errno
import fcntl
import importlib
import mmap
import os
import resource
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from normgrade.sandbox.kernel import call, capabilities
from normgrade.sandbox.linux import OVERRIDE, READ_SEARCH

HERE = Path(__file__)  # a file of the grader's, which whoever started it can read
UNUSED = ("colorsys", "sndhdr", "imghdr", "this", "antigravity", "nturl2path", "chunk")  # small modules that nobody imports
TIOCSTI, F_SETSIG = 0x5412, 10

# Calls that no submission needs. With these arguments they do nothing but complain, should they be let through.
FORBIDDEN: dict[str, tuple[int, ...]] = {
    "fchmodat": (-1, 0, 0), "utimensat": (-1, 0, 0), "setxattr": (0, 0, 0), "truncate": (0, 0), "unlinkat": (-1, 0, 0),
    "linkat": (-1, 0, -1, 0, 0), "mknodat": (-1, 0, 0), "flock": (-1, 0), "chroot": (0,), "mount": (0, 0, 0, 0, 0), "setns": (-1, 0),
    "execve": (0, 0, 0), "ptrace": (-1, 0, 0, 0), "process_vm_readv": (0, 0, 0, 0, 0, 0), "pidfd_open": (-1, 0), "setpriority": (-1, 0, 0),
    "rt_sigqueueinfo": (0, 0, 0), "io_uring_setup": (0, 0), "keyctl": (-1, 0, 0, 0, 0), "userfaultfd": (-1,), "bpf": (-1, 0, 0),
    "perf_event_open": (0, 0, 0, -1, 0), "msgget": (1, 0), "mq_open": (0, 0, 0, 0), "vmsplice": (-1, 0, 0, 0), "prctl": (-1, 0, 0, 0, 0),
    "landlock_create_ruleset": (0, 0, 0),
}  # fmt: skip


class Probe(NamedTuple):
    """One attempt. It succeeds where `errors` is empty, and fails with one of these errors otherwise."""

    what: str
    attempt: Callable[[], object]
    errors: tuple[int, ...] = ()


DENIED = (errno.EPERM, errno.EACCES)
HIDDEN = (errno.EACCES, errno.ENOENT)
NO_MEMORY = (errno.ENOMEM,)


def right_code(zygote: int, grader: int, play: Callable[[], bool]) -> Iterator[Probe]:
    """What must go on working, in every tier."""
    yield Probe("a layer trains", lambda: assert_true(play()))
    yield Probe("a library is imported late", lambda: importlib.import_module(next(name for name in UNUSED if name not in sys.modules)))
    yield Probe("the files of the libraries are read", lambda: [read(str(sys.modules[name].__file__)) for name in ("os", "numpy", "torch")])
    yield Probe("random bytes are had", lambda: (os.urandom(8), read("/dev/urandom")))
    yield Probe("64 MiB of memory are had", lambda: mmap.mmap(-1, 2**26, flags=mmap.MAP_PRIVATE).close())
    yield Probe("a file descriptor is copied", lambda: os.close(os.dup(2)))
    yield Probe("no stray file is open", lambda: assert_true(not any(map(is_open, range(5, 64)))))


def shut_in(zygote: int, grader: int, play: Callable[[], bool]) -> Iterator[Probe]:
    """What must not be possible behind the walls of `linux`."""
    yield Probe("read the grader's files", lambda: read(str(HERE)), HIDDEN)
    yield Probe("read /etc/passwd", lambda: read("/etc/passwd"), HIDDEN)
    yield Probe("list the root folder", lambda: os.listdir("/"), HIDDEN)
    yield Probe("list the temporary folder", lambda: os.listdir("/tmp"), HIDDEN)
    yield Probe("read one's own memory map", lambda: read("/proc/self/maps"), HIDDEN)
    yield Probe("read the zygote's environment", lambda: read(f"/proc/{zygote}/environ"), HIDDEN)
    yield Probe("write a file", lambda: os.open("/dev/null", os.O_WRONLY), DENIED)
    yield Probe("create a file", lambda: os.open("/tmp/normgrade-self-test", os.O_CREAT | os.O_RDWR | os.O_EXCL), DENIED)
    yield Probe("create a file in memory", lambda: os.open("/dev/shm/normgrade-self-test", os.O_CREAT | os.O_RDWR | os.O_EXCL), DENIED)
    yield Probe("cut a file by reading it", lambda: os.open("/dev/null", os.O_RDONLY | os.O_TRUNC), DENIED)
    for name, family, kind in (
        ("a TCP", socket.AF_INET, socket.SOCK_STREAM),
        ("a UDP", socket.AF_INET, socket.SOCK_DGRAM),
        ("a Unix", socket.AF_UNIX, socket.SOCK_STREAM),
        ("a netlink", socket.AF_NETLINK, socket.SOCK_RAW), ("a virtual machine's", socket.AF_VSOCK, socket.SOCK_STREAM),
    ):  # fmt: skip
        yield Probe(f"open {name} socket", lambda family=family, kind=kind: socket.socket(family, kind), DENIED)  # type: ignore[misc]
    yield Probe("open a pair of sockets", socket.socketpair, DENIED)
    yield Probe("start a process", fork, (errno.EAGAIN,))
    yield Probe("start a thread", thread, (errno.EAGAIN,))
    for name, pid in (("the zygote", zygote), ("every process", -1)):
        yield Probe(f"signal {name}", lambda pid=pid: os.kill(pid, 0), DENIED)  # type: ignore[misc]
    yield Probe("signal the zygote's thread", lambda: call("tgkill", zygote, zygote, 0), DENIED)
    yield Probe("limit the zygote", lambda: call("prlimit64", zygote, resource.RLIMIT_CORE, None, None), DENIED)
    yield Probe("lift a limit", lambda: call("prlimit64", 0, resource.RLIMIT_FSIZE, bytes(16), None), DENIED)
    yield Probe("have signals sent", lambda: fcntl.fcntl(1, fcntl.F_SETOWN, zygote), DENIED)
    yield Probe("choose the signal sent", lambda: fcntl.fcntl(1, F_SETSIG, 9), DENIED)
    yield Probe("be signalled by a pipe", lambda: fcntl.fcntl(1, fcntl.F_SETFL, os.O_ASYNC), DENIED)
    yield Probe("type into a terminal", lambda: fcntl.ioctl(0, TIOCSTI, b"x"), DENIED)
    yield Probe("share memory", lambda: mmap.mmap(-1, 4096), NO_MEMORY)
    yield Probe("grow a stack", lambda: mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100), NO_MEMORY)
    yield Probe("hide memory in a file", lambda: call("memfd_create", b"", 0), NO_MEMORY)
    yield Probe("keep memory after the end", lambda: call("shmget", 1, 1, 0), NO_MEMORY)
    yield Probe("have more memory than allowed", lambda: mmap.mmap(-1, 2**40, flags=mmap.MAP_PRIVATE), NO_MEMORY)
    yield Probe("have a right of root's", lambda: assert_true(bool(capabilities() & ~(READ_SEARCH | OVERRIDE))), (errno.EINVAL,))
    for name, arguments in FORBIDDEN.items():
        yield Probe(f"call {name}", lambda name=name, arguments=arguments: call(name, *arguments), (errno.EPERM,))  # type: ignore[misc]


def out_of_sight(zygote: int, grader: int, play: Callable[[], bool]) -> Iterator[Probe]:
    """What must not exist behind the walls of `container`."""
    yield Probe("see a program", lambda: os.stat("/bin/sh"), (errno.ENOENT,))
    yield Probe("see the list of users", lambda: os.stat("/etc/passwd"), (errno.ENOENT,))
    yield Probe("see the grader's files", lambda: os.stat(HERE.with_name("no such file").parent), (errno.ENOENT,))
    yield Probe("see the grader", lambda: os.getpgid(grader), (errno.ESRCH,))


PROBES = {"process": (right_code,), "linux": (right_code, shut_in), "container": (right_code, shut_in, out_of_sight)}


def probes(tier: str, zygote: int, grader: int, play: Callable[[], bool]) -> list[Probe]:
    return [probe for group in PROBES[tier] for probe in group(zygote, grader, play)]


def failures(tried: list[Probe]) -> list[str]:
    """What did not come out as it must: the walls are not what they seem."""
    return [probe.what for probe in tried if not holds(probe)]


def holds(probe: Probe) -> bool:
    try:
        probe.attempt()
    except OSError as error:
        return error.errno in probe.errors
    except Exception:
        return False
    return not probe.errors


def assert_true(condition: bool) -> None:
    if not condition:
        raise OSError(errno.EINVAL, "not so")


def read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 1)
    finally:
        os.close(fd)


def is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def thread() -> None:
    try:
        _thread.start_new_thread(int, ())
    except RuntimeError as error:
        raise OSError(errno.EAGAIN, str(error)) from error
