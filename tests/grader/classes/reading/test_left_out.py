"""The sentences about files that are not graded."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from normgrade.classes.hand_ins import LeftOut
from normgrade.classes.reading.left_out import about, nobodys, of_replaced, others, without_exercise
from normgrade.classes.reading.tree import Tree

ONE = {
    others: "1 file is not Python (c/b).",
    nobodys: "1 Python file is nobody's (c/b). Name the layout of the paths with --layout.",
    without_exercise: "1 Python file is not named for an exercise, and defines the names of none (c/b). "
    "Name the exercise with --exercise SLUG.",
    of_replaced: "1 file is not graded, because the student has a later or better named one for the exercise (c/b).",
}


@pytest.mark.parametrize(("says", "why"), ONE.items())
def test_one_file_is_named(says: Callable[[int, str], str], why: str) -> None:
    assert list(about(Tree("c"), ["c/b"], says)) == [LeftOut("c", why)]


def test_of_many_files_the_first_are_named() -> None:
    assert list(about(Tree("c"), ["c/d", "c/b", "c/a\n", "c/c"], others)) == [
        LeftOut("c", "4 other files are not Python (c/a·, c/b, c/c, …).", ("c/a\n", "c/b", "c/c", "c/d"))
    ]


def test_about_no_file_nothing_is_said() -> None:
    assert list(about(Tree("c"), [], others)) == []
