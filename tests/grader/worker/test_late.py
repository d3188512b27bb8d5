"""A process says where it is when it is asked, as often as Python gets round to it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from normgrade.worker.late import SIGNAL, ask, when_asked

pytestmark = pytest.mark.skipif(SIGNAL is None, reason="this system has no such signal")


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = signal.getsignal(signal.SIGUSR1)
    yield
    signal.signal(signal.SIGUSR1, before)


def test_it_tells_the_frame_that_runs() -> None:
    told: list[str] = []
    when_asked(lambda frame: told.append(frame.f_code.co_name if frame else ""))

    def running() -> None:
        ask(os.getpid())
        while not told:
            pass

    running()
    assert told[0] in ("running", "ask")


def test_no_process_and_one_that_is_gone_are_not_asked() -> None:
    when_asked(lambda frame: pytest.fail("asked itself"))
    ask(0)
    ask(2**22 + 1)  # above the largest id there is
