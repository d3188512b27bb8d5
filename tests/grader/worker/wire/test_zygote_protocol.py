"""Tests of the signal that asks a process for its running frame. Python answers when it next runs a signal handler."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from normgrade.worker.wire.zygote_protocol import SIGNAL, ask, when_asked

pytestmark = pytest.mark.skipif(SIGNAL is None, reason="this system has no such signal")


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = signal.getsignal(signal.SIGUSR1)
    yield
    signal.signal(signal.SIGUSR1, before)


def test_running_frame_is_reported() -> None:
    told: list[str] = []
    when_asked(lambda frame: told.append(frame.f_code.co_name if frame else ""))

    def running() -> None:
        ask(os.getpid())
        while not told:
            pass

    running()
    assert told[0] in ("running", "ask")


def test_missing_process_is_not_asked() -> None:
    when_asked(lambda frame: pytest.fail("asked itself"))
    ask(0)
    ask(2**22 + 1)  # above the largest process id
