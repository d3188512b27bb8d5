"""The tier `container`: what it is made of, and what it says of itself."""

from __future__ import annotations

import sys

import pytest

if sys.platform != "linux":
    pytest.skip("these walls are Linux's", allow_module_level=True)

from normgrade.worker.walls import walls_of
from normgrade.worker.walls.container import Container as walls


def test_it_hides_and_forbids() -> None:
    assert (walls.own_view, walls.forbidding) == (True, True)


def test_it_promises_what_the_two_others_promise_each_thing_once() -> None:
    both = {*walls_of("linux").promises, *walls_of("namespaces").promises}
    assert {*walls.promises} == both and len(walls.promises) == len(both)


def test_it_loses_less_than_either() -> None:
    assert [line.partition(":")[0] for line in walls.loses] == ["machine"]
    assert {*walls.loses} < {*walls_of("namespaces").loses}
