"""Tests of a mapping that is made at its first use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from normgrade.oracle.deferred import Deferred


@pytest.mark.parametrize("look", [lambda each: each["a"], len, list, dict, lambda each: "a" in each, lambda each: each.get("b")])
def test_mapping_is_made_once_at_first_use(look: Callable[[Any], object]) -> None:
    made: list[int] = []

    def make() -> dict[str, int]:
        made.append(1)
        return {"a": 2}

    deferred = Deferred(make)
    assert not made
    assert (look(deferred), look(deferred)) == (look({"a": 2}), look({"a": 2}))
    assert len(made) == 1
