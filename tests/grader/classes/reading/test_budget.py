"""The limits of reading, and the share of an archive inside."""

from __future__ import annotations

import pytest

from normgrade.classes.reading.budget import MIB, Budget, Spent


def test_each_limit_is_named() -> None:
    with pytest.raises(Spent, match=r"^more than 3 files$"):
        Budget(entries=3).enter(4)
    with pytest.raises(Spent, match=r"^more than 2 MiB of Python files$"):
        Budget(kept=2 * MIB).keep(2 * MIB + 1)
    with pytest.raises(Spent, match=r"^more than 512 MiB to unpack$"):
        Budget().inside().unpack(512 * MIB + 1)


def test_limits_count_everything_together() -> None:
    budget = Budget(entries=3, kept=3)
    budget.enter(2)
    budget.keep(3)
    with pytest.raises(Spent):
        budget.enter(2)
    with pytest.raises(Spent):
        budget.keep(1)


def test_a_whole_call_may_unpack_any_number_of_bytes() -> None:
    budget = Budget()
    budget.unpack(10**15)
    assert budget.is_whole and not budget.inside().is_whole


def test_an_archive_inside_counts_when_it_is_taken() -> None:
    budget = Budget(entries=100, kept=100)
    own = budget.inside()
    own.enter(60)
    own.keep(70)
    assert (budget.entries, budget.kept) == (100, 100)
    budget.charge(own)
    assert (budget.entries, budget.kept) == (40, 30)
