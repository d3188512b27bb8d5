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
