"""The walls around a worker, one file per tier. Zygote, worker and host know a tier by its name alone."""

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
    """What shuts a worker in, and what may be said of it in a report."""

    name: str
    promises: tuple[str, ...]  # what a submission cannot do
    loses: tuple[str, ...]  # what it still can do
    namespaces: Mapping[str, str]  # that workers are in
    neighbours: Sequence[Path]  # of libraries, which may not be read
    kept_capabilities: int  # rights of root's that workers have, as bits
    files: Mapping[int, int]  # which a worker must still hold when it shuts itself in: where it wants a file → where the zygote has it

    def prepare(self) -> None:
        """Build what every worker will need, once everything is imported and warm. It may go on in a child process.

        Raises Missing, or OSError, where the machine does not let it.
        """

    def give_up(self, reason: str) -> None:
        """These walls do not hold: raise Missing, in the process that can go on without them."""

    def enclose(self, budget: Budget) -> None:
        """Shut this process in; called in every worker before it reads the submission."""


def walls_of(tier: str) -> type[Walls]:
    """The walls of a tier, read when they are needed: the grader itself needs none."""
    walls: type[Walls] = getattr(import_module(f"normgrade.worker.walls.{tier}"), tier.capitalize())
    return walls


@dataclass(frozen=True, slots=True)
class Standing:
    """The tier that the self-test witnessed, by how many probes; what it does not promise, and why it is no stronger one: tier → reason."""

    tier: str
    probes: int
    loses: tuple[str, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)


def at_least(tier: str) -> list[str]:
    """The tiers that are as strong as this one."""
    return [*TIERS[TIERS.index(tier) :]]


def at_most(tier: str) -> list[str]:
    """The tiers up to this one, the strongest first."""
    return [*TIERS[::-1]] if tier == AUTO else [*TIERS[TIERS.index(tier) :: -1]]
