"""The tier `namespaces`: what it is made of, and what it says of itself."""

from __future__ import annotations

import sys

import pytest

if sys.platform != "linux":
    pytest.skip("these walls are Linux's", allow_module_level=True)

from normgrade.worker.walls.namespaces import Namespaces as walls
from normgrade.worker.walls.shut import Shut


def test_it_hides_and_forbids_nothing_else() -> None:
    assert (walls.own_view, walls.forbidding) == (True, False)


def test_what_can_be_asked_for_is_told() -> None:
    assert [line.partition(":")[0] for line in walls.loses] == ["second wall", "machine"]
    assert [line for line in walls.promises if line not in Shut.promises] == [
        "hidden files do not exist, the course and normgrade among them; host name, network, processes and messages are its own",
        "everything ends with the first process",
    ]
