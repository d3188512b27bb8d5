"""The tier `process`: a separate process, with the resource limits of POSIX if the platform has them. It works on every platform."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from normgrade.language import N_
from normgrade.worker.walls.kernel import Missing

FILES = 64
STACK_BYTES = 8 * 1024**2  # if the system sets no limit
FILE_MAPPINGS_BYTES = 1024**3  # for libraries that a submission imports: they take address space, but no private memory


class Budget(NamedTuple):
    """The limits of one worker: MiB of memory beyond that of the libraries, and seconds of CPU time."""

    memory_mib: int
    cpu_s: int


class Process:
    """Walls that consist of resource limits."""

    name = "process"
    promises: tuple[str, ...] = (
        N_("the grader holds tests, reference and expected values in another process"),
        N_("endless loops, crashes, floods of output and too much memory end only that process"),
        N_("no core dumps and no growing files, if the platform has such limits"),
    )
    loses: tuple[str, ...] = (
        N_("files: your code can read and change everything that you can, including the reference solutions"),
        N_("network: your code can use it"),
        N_("processes: your code can start some, and signal every process of yours"),
    )
    namespaces: Mapping[str, str] = {}
    neighbours: Sequence[Path] = ()
    kept_capabilities = 0
    files: Mapping[int, int] = {}

    def __init__(self) -> None:
        self.held: dict[str, int] = {}

    def prepare(self) -> None:
        """Measure how much memory the libraries hold, so that the whole budget is left for the submission."""
        self.held = held_bytes()

    def give_up(self, reason: str) -> None:
        raise Missing(reason)

    def enclose(self, budget: Budget) -> None:
        if sys.platform == "win32":
            return
        import resource  # not on every system

        lower(resource.RLIMIT_CORE, 0)
        stack_bytes, _ = resource.getrlimit(resource.RLIMIT_STACK)
        stack_bytes = STACK_BYTES if stack_bytes == resource.RLIM_INFINITY else stack_bytes
        lower(resource.RLIMIT_STACK, stack_bytes)  # an unlimited stack would count towards no other limit
        lower(resource.RLIMIT_FSIZE, 0)  # Python ignores SIGXFSZ, so that writing a file raises OSError
        lower(resource.RLIMIT_NOFILE, FILES)
        lower(resource.RLIMIT_CPU, budget.cpu_s)
        if self.held:
            budget_bytes = budget.memory_mib * 1024**2
            lower(resource.RLIMIT_DATA, self.held["VmData"] + budget_bytes)
            lower(resource.RLIMIT_AS, self.held["VmSize"] + budget_bytes + FILE_MAPPINGS_BYTES)  # counts shared memory too


def lower(limit: int, value: int) -> None:
    """Set a limit permanently, unless a stricter one is set already."""
    import resource  # not on every system

    _, hard = resource.getrlimit(limit)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))


def held_bytes() -> dict[str, int]:
    """Return the bytes of private memory and of address space that this process has reserved; empty on other systems than Linux."""
    status = Path("/proc/self/status")
    lines = (line.split() for line in status.read_text().splitlines()) if status.exists() else ()
    return {words[0][:-1]: int(words[1]) * 1024 for words in lines if words[0] in ("VmData:", "VmSize:")}
