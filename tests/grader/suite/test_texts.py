"""Tests of the texts of a hidden suite, which are read from its source."""

from __future__ import annotations

import pytest

from normgrade.suite.texts import hint_in, texts_in

SOURCE = '''
@claim("edge", points=2, hint="Look at {eps}, " "again.")
@pytest.mark.parametrize("size", [1, 2])
def test_one(observe, size):
    """It holds,
    and well.

    This is not told.
    """
    assert observe(build(size)), words("{n} are off", n=size)


@claim("state")
def test_two(agree):
    """It holds, too."""


@other("state", hint="No.")
def helper():
    """A helper."""
    return words(name)
'''


def test_texts_are_claims_hints_and_words() -> None:
    assert [*filter(None, texts_in(SOURCE))] == ["It holds, and well.", "Look at {eps}, again.", "It holds, too.", "{n} are off"]


@pytest.mark.parametrize(("name", "hint"), [("test_one", "Look at {eps}, again."), ("test_two", ""), ("helper", ""), ("test_three", "")])
def test_hint_is_that_of_one_test(name: str, hint: str) -> None:
    assert hint_in(SOURCE, name) == hint


def test_source_that_is_no_python_has_no_texts() -> None:
    assert [*texts_in("def test_rows(:\n")] == [] and hint_in("def test_rows(:\n", "test_rows") == ""
