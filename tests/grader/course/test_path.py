"""The path through a course: the order of its exercises, and circles in it."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from normgrade.course.path import circle, in_path_order


class Step(NamedTuple):
    slug: str
    after: tuple[str, ...] = ()


def order(*steps: Step) -> str:
    return " ".join(step.slug for step in in_path_order(steps))


def test_without_predecessors_the_order_stays() -> None:
    assert order(Step("b"), Step("a"), Step("c")) == "b a c"


def test_predecessors_come_first_and_the_rest_stays() -> None:
    assert order(Step("a", ("c",)), Step("b"), Step("c", ("d",)), Step("d")) == "d c a b"
    assert order(Step("a"), Step("b", ("a",))) == "a b"


def test_unknown_predecessors_change_nothing() -> None:
    assert order(Step("a", ("gone",)), Step("b")) == "a b"


@pytest.mark.parametrize(
    ("after", "way"),
    [
        ({"a": ["b"], "b": []}, ()),
        ({"a": ["a"]}, ("a", "a")),
        ({"a": ["b"], "b": ["c", "a"], "c": ["a"]}, ("a", "b", "a")),
        ({"a": ["b"], "b": ["c"], "c": ["b"]}, ()),  # a circle that does not contain a
    ],
)
def test_a_circle_is_the_shortest_way_back(after: dict[str, list[str]], way: tuple[str, ...]) -> None:
    assert circle("a", after.__getitem__) == way
