"""The path through a course: what comes first, and ways that lead back to where they began."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from normgrade.course.path import circle, in_path_order


class Step(NamedTuple):
    slug: str
    after: tuple[str, ...] = ()


def order(*steps: Step) -> str:
    return " ".join(step.slug for step in in_path_order(steps))


def test_without_a_word_the_order_stays() -> None:
    assert order(Step("b"), Step("a"), Step("c")) == "b a c"


def test_what_comes_before_stands_first_and_all_else_stays() -> None:
    assert order(Step("a", ("c",)), Step("b"), Step("c", ("d",)), Step("d")) == "d c a b"
    assert order(Step("a"), Step("b", ("a",))) == "a b"


def test_what_is_not_there_changes_nothing() -> None:
    assert order(Step("a", ("gone",)), Step("b")) == "a b"


@pytest.mark.parametrize(
    ("after", "way"),
    [
        ({"a": ["b"], "b": []}, ()),
        ({"a": ["a"]}, ("a", "a")),
        ({"a": ["b"], "b": ["c", "a"], "c": ["a"]}, ("a", "b", "a")),
        ({"a": ["b"], "b": ["c"], "c": ["b"]}, ()),  # a circle, and a is not in it
    ],
)
def test_a_circle_is_the_shortest_way_back(after: dict[str, list[str]], way: tuple[str, ...]) -> None:
    assert circle("a", after.__getitem__) == way
