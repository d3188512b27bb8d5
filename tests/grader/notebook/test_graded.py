"""Reports that display themselves, as a picture and as text; and the early output, which disappears when they are there."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from normgrade.notebook.graded import Graded, ShownEarly
from normgrade.report.render.terminal import render_text
from normgrade.report.report import Check, Kind, Outcome, Report

FAILED = Check("test_a", "The claim.", Kind.FORMULA, Outcome.FAILED, 1, message="It does not hold.")


def report(outcome: Outcome) -> Report:
    checks = () if outcome is Outcome.PASSED else (FAILED,)
    return Report("rms", "cell", outcome, 3, "linux", 0, 0.0, checks=checks, source="x = 1")


def test_a_report_shown_twice_has_distinct_ids() -> None:
    graded = Graded((report(Outcome.FAILED),))
    page = graded._repr_html_() + graded._repr_html_()
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids)) > 0
    assert set(re.findall(r'\shref="#([^"]+)"', page)) <= set(ids)


def test_as_text_it_omits_the_options_for_more() -> None:
    in_terminal, here = render_text([report(Outcome.FAILED)]), repr(Graded((report(Outcome.FAILED),)))
    assert "-v" in in_terminal and "-v" not in here
    assert in_terminal.startswith(here) and "not passed" in here


def test_the_lines_after_a_pass_are_at_the_bottom() -> None:
    graded = Graded((report(Outcome.PASSED),), ("Passed at the first attempt.", "`normgrade show <b>` is next."))
    below = "<p>Passed at the first attempt.<br><code>normgrade show &lt;b&gt;</code> is next.</p></div>"
    assert graded._repr_html_().endswith(below)
    assert repr(graded).endswith("\nPassed at the first attempt.\n`normgrade show <b>` is next.")


@pytest.mark.parametrize(
    ("outcomes", "passed"),
    [((Outcome.PASSED,), True), ((Outcome.PASSED, Outcome.FAILED), False), ((Outcome.NOT_STARTED,), False)],
)
def test_it_passed_if_all_reports_did(outcomes: tuple[Outcome, ...], passed: bool) -> None:
    assert Graded(tuple(map(report, outcomes))).passed == passed


# Early output

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
