"""The walls around a worker, one file per tier. Zygote, worker and host refer to a tier by its name."""

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
    """What shuts a worker in, and what a report says about it."""

    name: str
    promises: tuple[str, ...]  # what a submission cannot do
    loses: tuple[str, ...]  # what a submission can still do
    namespaces: Mapping[str, str]  # of workers: kind → name
    neighbours: Sequence[Path]  # files beside libraries that must not be readable
    kept_capabilities: int  # those of root's capabilities that workers keep, as bits
    files: Mapping[int, int]  # that a worker needs to shut itself in: its own file descriptor → the zygote's

    def prepare(self) -> None:
        """Build what every worker needs, after all imports and the warm-up. The caller may return in a child process.

        Raises Missing or OSError where the machine does not offer what these walls need.
        """

    def give_up(self, reason: str) -> None:
        """Give these walls up because they do not hold: raise Missing in the process that `prepare` was called in."""

    def enclose(self, budget: Budget) -> None:
        """Shut this process in. Every worker calls it before it loads the submission."""


def walls_of(tier: str) -> type[Walls]:
    """The walls of a tier, imported when they are needed: the grader itself needs none."""
    walls: type[Walls] = getattr(import_module(f"normgrade.worker.walls.{tier}"), tier.capitalize())
    return walls


@dataclass(frozen=True, slots=True)
class Protection:
    """The walls around workers.

    - `tier`: the strongest tier that passed its self-test.
    - `trials`: how many trials the self-test made.
    - `loses`: what a submission can still do.
    - `reasons`: why no stronger tier is used, tier → reason.
    """

    tier: str
    trials: int
    loses: tuple[str, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)


def at_least(tier: str) -> list[str]:
    """This tier and all stronger ones, the weakest first."""
    return [*TIERS[TIERS.index(tier) :]]


def at_most(tier: str) -> list[str]:
    """This tier and all weaker ones, the strongest first. "auto" means all tiers."""
    return [*TIERS[::-1]] if tier == AUTO else [*TIERS[TIERS.index(tier) :: -1]]
