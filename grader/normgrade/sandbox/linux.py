"""The tier `linux`: limits, Landlock and a filter of system calls. It needs no privileges and no namespaces."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from normgrade.language import N_
from normgrade.sandbox import landlock, libraries, seccomp
from normgrade.sandbox.kernel import capabilities, drop_capabilities, numbers, prctl, this_machine
from normgrade.sandbox.process import Budget, Process, lower

NOBODY = 65534
RULES_FD = 5  # where a worker finds the set of rules; it closes it

# Two rights of root's, to read what only others may: the first for reading alone, the second where a container gives no other.
READ_SEARCH, OVERRIDE = 1 << 2, 1 << 1  # CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE


class Linux(Process):
    """Walls of the kernel: built once, put up in every worker within a millisecond."""

    name = "linux"
    promises: tuple[str, ...] = (
        *Process.promises,
        N_("no file can be read but the libraries, none can be written or changed; neither course nor normgrade can be read"),
        N_("no network, no socket of any kind, no other process, no thread"),
        N_("memory of every kind counts, and has a limit"),
        N_("no right of root's: under root the code runs as nobody"),
    )
    loses: tuple[str, ...] = (N_("existence: your code can ask whether a file exists, and how large it is"),)

    def __init__(self) -> None:
        super().__init__()
        self.machine = this_machine()
        numbers(self.machine)
        landlock.abi()
        self.files: Mapping[int, int] = {}
        self.filter = b""
        self.kept_capabilities = 0

    def prepare(self) -> None:
        """Build the rules and the filter that every worker takes over."""
        super().prepare()
        readable = self.readable()
        self.files = {RULES_FD: landlock.ruleset(readable)}
        self.filter = seccomp.program(self.machine)
        if os.geteuid() == 0 and not is_public(readable):  # nobody reads them by that right: what Landlock lets through, and no more
            held = capabilities()
            self.kept_capabilities = held & READ_SEARCH or held & OVERRIDE

    def readable(self) -> list[Path]:
        return libraries.readable()

    def enclose(self, budget: Budget) -> None:
        import resource

        lower(resource.RLIMIT_MEMLOCK, 0)
        super().enclose(budget)
        prctl("PR_SET_NO_NEW_PRIVS", 1)
        become_nobody(self.kept_capabilities)
        prctl("PR_SET_PDEATHSIG", signal.SIGKILL)  # a change of user forgets it
        prctl("PR_SET_DUMPABLE", 0)
        landlock.restrict(RULES_FD)
        os.close(RULES_FD)
        seccomp.install(self.filter)


def become_nobody(kept_capabilities: int) -> None:
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
        if is_root_outside():
            raise
        kept_capabilities = 0
    drop_capabilities(kept_capabilities)


def is_root_outside() -> bool:
    """Whether the root of this namespace of users is root around it."""
    inside, outside, _ = Path("/proc/self/uid_map").read_text().splitlines()[0].split()
    return inside == outside


def is_public(paths: Iterable[Path]) -> bool:
    """Whether anybody may go to these files and folders and read them."""
    found = [path for path in paths if path.exists()]
    folders = {folder for path in found for folder in path.parents} | {path for path in found if path.is_dir()}
    return all(path.stat().st_mode & stat.S_IROTH for path in found) and all(folder.stat().st_mode & stat.S_IXOTH for folder in folders)
