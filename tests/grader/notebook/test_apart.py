"""Processes of a notebook: their language, their output, and their end when they are interrupted."""

from __future__ import annotations

import signal
import sys

import pytest

from normgrade.language import speak
from normgrade.language.errors import Interrupted
from normgrade.notebook import apart
from normgrade.notebook.apart import run_apart

INTERRUPTS = "import os, signal, time; time.sleep(1); os.kill(os.getppid(), signal.SIGINT); time.sleep(600)"


def test_a_process_speaks_the_current_language() -> None:
    speak("zh")
    done = run_apart("cli", ["show", "--help"])
    assert done.returncode == 0 and "选项" in done.stdout.decode() and done.stderr == b""


def test_without_capturing_the_output_is_inherited(capfd: pytest.CaptureFixture[str]) -> None:
    speak("en")
    done = run_apart("cli", ["--version"], captured=False)
    assert done.stdout is None and capfd.readouterr().out.startswith("normgrade ")


@pytest.mark.skipif(sys.platform == "win32", reason="signals as POSIX has them")
def test_an_interrupt_ends_it_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "command", lambda module, *arguments: [sys.executable, "-c", INTERRUPTS])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # the process that runs the tests may ignore the signal
    try:
        with pytest.raises(KeyboardInterrupt) as raised:
            run_apart("notebook.isolated")
    finally:
        signal.signal(signal.SIGINT, before)
    assert isinstance(raised.value, Interrupted)
    assert raised.value._render_traceback_() == ["Interrupted: Run the cell again for a result."]
