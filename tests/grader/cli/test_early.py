"""Tests of verdicts before the report is complete, above the bar."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from sample_reports import BIASED, VARIANCE

from normgrade.cli.bar import Bar
from normgrade.cli.early import BELOW, AboveBar, early, ignore
from normgrade.course.course import Course
from normgrade.grading.grade import Submission
from normgrade.report.render import QUIET, USUAL, Detail
from normgrade.report.report import Check, Kind, Outcome, Report

RIGHT = Check("test_alone", "It can be called.", Kind.INTERFACE, Outcome.PASSED, 3)
WRONG = Check("test_rows", "Every row is divided.", Kind.FORMULA, Outcome.FAILED, 5, differences=(VARIANCE,))
SEARCHED = Report("rms", "rms.py", Outcome.FAILED, 8, "linux", 0, 0.1, checks=(RIGHT, WRONG), searching=True)
FOUND = replace(SEARCHED, searching=False, diagnoses=(replace(BIASED, checks=("test_rows",)),), granted=6)
Shown = Callable[..., tuple[AboveBar, Callable[[], str]]]


def submissions(tiny: Course, number: int = 1) -> list[Submission]:
    return [Submission(tiny.exercise("rms"), Path("rms.py"), "rms.py")] * number


@pytest.fixture
def shown(tiny: Course) -> Shown:
    """Return a function that makes an `AboveBar` and a function that returns its lines."""

    def above(number: int = 1, detail: Detail = USUAL, height: int = 24) -> tuple[AboveBar, Callable[[], str]]:
        bar = Bar()
        bar.console = Console(file=io.StringIO(), width=80, height=height)

        def text() -> str:
            with bar.console.capture() as captured:
                bar.console.print(*bar.above, end="")
            return captured.get()

        return AboveBar(bar, submissions(tiny, number), detail), text

    return above


def test_the_screen_is_shown_as_it_is_known(shown: Shown) -> None:
    on_report, text = shown()
    on_report(SEARCHED)
    first, *rest = text().splitlines()
    assert first == "rms.py  at least 3 of 8 points, not passed  (sandbox: linux)"
    assert "Looking for the mistake …" in rest and "✗ Every row is divided." in rest and "interface ✓  formula ✗" in rest
    on_report.bar.stop()


def test_the_last_report_is_left_to_the_command(shown: Shown) -> None:
    on_report, text = shown()
    on_report(SEARCHED)
    before = text()
    on_report(FOUND)
    assert text() == before
    on_report.bar.stop()


def test_a_report_that_follows_nothing_is_not_shown(shown: Shown) -> None:
    on_report, _text = shown()
    on_report(replace(SEARCHED, outcome=Outcome.PASSED, searching=False, checks=(RIGHT,)))
    assert on_report.bar.live is None


def test_complete_reports_are_lines_above(shown: Shown) -> None:
    on_report, text = shown(number=3)
    on_report(SEARCHED)
    on_report(FOUND)
    assert " ".join(text().split()) == "✗ rms · rms.py · 6 of 8 points · not passed · biased-running-variance · sandbox: linux"
    on_report(replace(SEARCHED, submission="other.py"))
    assert text().splitlines()[2].startswith("rms · other.py  at least 3 of 8 points")
    on_report.bar.stop()


@pytest.mark.parametrize(("detail", "height"), [(QUIET, 24), (USUAL, 8)])
def test_a_line_is_shown_if_quiet_or_without_room(shown: Shown, detail: Detail, height: int) -> None:
    on_report, text = shown(detail=detail, height=height)
    on_report(SEARCHED)
    assert " ".join(text().split()) == "✗ rms · rms.py · at least 3 of 8 points · not passed · Looking for the mistake … · sandbox: linux"
    assert len(text().splitlines()) <= height - BELOW
    on_report.bar.stop()


@pytest.mark.parametrize(("format", "output"), [("terminal", None), ("json", None), ("html", None), ("terminal", Path("report.txt"))])
def test_nothing_is_shown_elsewhere(tiny: Course, format: str, output: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert early(Bar(), submissions(tiny), format, output, USUAL) is ignore
