"""Tests of the tier `namespaces`: its parts and its promises."""

from __future__ import annotations

import sys

import pytest

if sys.platform != "linux":
    pytest.skip("these walls are Linux's", allow_module_level=True)

from normgrade.worker.walls.namespaces import Namespaces as walls
from normgrade.worker.walls.shut import Shut


def test_namespaces_hide_and_do_not_forbid() -> None:
    assert (walls.own_view, walls.forbidding) == (True, False)


def test_losses_and_promises_are_listed() -> None:
    assert [line.partition(":")[0] for line in walls.loses] == ["second wall", "machine"]
    assert [line for line in walls.promises if line not in Shut.promises] == [
        "hidden files, including the course and normgrade, do not exist; host name, network, processes and messages are separate",
        "all processes end with the first one",
    ]
