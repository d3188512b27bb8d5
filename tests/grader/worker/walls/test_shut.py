"""Tests of the common part of the walls of the kernel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from normgrade.course.package import PACKAGE
from normgrade.worker.walls import Walls, kernel

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's")
ENVIRONMENT = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}

if sys.platform == "linux":
    from normgrade.worker.walls import shut


def test_kernel_walls_promise_more_than_limits() -> None:
    assert {*Walls.promises} < {*shut.Shut.promises}


def test_file_that_anybody_may_read_is_public(tmp_path: Path) -> None:
    open_to_all = tmp_path / "open"
    (open_to_all / "inner").mkdir(parents=True)
    file = open_to_all / "inner" / "file"
    file.touch()
    above = [folder for folder in file.parents if folder.is_relative_to(tmp_path.parents[1])]
    for folder in above:
        folder.chmod(0o755)
    file.chmod(0o644)
    assert shut.is_public([file, tmp_path / "missing"]) == all(folder.stat().st_mode & 0o001 for folder in file.parents)
    (open_to_all / "inner").chmod(0o700)
    assert not shut.is_public([file])
    (open_to_all / "inner").chmod(0o755)
    file.chmod(0o600)
    assert not shut.is_public([file])


def test_public_files_need_no_capability(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shut.capabilities_to_read([Path("/proc/version")]) == 0


def test_without_namespaces_root_keeps_only_a_read_right(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_way(paths: object) -> None:
        raise OSError("no namespaces")

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shut, "is_public", lambda paths: False)
    monkeypatch.setattr(shut, "open_the_way", no_way)
    kept = []
    for held in (-1 & 0xFFFF, 0xFFFF & ~shut.READ_SEARCH, 0):
        monkeypatch.setattr(shut, "capabilities", lambda held=held: held)
        kept.append(shut.capabilities_to_read([Path("/root")]))
    assert kept == [shut.READ_SEARCH, shut.OVERRIDE, 0]


def test_nobody_has_no_capability() -> None:
    code = (
        "import os\nfrom normgrade.worker.walls import kernel, shut\nshut.become_nobody(0, shut.is_root_outside())\n"
        "print(os.geteuid(), kernel.capabilities(), os.getgroups() if os.geteuid() == shut.NOBODY else [])"
    )
    done = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True)
    root = os.geteuid() == 0 and shut.is_root_outside()
    assert done.stdout.split() == [str(shut.NOBODY if root else os.geteuid()), "0", "[]"], done.stderr


def test_unknown_machine_has_no_kernel_walls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shut, "this_machine", lambda: "riscv64")
    with pytest.raises(kernel.Missing, match="this Python runs on riscv64"):
        shut.Shut()


# The tiers
