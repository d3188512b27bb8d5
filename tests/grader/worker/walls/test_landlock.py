"""Tests of Landlock: only the listed files can be read."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from normgrade.course.package import PACKAGE
from normgrade.worker.walls import kernel, landlock

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's")
ENVIRONMENT = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}


def test_landlock_handles_every_right_of_the_kernel() -> None:
    try:
        version = landlock.abi()
    except kernel.Missing as missing:
        pytest.skip(str(missing))
    files, network, scoped = landlock.known()
    least = {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)
    assert files & (1 << least) - 1 == (1 << least) - 1
    assert bool(network) == (version >= 4) and bool(scoped) == (version >= 6)


CONFINED = """
import os, sys
from pathlib import Path
from normgrade.worker.walls import kernel, landlock
allowed, folder = map(Path, sys.argv[1:])
rules = landlock.ruleset([allowed, folder / "inner", folder / "missing"])
kernel.prctl("PR_SET_NO_NEW_PRIVS", 1)
landlock.restrict(rules)
for path in (allowed, folder / "other", folder / "inner" / "file"):
    try:
        print(path.read_text())
    except OSError as error:
        print(error.errno)
try:
    print(os.listdir(folder))
except OSError as error:
    print(error.errno)
"""


def test_files_outside_the_rules_cannot_be_read(tmp_path: Path) -> None:
    try:
        landlock.abi()
    except kernel.Missing as missing:
        pytest.skip(str(missing))
    (tmp_path / "inner").mkdir()
    for name in ("allowed", "other", "inner/file"):
        (tmp_path / name).write_text(name)
    command = [sys.executable, "-c", CONFINED, str(tmp_path / "allowed"), str(tmp_path)]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.stdout.split() == ["allowed", str(errno.EACCES), "inner/file", str(errno.EACCES)], done.stderr


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (errno.EOPNOTSUPP, "Landlock is disabled in this kernel"),
        (errno.ENOSYS, "this kernel does not support Landlock"),
        (errno.EPERM, "a container's profile may forbid it"),
    ],
)
def test_reason_why_it_cannot_be_used_is_given(error: int, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(name: str, *arguments: object) -> int:
        raise OSError(error, "no")

    monkeypatch.setattr(landlock, "call", fails)
    with pytest.raises(kernel.Missing, match=reason):
        landlock.abi()
