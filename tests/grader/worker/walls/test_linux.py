"""Tests of the tier `linux`: its parts and its promises."""

from __future__ import annotations

import sys

import pytest

if sys.platform != "linux":
    pytest.skip("these walls are Linux's", allow_module_level=True)

from normgrade.worker.walls.linux import Linux as walls
from normgrade.worker.walls.shut import Shut


def test_linux_forbids_and_does_not_hide() -> None:
    assert (walls.forbidding, walls.own_view) == (True, False)


def test_losses_and_promises_are_listed() -> None:
    assert [line.partition(":")[0] for line in walls.loses] == ["existence", "machine"]
    assert [line for line in walls.promises if line not in Shut.promises] == [
        "the kernel forbids reading any file except for the libraries; the course and normgrade cannot be read"
    ]
