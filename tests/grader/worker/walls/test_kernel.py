"""Tests of system calls by name, and of the rights of this process."""

from __future__ import annotations

import ctypes
import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from normgrade.course.package import PACKAGE
from normgrade.worker.walls import kernel

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="these walls are Linux's")
ENVIRONMENT = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}

MACHINES = ("x86_64", "aarch64")
HEADERS = {"x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "/usr/include/asm-generic/unistd.h"}


@pytest.mark.parametrize("machine", MACHINES)
def test_the_numbers_are_those_of_the_system(machine: str) -> None:
    header = Path(HEADERS[machine])
    if not header.exists():
        pytest.skip(f"the header {header} is not installed")
    text = header.read_text()
    official = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)\b", text)}
    official |= {"newfstatat": 79} if machine == "aarch64" else {}
    known = kernel.numbers(machine)
    newer = {"memfd_secret"}  # than some of these headers, or missing in them
    assert {name: official.get(name) for name in known if name not in newer} == {name: known[name] for name in known if name not in newer}
    absent = {name for name in kernel.numbers("x86_64") if name not in known}
    assert not absent & official.keys()


def test_another_machine_is_named() -> None:
    with pytest.raises(kernel.Missing, match=r"system calls are known only for 64-bit x86_64 and aarch64, but this Python runs on riscv64"):
        kernel.numbers("riscv64")


def test_a_call_does_what_its_name_says() -> None:
    assert kernel.call("getpid") == os.getpid()


def test_failed_call_raises_the_systems_error() -> None:
    with pytest.raises(OSError, match="close: ") as raised:
        kernel.call("close", -1)
    assert raised.value.errno == errno.EBADF


def test_namespaces_have_the_kernels_names() -> None:
    assert kernel.namespaces() == {kind: os.readlink(f"/proc/self/ns/{kind}") for kind in kernel.NAMESPACES}


def test_capabilities_are_those_in_effect() -> None:
    effective = next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("CapEff:"))
    assert kernel.capabilities() == int(effective, 16)


DROPPING = """
from normgrade.worker.walls.kernel import capabilities, drop_capabilities
keep = capabilities() & 1 << 2
drop_capabilities(keep)
print(capabilities() == keep)
drop_capabilities()
print(capabilities())
"""


def test_capabilities_that_were_given_up_are_gone() -> None:
    done = subprocess.run([sys.executable, "-c", DROPPING], env=ENVIRONMENT, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "0"], done.stderr


def test_an_option_that_the_kernel_refuses_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kernel.PRCTL, "PR_NONE", 9999)
    ctypes.set_errno(0)
    with pytest.raises(OSError, match="prctl"):
        kernel.prctl("PR_NONE", 0)


# Landlock


def test_landlock_handles_every_right_of_the_kernel() -> None:
    try:
        version = kernel.landlock_version()
    except kernel.Missing as missing:
        pytest.skip(str(missing))
    files, network, scoped = kernel.rights()
    least = {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)
    assert files & (1 << least) - 1 == (1 << least) - 1
    assert bool(network) == (version >= 4) and bool(scoped) == (version >= 6)


CONFINED = """
import os, sys
from pathlib import Path
from normgrade.worker.walls import kernel
allowed, folder = map(Path, sys.argv[1:])
rules = kernel.ruleset([allowed, folder / "inner", folder / "missing"])
kernel.prctl("PR_SET_NO_NEW_PRIVS", 1)
kernel.restrict(rules)
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
        kernel.landlock_version()
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

    monkeypatch.setattr(kernel, "call", fails)
    with pytest.raises(kernel.Missing, match=reason):
        kernel.landlock_version()
