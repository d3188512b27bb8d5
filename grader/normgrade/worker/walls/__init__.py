"""The walls around a worker, in several tiers. Zygote, worker and host refer to a tier by its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from normgrade.worker.walls.process import Budget

TIERS = ("process", "namespaces", "linux", "container")  # from weak to strong
AUTO = "auto"  # the strongest that this machine offers


class Walls(Protocol):
    """The walls that shut a worker in, with their description for a report."""

    name: str
    promises: tuple[str, ...]  # actions that a submission cannot take
    loses: tuple[str, ...]  # actions that a submission can still take
    namespaces: Mapping[str, str]  # of workers: kind → name
    neighbours: Sequence[Path]  # files beside libraries that must not be readable
    kept_capabilities: int  # those of root's capabilities that workers keep, as bits
    files: Mapping[int, int]  # the files that a worker needs to shut itself in: its own file descriptor → the zygote's

    def prepare(self) -> None:
        """Build everything that workers need, after all imports and the warm-up. The caller may go on in a child process.

        Raises Missing or OSError if the machine does not offer something that these walls need.
        """

    def give_up(self, reason: str) -> None:
        """Give these walls up because they do not hold: raise Missing in the process that called `prepare`."""

    def enclose(self, budget: Budget) -> None:
        """Shut this process in. Every worker calls it before it loads the submission."""


def walls_of(tier: str) -> type[Walls]:
    """Return the walls of a tier. They are imported when they are needed, because the grader itself needs none."""
    module = "process" if tier == "process" else "shut"
    walls: type[Walls] = getattr(import_module(f"normgrade.worker.walls.{module}"), tier.capitalize())
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
