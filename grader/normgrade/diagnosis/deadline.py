"""A moment after which nothing more is computed for a submission."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from normgrade.worker import interrupts

T = TypeVar("T")


class OutOfTime(Exception):
    """The deadline has passed."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment on the clock of `time.monotonic`; by default it never comes.

    >>> Deadline().left_s
    inf
    """

    at: float = math.inf

    @classmethod
    def after(cls, seconds: float) -> Self:
        """Return the deadline in so many seconds."""
        return cls(time.monotonic() + seconds)

    def earlier(self, seconds: float) -> Deadline:
        """Return the deadline so many seconds before."""
        return replace(self, at=self.at - seconds) if self.at < math.inf else self

    @property
    def left_s(self) -> float:
        """The seconds until then; negative afterwards."""
        return self.at - time.monotonic()

    def has_passed(self) -> bool:
        """Return True if nothing more may be computed. Raise what interrupts the work."""
        interrupts.raise_again()
        return self.left_s <= 0

    def keep(self) -> None:
        """Raise OutOfTime if the deadline has passed."""
        if self.has_passed():
            raise OutOfTime

    def each(self, things: Iterable[T]) -> Iterator[T]:
        """Yield the things until the deadline; then raise OutOfTime."""
        for thing in things:
            yield thing
            self.keep()


NEVER = Deadline()
