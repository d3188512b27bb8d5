"""Tests of the tier `container`: its parts and its promises."""

from __future__ import annotations

import sys

import pytest

if sys.platform != "linux":
    pytest.skip("these walls are Linux's", allow_module_level=True)

from normgrade.worker.walls import walls_of
from normgrade.worker.walls.container import Container as walls


def test_container_hides_and_forbids() -> None:
    assert (walls.own_view, walls.forbidding) == (True, True)


def test_container_has_the_promises_of_both_others() -> None:
    both = {*walls_of("linux").promises, *walls_of("namespaces").promises}
    assert {*walls.promises} == both and len(walls.promises) == len(both)


def test_container_loses_less_than_either() -> None:
    assert [line.partition(":")[0] for line in walls.loses] == ["machine"]
    assert {*walls.loses} < {*walls_of("namespaces").loses}
