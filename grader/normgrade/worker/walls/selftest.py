"""The self-test: a worker tries the promises of the walls before the first submission is played. A report names the tier that passed."""

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
import termios
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from normgrade.language import _
from normgrade.worker.walls.kernel import NAMESPACES, call, capabilities
from normgrade.worker.walls.seccomp import GROWS_DOWN
from normgrade.worker.walls.view import HOST

HERE = Path(__file__)  # a file of the grader's, which its user can read
UNUSED = ("colorsys", "sndhdr", "imghdr", "this", "antigravity", "nturl2path", "chunk")  # small modules that nobody imports

# Calls that no submission needs. With these arguments they only fail, even if the filter lets them through.
FORBIDDEN: dict[str, tuple[int, ...]] = {
    "fchmodat": (-1, 0, 0), "utimensat": (-1, 0, 0), "setxattr": (0, 0, 0), "truncate": (0, 0), "unlinkat": (-1, 0, 0),
    "linkat": (-1, 0, -1, 0, 0), "mknodat": (-1, 0, 0), "flock": (-1, 0), "chroot": (0,), "mount": (0, 0, 0, 0, 0), "setns": (-1, 0),
    "execve": (0, 0, 0), "ptrace": (-1, 0, 0, 0), "process_vm_readv": (0, 0, 0, 0, 0, 0), "pidfd_open": (-1, 0), "setpriority": (-1, 0, 0),
    "rt_sigqueueinfo": (0, 0, 0), "io_uring_setup": (0, 0), "keyctl": (-1, 0, 0, 0, 0), "userfaultfd": (-1,), "bpf": (-1, 0, 0),
    "perf_event_open": (0, 0, 0, -1, 0), "msgget": (1, 0), "mq_open": (0, 0, 0, 0), "vmsplice": (-1, 0, 0, 0), "prctl": (-1, 0, 0, 0, 0),
    "landlock_create_ruleset": (0, 0, 0), "sysinfo": (0,), "sched_getaffinity": (1, 0, 0), "clock_getres": (-2, 0),
}  # fmt: skip


class Facts(NamedTuple):
    """The facts that the trials need, collected before the worker shuts itself in."""

    zygote: int  # its process id
    grader: Mapping[str, str]  # the grader's namespaces: kind → name
    own: Mapping[str, str]  # the worker's namespaces
    kept_capabilities: int  # the capabilities that workers keep, as bits
    neighbours: Sequence[Path]  # files beside libraries that must not be readable
    play: Callable[[], bool]  # returns True if correct code works


class Trial(NamedTuple):
    """One attempt. It must succeed if `errors` is empty, and otherwise fail with one of these error numbers."""

    what: str
    attempt: Callable[[], object]
    errors: tuple[int, ...] = ()


DENIED = (errno.EPERM, errno.EACCES)
HIDDEN = (errno.EACCES, errno.ENOENT)
NO_MEMORY = (errno.ENOMEM,)
NOT_SO = (errno.EINVAL,)


def right_code(facts: Facts) -> Iterator[Trial]:
    """Yield the attempts that must succeed in every tier."""
    yield Trial(_("a layer trains"), lambda: assert_true(facts.play()))
    yield Trial(_("a library is imported late"), lambda: importlib.import_module(next(name for name in UNUSED if name not in sys.modules)))
    used = [sys.modules[name] for name in ("os", "numpy", "torch") if name in sys.modules]
    yield Trial(_("the files of the libraries are read"), lambda: [read_byte(str(module.__file__)) for module in used])
    yield Trial(_("random bytes are read"), lambda: (os.urandom(8), read_byte("/dev/urandom")))
    yield Trial(_("64 MiB of memory are allocated"), lambda: mmap.mmap(-1, 2**26, flags=mmap.MAP_PRIVATE).close())
    yield Trial(_("a file descriptor is copied"), lambda: os.close(os.dup(2)))
    yield Trial(_("no stray file is open"), lambda: assert_true(not any(map(is_open, range(5, 64)))))


def shut_in(facts: Facts) -> Iterator[Trial]:
    """Yield the attempts that must fail inside all walls of the kernel."""
    zygote = facts.zygote
    yield Trial(_("read the grader's files"), lambda: read_byte(str(HERE)), HIDDEN)
    yield Trial(_("read /etc/passwd"), lambda: read_byte("/etc/passwd"), HIDDEN)
    for path in facts.neighbours:
        yield Trial(_("read a file beside a library"), lambda path=path: read_byte(str(path)), HIDDEN)  # type: ignore[misc]
    yield Trial(_("list the root folder"), lambda: os.listdir("/"), HIDDEN)
    yield Trial(_("list the temporary folder"), lambda: os.listdir("/tmp"), HIDDEN)
    yield Trial(_("read its own memory map"), lambda: read_byte("/proc/self/maps"), HIDDEN)
    yield Trial(_("read the zygote's environment"), lambda: read_byte(f"/proc/{zygote}/environ"), HIDDEN)
    yield Trial(_("write a file"), lambda: os.open("/dev/null", os.O_WRONLY), DENIED)
    yield Trial(_("create a file"), lambda: os.open("/tmp/normgrade-self-test", os.O_CREAT | os.O_RDWR | os.O_EXCL), DENIED)
    yield Trial(_("create a file in memory"), lambda: os.open("/dev/shm/normgrade-self-test", os.O_CREAT | os.O_RDWR | os.O_EXCL), DENIED)
    yield Trial(_("truncate a file that is opened to be read"), lambda: os.open("/dev/null", os.O_RDONLY | os.O_TRUNC), DENIED)
    for name, family, kind in (
        (_("open a TCP socket"), socket.AF_INET, socket.SOCK_STREAM),
        (_("open a UDP socket"), socket.AF_INET, socket.SOCK_DGRAM),
        (_("open a Unix socket"), socket.AF_UNIX, socket.SOCK_STREAM),
        (_("open a netlink socket"), socket.AF_NETLINK, socket.SOCK_RAW),
        (_("open a virtual machine's socket"), socket.AF_VSOCK, socket.SOCK_STREAM),
    ):
        yield Trial(name, lambda family=family, kind=kind: socket.socket(family, kind), DENIED)  # type: ignore[misc]
    yield Trial(_("open a pair of sockets"), socket.socketpair, DENIED)
    yield Trial(_("start a process"), fork, (errno.EAGAIN,))
    yield Trial(_("start a thread"), thread, (errno.EAGAIN,))
    for name, pid in ((_("signal the zygote"), zygote), (_("signal every process"), -1)):
        yield Trial(name, lambda pid=pid: os.kill(pid, 0), DENIED)  # type: ignore[misc]
    yield Trial(_("signal the zygote's thread"), lambda: call("tgkill", zygote, zygote, 0), DENIED)
    yield Trial(_("limit the zygote"), lambda: call("prlimit64", zygote, resource.RLIMIT_CORE, None, None), DENIED)
    yield Trial(_("lift a limit"), lambda: call("prlimit64", 0, resource.RLIMIT_FSIZE, bytes(16), None), DENIED)
    yield Trial(_("choose the receiver of signals"), lambda: fcntl.fcntl(1, fcntl.F_SETOWN, zygote), DENIED)
    yield Trial(_("choose the signal sent"), lambda: fcntl.fcntl(1, fcntl.F_SETSIG, 9), DENIED)
    yield Trial(_("be signalled by a pipe"), lambda: fcntl.fcntl(1, fcntl.F_SETFL, os.O_ASYNC), DENIED)
    yield Trial(_("type into a terminal"), lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x"), DENIED)
    yield Trial(_("share memory"), lambda: mmap.mmap(-1, 4096), NO_MEMORY)
    yield Trial(_("grow a stack"), lambda: mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | GROWS_DOWN), NO_MEMORY)
    yield Trial(_("hide memory in a file"), lambda: call("memfd_create", b"", 0), NO_MEMORY)
    yield Trial(_("keep memory after the end"), lambda: call("shmget", 1, 1, 0), NO_MEMORY)
    yield Trial(_("allocate more memory than allowed"), lambda: mmap.mmap(-1, 2**40, flags=mmap.MAP_PRIVATE), NO_MEMORY)
    yield Trial(_("have a privilege of root"), lambda: assert_true(bool(capabilities() & ~facts.kept_capabilities)), NOT_SO)
    for name, arguments in FORBIDDEN.items():
        yield Trial(_("call {name}", name=name), lambda name=name, arguments=arguments: call(name, *arguments), (errno.EPERM,))  # type: ignore[misc]


def out_of_sight(facts: Facts) -> Iterator[Trial]:
    """Yield the attempts that must fail in a worker's own view of the machine."""
    yield Trial(_("see a program"), lambda: os.stat("/bin/sh"), (errno.ENOENT,))
    yield Trial(_("see the list of users"), lambda: os.stat("/etc/passwd"), (errno.ENOENT,))
    yield Trial(_("see the grader's files"), lambda: os.stat(HERE.with_name("no such file").parent), (errno.ENOENT,))
    yield Trial(_("learn the host's name"), lambda: assert_true({os.uname().nodename, platform.node()} != {HOST.decode()}), NOT_SO)
    for kind in NAMESPACES:
        shared = facts.own.get(kind) in (None, facts.grader.get(kind))
        yield Trial(_("share the grader's namespace {kind}", kind=kind), lambda shared=shared: assert_true(shared), NOT_SO)  # type: ignore[misc]


TRIALS = {
    "process": (right_code,),
    "namespaces": (right_code, shut_in, out_of_sight),
    "linux": (right_code, shut_in),
    "container": (right_code, shut_in, out_of_sight),
}


def trials(tier: str, facts: Facts) -> list[Trial]:
    """Return all trials of a tier."""
    return [trial for group in TRIALS[tier] for trial in group(facts)]


def failures(trials: list[Trial]) -> list[str]:
    """Make the trials, and return the names of those without the promised outcome."""
    return [trial.what for trial in trials if not holds(trial)]


def holds(trial: Trial) -> bool:
    """Return True if an attempt has the promised outcome."""
    try:
        trial.attempt()
    except OSError as error:
        return error.errno in trial.errors
    except Exception:
        return False
    return not trial.errors


def assert_true(condition: bool) -> None:
    """Raise OSError with the number EINVAL if the condition does not hold."""
    if not condition:
        raise OSError(errno.EINVAL, "not so")


def read_byte(path: str) -> bytes:
    """Return the first byte of a file."""
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, 1)
    finally:
        os.close(fd)


def is_open(fd: int) -> bool:
    """Return True if this process has an open file of this number."""
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def fork() -> None:
    """Start a process, which ends at once."""
    if os.fork() == 0:
        os._exit(0)


def thread() -> None:
    """Start a thread. Raises OSError, as the other attempts do."""
    try:
        _thread.start_new_thread(int, ())
    except RuntimeError as error:
        raise OSError(errno.EAGAIN, str(error)) from error
