"""The path through a course: which exercises come before which. It is advice, and nothing is ever locked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar


class Step(Protocol):
    """An exercise with only its slug, and the slugs of those that it comes after."""

    @property
    def slug(self) -> str: ...

    @property
    def after(self) -> Sequence[str]: ...


S = TypeVar("S", bound=Step)


def in_path_order(steps: Iterable[S]) -> list[S]:
    """Return the exercises in the given order, except that each follows all that it comes after. There is no circle among them."""
    given, placed = {step.slug: step for step in steps}, dict[str, S]()

    def place(step: S) -> None:
        for slug in step.after:
            if slug in given and slug not in placed:
                place(given[slug])
        placed.setdefault(step.slug, step)

    for step in given.values():
        place(step)
    return list(placed.values())


def circle(slug: str, after: Callable[[str], Iterable[str]]) -> tuple[str, ...]:
    """Return the shortest way from an exercise back to itself, over those that come before: ("a", "b", "a"); empty if there is none."""
    ways: list[tuple[str, ...]] = [(slug,)]
    seen = set[str]()
    while ways:
        way = ways.pop(0)  # the shortest first
        for before in after(way[-1]):
            if before == slug:
                return (*way, slug)
            if before not in seen:
                seen.add(before)
                ways.append((*way, before))
    return ()
