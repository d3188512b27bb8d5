"""The walls around a worker, in several tiers. Zygote, worker and host refer to a tier by its name.

The tier `process` is here: a separate process, with the resource limits of POSIX if the platform has them. It works on every platform.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from normgrade.language import N_
from normgrade.worker.walls.kernel import Missing

TIERS = ("process", "namespaces", "linux", "container")  # from weak to strong
AUTO = "auto"  # the strongest that this machine offers
QUESTION_FD, ANSWER_FD, RULES_FD = range(3, 6)  # files of a worker; the last are Landlock's rules, and the worker closes it
FILES = 64
STACK_BYTES = 8 * 1024**2  # if the system sets no limit
FILE_MAPPINGS_BYTES = 1024**3  # for libraries that a submission imports: they take address space, but no private memory


class Budget(NamedTuple):
    """The limits of one worker: MiB of memory beyond that of the libraries, and seconds of CPU time."""

    memory_mib: int
    cpu_s: int


class Walls:
    """The walls that shut a worker in, with their description for a report. These consist of resource limits; other tiers add to them.

    Attributes:
        promises: Actions that a submission cannot take.
        loses: Actions that a submission can still take.
        namespaces: Those of workers: kind → name.
        neighbours: Files beside libraries that must not be readable.
        kept_capabilities: Those of root's capabilities that workers keep, as bits.
        files: The files that a worker needs to shut itself in: its own file descriptor → the zygote's.
    """

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
        """Build everything that workers need, after all imports and the warm-up. The caller may go on in a child process.

        The memory that the libraries hold is measured, so that the whole budget is left for the submission. Raises Missing or OSError
        if the machine does not offer something that these walls need.
        """
        self.held = held_bytes()

    def give_up(self, reason: str) -> None:
        """Give these walls up because they do not hold: raise Missing in the process that called `prepare`."""
        raise Missing(reason)

    def enclose(self, budget: Budget) -> None:
        """Shut this process in. Every worker calls it before it loads the submission."""
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


def walls_of(tier: str) -> type[Walls]:
    """Return the walls of a tier. They are imported when they are needed, because the grader itself needs none."""
    walls: type[Walls] = Walls if tier == "process" else getattr(import_module("normgrade.worker.walls.shut"), tier.capitalize())
    return walls


@dataclass(frozen=True, slots=True)
class Protection:
    """The walls around workers.

    - `tier`: the strongest tier that passed its self-test.
    - `trials`: how many trials the self-test made.
    - `loses`: actions that a submission can still take.
    - `reasons`: why no stronger tier is used, tier → reason.
    """

    tier: str
    trials: int
    loses: tuple[str, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)


def at_least(tier: str) -> list[str]:
    """Return this tier and all stronger ones, the weakest first."""
    return [*TIERS[TIERS.index(tier) :]]


def at_most(tier: str) -> list[str]:
    """Return this tier and all weaker ones, the strongest first. "auto" means all tiers."""
    return [*TIERS[::-1]] if tier == AUTO else [*TIERS[TIERS.index(tier) :: -1]]
