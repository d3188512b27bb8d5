"""A mapping that is made on its first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Deferred(Mapping[K, V]):
    """A mapping that `make` returns when it is first needed.

    >>> squares = Deferred(lambda: {3: 9})
    >>> squares[3]
    9
    """

    def __init__(self, make: Callable[[], Mapping[K, V]]) -> None:
        self.make = make
        self.made: Mapping[K, V] | None = None

    @property
    def whole(self) -> Mapping[K, V]:
        """The mapping, made on the first access."""
        if self.made is None:
            self.made = self.make()
        return self.made

    def __getitem__(self, key: K) -> V:
        return self.whole[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self.whole)

    def __len__(self) -> int:
        return len(self.whole)
