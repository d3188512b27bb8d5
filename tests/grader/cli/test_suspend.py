"""Tests of stepping aside: a process leaves before a signal stops or ends it, and enters again when it goes on."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from normgrade.cli.suspend import signal_wakes, stepping_aside

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
SCRIPT = """
import os, signal
from normgrade.cli.suspend import stepping_aside
for ignored in (signal.SIGHUP, signal.SIGQUIT):  # by nohup, or by a shell in whose background the tests run
    signal.signal(ignored, signal.SIG_DFL)
with stepping_aside(lambda: os.write(1, b"leave\\n"), lambda: os.write(1, b"enter\\n")):
    os.write(1, b"ready\\n")
    while True:
        signal.pause()
"""


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    """Yield a process that steps aside, in its own process group."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, env=environment, process_group=0) as process:
        assert next_line(process) == "ready"
        yield process
        process.kill()


def next_line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode().strip()


def test_stop_leaves_and_continue_enters(process: subprocess.Popen[bytes]) -> None:
    for _time in range(2):
        process.send_signal(signal.SIGTSTP)
        assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
        assert next_line(process) == "leave"
        process.send_signal(signal.SIGCONT)
        assert {next_line(process), next_line(process)} == {"enter"}  # once for the signal, and once after the stop


def test_continue_after_an_uncatchable_stop_enters(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGSTOP)
    assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
    process.send_signal(signal.SIGCONT)
    assert next_line(process) == "enter"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGQUIT"])
def test_process_leaves_before_it_is_ended(process: subprocess.Popen[bytes], name: str) -> None:
    process.send_signal(getattr(signal, name))
    assert next_line(process) == "leave"
    assert process.wait() == -getattr(signal, name)


def test_handlers_are_restored_and_ignored_signals_stay() -> None:
    handled = [signal.SIGTSTP, signal.SIGTERM, signal.SIGHUP, signal.SIGCONT, signal.SIGWINCH]
    hangs_up = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        before = [signal.getsignal(number) for number in handled]
        with stepping_aside(lambda: None, lambda: None):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTSTP) is not before[0]
        assert [signal.getsignal(number) for number in handled] == before
    finally:
        signal.signal(signal.SIGHUP, hangs_up)


def test_signal_wakes_a_waiting_process() -> None:
    with signal_wakes() as wakes, stepping_aside(lambda: None, lambda: None):
        assert wakes is not None
        assert select.select([wakes], [], [], 0.0)[0] == []
        signal.raise_signal(signal.SIGWINCH)
        assert select.select([wakes], [], [], 0.0)[0] == [wakes]
