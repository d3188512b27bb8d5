"""Tests of the tier `process`: permanent limits that a worker sets itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from normgrade.course.package import PACKAGE
from normgrade.worker.walls.process import FILE_MAPPINGS_BYTES, Budget, Process, held_bytes

only_posix = pytest.mark.skipif(sys.platform == "win32", reason="limits as POSIX has them")
MIB = 1024**2
ENCLOSED = """
import json, resource
from normgrade.worker.walls.process import Budget, Process
resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))
walls = Process()
walls.prepare()
walls.enclose(Budget(64, 7))
names = ("CORE", "FSIZE", "NOFILE", "CPU", "DATA", "AS", "STACK")
limits = {name: resource.getrlimit(getattr(resource, f"RLIMIT_{name}")) for name in names}
try:
    bytearray(200 * 2**20)
    limits["memory"] = "had"
except MemoryError:
    limits["memory"] = "refused"
print(json.dumps(limits | {"held": walls.held}))
"""

ENVIRONMENT = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}


@pytest.fixture(scope="module")
def enclosed() -> dict[str, Any]:
    """Return the limits of a process that enclosed itself."""
    done = subprocess.run([sys.executable, "-c", ENCLOSED], env=ENVIRONMENT, capture_output=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@only_posix
def test_limits_are_permanent(enclosed: dict[str, Any]) -> None:
    assert [enclosed[name] for name in ("CORE", "FSIZE", "CPU")] == [[0, 0], [0, 0], [7, 7]]
    assert enclosed["STACK"][0] == enclosed["STACK"][1] > 0


@only_posix
def test_a_stricter_limit_stays(enclosed: dict[str, Any]) -> None:
    assert enclosed["NOFILE"] == [32, 32]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory")
def test_memory_limit_is_on_top_of_the_libraries(enclosed: dict[str, Any]) -> None:
    held = enclosed["held"]
    assert enclosed["DATA"] == [held["VmData"] + 64 * MIB] * 2
    assert enclosed["AS"] == [held["VmSize"] + 64 * MIB + FILE_MAPPINGS_BYTES] * 2
    assert enclosed["memory"] == "refused"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says how much a process holds")
def test_a_process_holds_more_address_space_than_memory() -> None:
    held = held_bytes()
    assert 0 < held["VmData"] < held["VmSize"]


def test_losses_are_files_network_and_processes() -> None:
    assert [line.partition(":")[0] for line in Process.loses] == ["files", "network", "processes"]
    assert Budget(1024, 60).memory_mib == 1024
