"""Tests of `--timeout`: the command ends soon after it for every submission."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.oracle.seal import KEY_BYTES

TIMEOUT_S = 1.0
BEYOND_S = 3.0  # for start and end
SLOW = 2  # times slower than usual, on a busy machine
RIGHT = """
import torch

def rms(x, eps=1e-5):
    wide = x.float()
    return (wide / (wide.square().mean(-1, keepdim=True) + eps).sqrt()).to(x.dtype)
"""
FLOOD = """
import os

def rms(x, eps=1e-5):
    while True:
        os.write(1, bytes(65536))
"""
DAEMON = """
import os, signal, time

def rms(x, eps=1e-5):
    try:
        if os.fork() == 0:  # holds the pipes open
            os.setsid()
            time.sleep(20)
            os._exit(0)
        os.kill(os.getppid(), signal.SIGKILL)
    except OSError:
        pass
    time.sleep(20)
"""
STOPPED = """
import os, signal, time

def rms(x, eps=1e-5):
    try:
        os.kill(os.getppid(), signal.SIGSTOP)
    except OSError:
        pass
    time.sleep(20)
"""
Check = Callable[[str, str], tuple[int, float]]


@pytest.fixture
def check(tmp_path: Path, tiny: Course) -> Check:
    """Return a function that grades a source with the real command, and returns its exit code and its duration in seconds.

    The walls let a submission start and stop processes. All calls share one cache of expectations, and each has its own copy of the key,
    because the key leaves the disk when a submission runs.
    """
    key = secrets.token_bytes(KEY_BYTES)
    deny = [sys.executable, str(Path(__file__).parents[1] / "harness" / "deny.py"), "landlock_create_ruleset,unshare", "ENOSYS"]

    def checked(name: str, source: str) -> tuple[int, float]:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "rms.py").write_text(source, encoding="utf-8")
        (folder / "cache.key").write_bytes(key)
        (folder / "cache.key").chmod(0o600)
        settings = {"NORMGRADE_COURSE": tiny.root, "NORMGRADE_CACHE": tmp_path / "cache", "NORMGRADE_CONFIG": folder}
        environment = os.environ | {name: str(value) for name, value in settings.items()}
        started = time.monotonic()
        command = [*deny, "check", "rms.py", "--timeout", str(TIMEOUT_S)]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=300)
        return done.returncode, time.monotonic() - started

    return checked


@pytest.mark.skipif(sys.platform != "linux", reason="the command is denied its walls by a rule of Linux's")
def test_command_ends_soon_after_its_timeout(check: Check) -> None:
    code, usual_s = check("right", RIGHT)
    assert code == 0
    sources = {"flood": FLOOD, "daemon": DAEMON, "stopped": STOPPED}
    with ThreadPoolExecutor(len(sources)) as pool:
        ended = dict(zip(sources, pool.map(check, sources, sources.values()), strict=True))
    late = {name: took_s for name, (_code, took_s) in ended.items() if took_s > SLOW * (usual_s + TIMEOUT_S + BEYOND_S)}
    assert {code for code, _took_s in ended.values()} == {1} and not late
