"""Tests of the marks after sentences that announce what is tested."""

from __future__ import annotations

import pytest

from normgrade.course.told import told, without_marks

PAGE = """\
# A norm

It divides
by its size. <!-- test_size --> A row of zeros stays. <!-- test_zeros,test_edge -->

- `eps` is added,
  inside the root. <!-- test_eps -->
- Nothing else.
| `weight` | `(dim,)` | <!-- test_weight -->
"""


def test_checks_are_named_in_their_order() -> None:
    assert told(PAGE) == ["test_size", "test_zeros", "test_edge", "test_eps", "test_weight"]


def test_learners_read_no_marks() -> None:
    read = without_marks(PAGE)
    assert "<!--" not in read and "by its size. A row of zeros stays.\n" in read and read.endswith("| `weight` | `(dim,)` |\n")


@pytest.mark.parametrize("text", ["<!-- a note, of several words -->", "<!---->", "`<!-- -->`", "x < y -- z"])
def test_other_comments_are_no_marks(text: str) -> None:
    assert told(text) == [] and without_marks(text) == text
