"""A deadline passes once. When it has passed, it stops the iteration over its items."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import pytest

from normgrade.diagnosis.deadline import NEVER, Deadline, OutOfTime


def test_an_endless_deadline_never_passes() -> None:
    NEVER.keep()
    assert (NEVER.left_s, NEVER.has_passed(), NEVER.earlier(9.0)) == (math.inf, False, NEVER)
    assert list(NEVER.each([1, 2])) == [1, 2]


def test_a_deadline_passes() -> None:
    coming = Deadline.after(60.0)
    assert 59.0 < coming.left_s <= 60.0 and not coming.has_passed()
    earlier = coming.earlier(61.0)
    assert earlier.has_passed() and -2.0 < earlier.left_s < 0.0
    with pytest.raises(OutOfTime):
        earlier.keep()


def test_items_are_yielded_until_the_deadline() -> None:
    def endless() -> Iterator[float]:
        while True:
            time.sleep(0.01)
            yield time.monotonic()

    coming, got = Deadline.after(0.1), list[float]()
    with pytest.raises(OutOfTime):
        got.extend(coming.each(endless()))
    assert time.monotonic() >= coming.at
