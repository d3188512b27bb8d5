"""The early output of a notebook, which disappears when the result is there."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from normgrade.notebook.graded import Graded
from normgrade.notebook.shown_early import ShownEarly
from normgrade.report.report import Check, Kind, Outcome, Report

WRONG = Check("test_rows", "Every row is divided.", Kind.FORMULA, Outcome.FAILED, 8)
SEARCHED = Graded((Report("rms", "cell", Outcome.FAILED, 8, "linux", 0, 0.1, checks=(WRONG,), searching=True),))


class Handle:
    """A display that records everything it has shown."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    def update(self, data: dict[str, str], raw: bool) -> None:
        assert raw
        self.shown.append(data)


def in_ipython(monkeypatch: pytest.MonkeyPatch, **shell: object) -> Handle:
    """Return the display that IPython gives."""
    handle = Handle()

    def display(data: dict[str, str], raw: bool, display_id: bool) -> Handle:
        assert display_id
        handle.update(data, raw)
        return handle

    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(**shell)))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    return handle


def test_the_result_replaces_the_early_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    handle = in_ipython(monkeypatch, kernel=object())
    early = ShownEarly()
    early.show(SEARCHED)
    [data] = handle.shown
    assert "Looking for the mistake …" in data["text/html"] and "at least 0 of 8 points" in data["text/html"]
    assert data["text/plain"] == "✗ rms · cell · at least 0 of 8 points · not passed · Looking for the mistake … · sandbox: linux"
    early.clear()
    assert set(handle.shown[-1].values()) == {""}


def test_in_a_terminal_the_line_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    handle = in_ipython(monkeypatch)
    early = ShownEarly()
    early.show(SEARCHED)
    early.clear()
    assert len(handle.shown) == 1


def test_nothing_is_shown_in_plain_python(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    early: Any = ShownEarly()
    early.show(SEARCHED)
    early.clear()
    assert early.handle is None and capsys.readouterr() == ("", "")
