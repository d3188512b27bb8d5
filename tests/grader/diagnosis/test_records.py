"""Tests of the records: observed effects are stored separately for each mistake, and read back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from normgrade.course.mistakes import Mistake
from normgrade.diagnosis.effects import Change, Numbers
from normgrade.diagnosis.records import Records, decode, encode
from normgrade.oracle.cache import Cache
from normgrade.oracle.kept import Damaged

MISTAKES = (Mistake("one", "", "1"), Mistake("other", "", "2"))
NUMBERS = Numbers(1, 4, True, np.array([0.5, np.nan], np.float32), np.array([np.inf, -1.0], np.float32))
CHANGE = Change(((0, "float32 (2,)"), (6, "TypeError at 1")), (NUMBERS,), True)


def records(folder: Path) -> Records:
    return Records(Cache(folder, bytes(32)), MISTAKES, lambda mistake: f"{mistake.source:>064}")


def test_effects_are_kept_for_each_mistake(tmp_path: Path) -> None:
    first = records(tmp_path)
    first.add(0, ("test_a", 0), CHANGE)
    first.add(0, ("test_a", 1), Change())
    assert not records(tmp_path).of(0)
    first.keep()
    again = records(tmp_path)
    assert again.of(0).keys() == {("test_a", 0), ("test_a", 1)} and again.of(1) == {}
    words, [numbers], rough = again.of(0)["test_a", 0]
    assert (words, rough, numbers[:3]) == (CHANGE.words, True, NUMBERS[:3])
    assert all(np.array_equal(mine, theirs, equal_nan=True) for mine, theirs in zip(numbers[3:], NUMBERS[3:], strict=True))


def test_nothing_is_written_if_nothing_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = records(tmp_path)
    mine.add(1, ("test_a", 0), CHANGE)
    mine.keep()
    monkeypatch.setattr(Cache, "put", None)
    mine.of(0)
    mine.keep()


def test_damaged_record_counts_as_empty(tmp_path: Path) -> None:
    mine = records(tmp_path)
    mine.cache.put(mine.name_of(MISTAKES[0]), b"nonsense")
    assert mine.of(0) == {}


@pytest.mark.parametrize("content", [b"", b"nonsense", encode({("test_a", 0): CHANGE})[:-1]])
def test_other_bytes_are_damaged(content: bytes) -> None:
    with pytest.raises(Damaged):
        decode(content)


def test_equal_native_and_exact_numbers_come_back() -> None:
    same = Numbers(0, 0, False, np.array([1.0, np.nan], np.float32), np.array([1.0, np.nan], np.float32))
    [[numbers]] = [change.numbers for change in decode(encode({("test_a", 0): Change((), (same,))})).values()]
    assert np.array_equal(numbers.exact, same.exact, equal_nan=True) and np.array_equal(numbers.native, same.native, equal_nan=True)


def test_answers_share_what_was_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, new = records(tmp_path), Mistake("new", "", "3")
    first = whole.of_those([MISTAKES[1], new])
    first.add(0, ("test_a", 0), CHANGE)
    first.add(1, ("test_b", 0), CHANGE)
    monkeypatch.setattr(Cache, "get", None)  # nothing more is read
    assert whole.of(1) == {("test_a", 0): CHANGE}
    assert whole.of_those([new, MISTAKES[1]]).of(1) == {("test_a", 0): CHANGE}
    assert whole.known.keys() == {1}  # not those of a mistake that only one submission may have made
