"""A page as a browser would read it, and differences for pages to show."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import numpy as np

from normgrade.language.places import Place
from normgrade.report.report import ArrayDifference, Numbers

VOID = {"meta"}


@dataclass(eq=False)
class Node:
    """An element of a page."""

    name: str
    attributes: dict[str, str]
    within: tuple[Node, ...]
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()


class Page(HTMLParser):
    """A page as a browser would read it. Every element must be closed in the right order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.nodes: list[Node] = []
        self.open: list[Node] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        node = Node(tag, {name: value or "" for name, value in attrs}, tuple(self.open))
        self.nodes.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().name == tag

    def handle_data(self, data: str) -> None:
        for node in self.open:
            node.texts.append(data)

    def every(self, *names: str, of: str = "") -> list[Node]:
        """Return the elements with one of these names, and with this class if one is given."""
        return [node for node in self.nodes if (not names or node.name in names) and (not of or of in node.classes)]

    def one(self, *names: str, of: str = "") -> Node:
        [node] = self.every(*names, of=of)
        return node

    def called(self, key: str) -> Node:
        [node] = [node for node in self.nodes if node.attributes.get("id") == key]
        return node

    def links(self) -> list[Node]:
        return self.every("a")


def difference(expected: Any, actual: Any, allowed: Any = 0.1, place: str = "output", at: tuple[int, ...] | None = None) -> ArrayDifference:
    """Return a difference of these arrays. Its worst number is the one with the largest ratio of error and allowance."""
    right, got = np.asarray(expected), np.asarray(actual)
    limit = np.broadcast_to(np.asarray(allowed, np.float64), right.shape)
    with np.errstate(all="ignore"):
        ratio = np.nan_to_num(np.abs(got.astype(float) - right.astype(float)) / limit, nan=np.inf, posinf=np.inf)
    at = at or index_of_worst(ratio)
    return ArrayDifference(
        place=Place(place),
        dtype=str(right.dtype),
        shape=right.shape,
        mismatched=1,
        total=right.size,
        max_abs=math.inf,
        max_rel=math.inf,
        allowed=float(limit[at]),
        at=at,
        expected=right[at].item(),
        actual=got[at].item(),
        numbers=Numbers(right, got, limit),
    )


def index_of_worst(numbers: np.ndarray) -> tuple[int, ...]:
    return tuple(int(index) for index in np.unravel_index(int(np.argmax(numbers)), numbers.shape))
