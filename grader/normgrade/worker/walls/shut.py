"""The walls of the kernel: limits, another user, a filter of system calls. The tiers differ in how they hide files."""

from __future__ import annotations

import os
import signal
import stat
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from normgrade.language import N_
from normgrade.worker.walls import RULES_FD, Budget, Walls, kernel, libraries, lower
from normgrade.worker.walls.kernel import Missing, capabilities, drop_capabilities, namespaces, numbers, prctl, this_machine
from normgrade.worker.walls.view import View, open_the_way

NOBODY = 65534

# Two capabilities to read files of other users: the first is for reading only; the second is used if a container lacks the first.
READ_SEARCH, OVERRIDE = 1 << 2, 1 << 1  # CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE
KEPT = N_(
    "a privilege of root: only root can enter the folder of Python, so your code can look up files in folders that are closed to others"
)


class Shut(Walls):
    """Walls of the kernel. They are built once, and enclose each worker within a millisecond."""

    own_view = False  # True if hidden files do not exist for a worker
    forbidding = False  # True if Landlock forbids reading hidden files
    filter_calls: Callable[[], None]
    promises: tuple[str, ...] = (
        *Walls.promises,
        N_("no file can be written or changed"),
        N_("no network, no socket of any kind, no other process, no thread"),
        N_("memory of every kind counts towards a limit"),
        N_("if root runs the grader, the code runs as nobody"),
    )

    def __init__(self) -> None:
        super().__init__()
        numbers(this_machine())
        if self.forbidding:
            kernel.landlock_version()
        self.view = View()
        self.must_be_nobody = is_root_outside()

    def prepare(self) -> None:
        """Enter the view, and build the rules for all workers."""
        from normgrade.worker.walls import seccomp  # only on Linux

        super().prepare()
        self.filter_calls = lambda: seccomp.install(seccomp.program(this_machine(), os.getpid()))
        readable = libraries.readable(name for name in libraries.ROOTS if name in sys.modules)  # the library of the submissions
        self.neighbours = libraries.neighbours(readable)
        self.namespaces = self.view.enter(readable) if self.own_view else namespaces()
        self.kept_capabilities = capabilities_to_read(readable)
        if self.kept_capabilities:
            self.loses = (*self.loses, KEPT)
        if self.forbidding:
            self.files = {RULES_FD: kernel.ruleset(readable)}

    def give_up(self, reason: str) -> None:
        self.view.give_up(reason)

    def enclose(self, budget: Budget) -> None:
        import resource  # not on every system

        lower(resource.RLIMIT_MEMLOCK, 0)
        super().enclose(budget)
        prctl("PR_SET_NO_NEW_PRIVS", 1)
        become_nobody(self.kept_capabilities, self.must_be_nobody)
        prctl("PR_SET_PDEATHSIG", signal.SIGKILL)  # again, because a change of user resets it
        prctl("PR_SET_DUMPABLE", 0)
        if self.forbidding:
            kernel.restrict(RULES_FD)
            os.close(RULES_FD)
        self.filter_calls()


class Linux(Shut):
    """The tier `linux`: Landlock forbids reading hidden files. It needs neither privileges nor namespaces."""

    name = "linux"
    forbidding = True
    promises: tuple[str, ...] = (
        *Shut.promises,
        N_("the kernel forbids reading any file except for the libraries; the course and normgrade cannot be read"),
    )
    loses: tuple[str, ...] = (
        N_("existence: your code can find out if a file or process exists, its size, its age, its owner, and the target of a link"),
        N_("machine: your code can find out the name of the host, its kernel, its processor and its uptime"),
    )


class Namespaces(Shut):
    """The tier `namespaces`: hidden files do not exist in the worker's own view of the machine. It needs namespaces, but no Landlock."""

    name = "namespaces"
    own_view = True
    promises: tuple[str, ...] = (
        *Shut.promises,
        N_("hidden files, including the course and normgrade, do not exist; host name, network, processes and messages are separate"),
        N_("all processes end with the first one"),
    )
    loses: tuple[str, ...] = (
        N_("second wall: files are hidden, but nothing else prevents reading them"),
        N_("machine: your code can find out its kernel, its processor and its uptime"),
    )


class Container(Shut):
    """The tier `container`: hidden files do not exist in the worker's own view of the machine, and Landlock forbids reading them too."""

    name = "container"
    own_view = forbidding = True
    promises: tuple[str, ...] = tuple(dict.fromkeys(Linux.promises + Namespaces.promises))
    loses: tuple[str, ...] = Namespaces.loses[1:]


def capabilities_to_read(paths: Iterable[Path]) -> int:
    """Return the capability that a worker must keep to read these files as the user nobody; 0 if it needs none."""
    paths = list(paths)
    if os.geteuid() != 0 or is_public(paths):
        return 0
    with suppress(OSError, Missing):
        open_the_way(paths)
    if is_public(paths):
        return 0
    held = capabilities()
    return held & READ_SEARCH or held & OVERRIDE


def become_nobody(kept_capabilities: int, must: bool) -> None:
    """Give up every right of root except for the kept capabilities.

    `must` says that this root is root of the whole machine. A root of only a user namespace may be unable to change its user; it then goes
    on as the user that it is outside, without capabilities.
    """
    if os.geteuid() != 0:
        drop_capabilities()
        return
    prctl("PR_SET_KEEPCAPS", 1)
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError:
        if must:
            raise
        kept_capabilities = 0
    drop_capabilities(kept_capabilities)


def is_root_outside() -> bool:
    """Return True if root of this user namespace is also root of the namespace around it."""
    known = Path("/proc/self/uid_map")  # kernels without user namespaces have no such file
    inside, outside, _ = known.read_text().splitlines()[0].split() if known.exists() else ("0", "0", "")
    return inside == outside


def is_public(paths: Iterable[Path]) -> bool:
    """Return True if every user may reach and read these files and folders."""
    found = [path for path in paths if path.exists()]
    folders = libraries.leading_to(found) | {path for path in found if path.is_dir()}
    return all(path.stat().st_mode & stat.S_IROTH for path in found) and all(folder.stat().st_mode & stat.S_IXOTH for folder in folders)
