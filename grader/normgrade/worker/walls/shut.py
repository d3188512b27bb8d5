"""What walls of the kernel have in common: limits, another user, a filter of system calls. Each tier keeps files away in its own way."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from normgrade.language import N_
from normgrade.worker.walls import landlock, libraries, seccomp
from normgrade.worker.walls.kernel import Missing, capabilities, drop_capabilities, namespaces, numbers, prctl, this_machine
from normgrade.worker.walls.process import Budget, Process, lower
from normgrade.worker.walls.view import View, open_the_way

NOBODY = 65534
RULES_FD = 5  # where a worker finds the set of rules; it closes it

# Two rights of root's, to read what only others may: the first for reading alone, the second where a container gives no other.
READ_SEARCH, OVERRIDE = 1 << 2, 1 << 1  # CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE
KEPT = N_("a right of root's: Python lies where only root may go, so your code can ask for files in folders that are closed to others")


class Shut(Process):
    """Walls of the kernel: built once, put up in every worker within a millisecond."""

    own_view = False  # whether hidden files are not there
    forbidding = False  # whether Landlock forbids to read them
    promises: tuple[str, ...] = (
        *Process.promises,
        N_("no file can be written or changed"),
        N_("no network, no socket of any kind, no other process, no thread"),
        N_("memory of every kind counts, and has a limit"),
        N_("under root the code runs as nobody"),
    )

    def __init__(self) -> None:
        super().__init__()
        self.machine = this_machine()
        numbers(self.machine)
        if self.forbidding:
            landlock.abi()
        self.view = View()
        self.filter = b""
        self.must_be_nobody = is_root_outside()

    def prepare(self) -> None:
        """Take the view, and build the rules and the filter that every worker takes over."""
        super().prepare()
        readable = libraries.readable()
        self.neighbours = libraries.neighbours(readable)
        self.namespaces = self.view.enter(readable) if self.own_view else namespaces()
        self.kept_capabilities = capabilities_to_read(readable)
        if self.kept_capabilities:
            self.loses = (*self.loses, KEPT)
        if self.forbidding:
            self.files = {RULES_FD: landlock.ruleset(readable)}
        self.filter = seccomp.program(self.machine)

    def give_up(self, reason: str) -> None:
        self.view.give_up(reason)

    def enclose(self, budget: Budget) -> None:
        import resource

        lower(resource.RLIMIT_MEMLOCK, 0)
        super().enclose(budget)
        prctl("PR_SET_NO_NEW_PRIVS", 1)
        become_nobody(self.kept_capabilities, self.must_be_nobody)
        prctl("PR_SET_PDEATHSIG", signal.SIGKILL)  # a change of user forgets it
        prctl("PR_SET_DUMPABLE", 0)
        if self.forbidding:
            landlock.restrict(RULES_FD)
            os.close(RULES_FD)
        seccomp.install(self.filter)


def capabilities_to_read(paths: Iterable[Path]) -> int:
    """What root must keep for nobody to read these: nothing, if a way for nobody can be opened."""
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
    """Give up every right of root's but the capabilities kept.

    A root whom a namespace of users has made of somebody else stays who that is, if it cannot change.
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
    """Whether the root of this namespace of users is root around it."""
    known = Path("/proc/self/uid_map")  # a kernel without such namespaces has no such file
    inside, outside, _ = known.read_text().splitlines()[0].split() if known.exists() else ("0", "0", "")
    return inside == outside


def is_public(paths: Iterable[Path]) -> bool:
    """Whether anybody may go to these files and folders and read them."""
    found = [path for path in paths if path.exists()]
    folders = {folder for path in found for folder in path.parents} | {path for path in found if path.is_dir()}
    return all(path.stat().st_mode & stat.S_IROTH for path in found) and all(folder.stat().st_mode & stat.S_IXOTH for folder in folders)
