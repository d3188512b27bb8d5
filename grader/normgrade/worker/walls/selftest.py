"""The self-test: what the walls promise, tried in a worker before any submission is let in. The tier reported is the tier witnessed."""

from __future__ import annotations

import _thread
import errno
import fcntl
import importlib
import mmap
import os
import platform
import resource
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from normgrade.language import _
from normgrade.worker.walls.kernel import NAMESPACES, call, capabilities
from normgrade.worker.walls.view import HOST

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
    "landlock_create_ruleset": (0, 0, 0), "sysinfo": (0,), "sched_getaffinity": (1, 0, 0), "clock_getres": (-2, 0),
}  # fmt: skip


class Ground(NamedTuple):
    """What is known before the walls are up, and tried behind them."""

    zygote: int
    grader: Mapping[str, str]  # its namespaces
    own: Mapping[str, str]
    kept_capabilities: int
    neighbours: Sequence[Path]  # of libraries
    play: Callable[[], bool]


class Probe(NamedTuple):
    """One attempt. It succeeds where `errors` is empty, and fails with one of these errors otherwise."""

    what: str
    attempt: Callable[[], object]
    errors: tuple[int, ...] = ()


DENIED = (errno.EPERM, errno.EACCES)
HIDDEN = (errno.EACCES, errno.ENOENT)
NO_MEMORY = (errno.ENOMEM,)
NOT_SO = (errno.EINVAL,)


def right_code(ground: Ground) -> Iterator[Probe]:
    """What must go on working, in every tier."""
    yield Probe(_("a layer trains"), lambda: assert_true(ground.play()))
    yield Probe(_("a library is imported late"), lambda: importlib.import_module(next(name for name in UNUSED if name not in sys.modules)))
    yield Probe(
        _("the files of the libraries are read"), lambda: [read(str(sys.modules[name].__file__)) for name in ("os", "numpy", "torch")]
    )
    yield Probe(_("random bytes are had"), lambda: (os.urandom(8), read("/dev/urandom")))
    yield Probe(_("64 MiB of memory are had"), lambda: mmap.mmap(-1, 2**26, flags=mmap.MAP_PRIVATE).close())
    yield Probe(_("a file descriptor is copied"), lambda: os.close(os.dup(2)))
    yield Probe(_("no stray file is open"), lambda: assert_true(not any(map(is_open, range(5, 64)))))


def shut_in(ground: Ground) -> Iterator[Probe]:
    """What must not be possible behind any walls of the kernel."""
    zygote = ground.zygote
    yield Probe(_("read the grader's files"), lambda: read(str(HERE)), HIDDEN)
    yield Probe(_("read /etc/passwd"), lambda: read("/etc/passwd"), HIDDEN)
    for path in ground.neighbours:
        yield Probe(_("read what lies beside a library"), lambda path=path: read(str(path)), HIDDEN)  # type: ignore[misc]
    yield Probe(_("list the root folder"), lambda: os.listdir("/"), HIDDEN)
    yield Probe(_("list the temporary folder"), lambda: os.listdir("/tmp"), HIDDEN)
    yield Probe(_("read one's own memory map"), lambda: read("/proc/self/maps"), HIDDEN)
    yield Probe(_("read the zygote's environment"), lambda: read(f"/proc/{zygote}/environ"), HIDDEN)
    yield Probe(_("write a file"), lambda: os.open("/dev/null", os.O_WRONLY), DENIED)
    yield Probe(_("create a file"), lambda: os.open("/tmp/normgrade-self-test", os.O_CREAT | os.O_RDWR | os.O_EXCL), DENIED)
    yield Probe(_("create a file in memory"), lambda: os.open("/dev/shm/normgrade-self-test", os.O_CREAT | os.O_RDWR | os.O_EXCL), DENIED)
    yield Probe(_("cut a file by reading it"), lambda: os.open("/dev/null", os.O_RDONLY | os.O_TRUNC), DENIED)
    for name, family, kind in (
        (_("open a TCP socket"), socket.AF_INET, socket.SOCK_STREAM),
        (_("open a UDP socket"), socket.AF_INET, socket.SOCK_DGRAM),
        (_("open a Unix socket"), socket.AF_UNIX, socket.SOCK_STREAM),
        (_("open a netlink socket"), socket.AF_NETLINK, socket.SOCK_RAW),
        (_("open a virtual machine's socket"), socket.AF_VSOCK, socket.SOCK_STREAM),
    ):
        yield Probe(name, lambda family=family, kind=kind: socket.socket(family, kind), DENIED)  # type: ignore[misc]
    yield Probe(_("open a pair of sockets"), socket.socketpair, DENIED)
    yield Probe(_("start a process"), fork, (errno.EAGAIN,))
    yield Probe(_("start a thread"), thread, (errno.EAGAIN,))
    for name, pid in ((_("signal the zygote"), zygote), (_("signal every process"), -1)):
        yield Probe(name, lambda pid=pid: os.kill(pid, 0), DENIED)  # type: ignore[misc]
    yield Probe(_("signal the zygote's thread"), lambda: call("tgkill", zygote, zygote, 0), DENIED)
    yield Probe(_("limit the zygote"), lambda: call("prlimit64", zygote, resource.RLIMIT_CORE, None, None), DENIED)
    yield Probe(_("lift a limit"), lambda: call("prlimit64", 0, resource.RLIMIT_FSIZE, bytes(16), None), DENIED)
    yield Probe(_("have signals sent"), lambda: fcntl.fcntl(1, fcntl.F_SETOWN, zygote), DENIED)
    yield Probe(_("choose the signal sent"), lambda: fcntl.fcntl(1, F_SETSIG, 9), DENIED)
    yield Probe(_("be signalled by a pipe"), lambda: fcntl.fcntl(1, fcntl.F_SETFL, os.O_ASYNC), DENIED)
    yield Probe(_("type into a terminal"), lambda: fcntl.ioctl(0, TIOCSTI, b"x"), DENIED)
    yield Probe(_("share memory"), lambda: mmap.mmap(-1, 4096), NO_MEMORY)
    yield Probe(_("grow a stack"), lambda: mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100), NO_MEMORY)
    yield Probe(_("hide memory in a file"), lambda: call("memfd_create", b"", 0), NO_MEMORY)
    yield Probe(_("keep memory after the end"), lambda: call("shmget", 1, 1, 0), NO_MEMORY)
    yield Probe(_("have more memory than allowed"), lambda: mmap.mmap(-1, 2**40, flags=mmap.MAP_PRIVATE), NO_MEMORY)
    yield Probe(_("have a right of root's"), lambda: assert_true(bool(capabilities() & ~ground.kept_capabilities)), NOT_SO)
    for name, arguments in FORBIDDEN.items():
        yield Probe(_("call {name}", name=name), lambda name=name, arguments=arguments: call(name, *arguments), (errno.EPERM,))  # type: ignore[misc]


def out_of_sight(ground: Ground) -> Iterator[Probe]:
    """What must not exist where the view of the machine is one's own."""
    yield Probe(_("see a program"), lambda: os.stat("/bin/sh"), (errno.ENOENT,))
    yield Probe(_("see the list of users"), lambda: os.stat("/etc/passwd"), (errno.ENOENT,))
    yield Probe(_("see the grader's files"), lambda: os.stat(HERE.with_name("no such file").parent), (errno.ENOENT,))
    yield Probe(_("learn the host's name"), lambda: assert_true({os.uname().nodename, platform.node()} != {HOST.decode()}), NOT_SO)
    for kind in NAMESPACES:
        shared = ground.own.get(kind) in (None, ground.grader.get(kind))
        yield Probe(_("share the grader's namespace {kind}", kind=kind), lambda shared=shared: assert_true(shared), NOT_SO)  # type: ignore[misc]


PROBES = {
    "process": (right_code,),
    "namespaces": (right_code, shut_in, out_of_sight),
    "linux": (right_code, shut_in),
    "container": (right_code, shut_in, out_of_sight),
}


def probes(tier: str, ground: Ground) -> list[Probe]:
    return [probe for group in PROBES[tier] for probe in group(ground)]


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
