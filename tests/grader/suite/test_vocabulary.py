"""The words of a suite: their examples run, and each says what it takes and gives."""

from __future__ import annotations

import doctest

import pytest

from normgrade import suite
from normgrade.suite import vocabulary
from normgrade.suite.vocabulary import BrokenSuite, current, playing


def test_the_examples_run() -> None:
    found = doctest.testmod(vocabulary)
    assert found.attempted >= 3 and found.failed == 0


@pytest.mark.parametrize("name", suite.__all__)
def test_every_word_is_explained_with_an_example(name: str) -> None:
    told = getattr(suite, name).__doc__
    assert told and (">>> " in told or "::\n" in told)


def test_no_check_is_played_outside_of_a_run() -> None:
    assert playing.get(None) is None
    with pytest.raises(BrokenSuite, match="can only be drawn inside a test"):
        current()


def test_a_name_that_is_no_word_is_unknown() -> None:
    with pytest.raises(AttributeError, match=r"module 'normgrade\.suite' has no attribute 'rand'"):
        _ = suite.rand  # type: ignore[attr-defined]
