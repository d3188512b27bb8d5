"""The path through a course: which exercises come before which. It is advice, and nothing is ever locked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar


class OnPath(Protocol):
    """An exercise with only its slug, and the slugs of those that it comes after."""

    @property
    def slug(self) -> str: ...

    @property
    def after(self) -> Sequence[str]: ...


S = TypeVar("S", bound=OnPath)


def in_path_order(exercises: Iterable[S]) -> list[S]:
    """Return the exercises in the given order, except that each follows all that it comes after. There is no circle among them."""
    given, placed = {exercise.slug: exercise for exercise in exercises}, dict[str, S]()

    def place(exercise: S) -> None:
        for slug in exercise.after:
            if slug in given and slug not in placed:
                place(given[slug])
        placed.setdefault(exercise.slug, exercise)

    for exercise in given.values():
        place(exercise)
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
