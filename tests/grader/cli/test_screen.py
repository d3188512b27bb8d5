"""The screen of `watch`: every state is drawn, and what has no room is counted."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from normgrade.cli.screen import Window, screens
from normgrade.course.course import Course
from normgrade.grade import Submission
from normgrade.inspection.inspection import Inspection
from normgrade.learner.watch_session import Watching
from normgrade.report.report import Check, Kind, Outcome, Report


class Grader:
    """Grades without grading: it gives the reports that it was given, and keeps what was on the screen meanwhile."""

    watching: Watching

    def __init__(self, claims: int, *reports: Report) -> None:
        self.reports, self.seen = list(reports), ""
        self.suites = {"rms": SimpleNamespace(names=("a",), claims={f"Claim {number}.": ("a",) for number in range(claims)})}

    def report_on(self, submission: Submission, inspection: Inspection, on_event: Callable[..., None]) -> Report:
        self.seen = drawn(self.watching)
        return self.reports.pop(0)


def drawn(watching: Watching, height: int = 24) -> str:
    console = Console(file=io.StringIO(), width=80, height=height, legacy_windows=False)
    console.print(Window(screens(watching, height), 0))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def of_rms(outcome: Outcome, **more: Any) -> Report:
    check = Check("a", "Claim 0.", Kind.FORMULA, outcome, 8, **more)
    return Report("rms", "rms.py", outcome, 8, "linux", 0, 0.1, checks=(check,))


Graded = Callable[..., Watching]


@pytest.fixture
def watched(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Graded:
    """Watching rms, which is saved before each of these reports."""
    monkeypatch.chdir(tmp_path)

    def graded(claims: int, *reports: Report) -> Watching:
        grader: Any = Grader(claims, *reports)
        monkeypatch.setattr("normgrade.learner.watch_session.report_on", Grader.report_on)
        grader.watching = watching = Watching(grader, tiny, tiny.exercise("rms"))
        for number in range(len(reports)):
            (tmp_path / "rms.py").write_text(f"def rms(x, eps=1e-5):\n    return x + {'1' * number}0\n", encoding="utf-8")
            assert watching.begin_if_saved()
            watching.grade()
        return watching

    return graded


def test_while_a_file_is_graded_nothing_of_the_last_verdict_is_shown(watched: Graded) -> None:
    watching = watched(3, of_rms(Outcome.PASSED), of_rms(Outcome.FAILED, message="No."))
    grader: Any = watching.grader
    assert [line.rstrip() for line in grader.seen.splitlines()[1:]] == [
        "· Claim 0.",
        "· Claim 1.",
        "· Claim 2.",
        "rms.py: grading …",
    ]
    assert "0 of 8 points · not passed" in drawn(watching) and "last scores: 8 0" in drawn(watching)


def test_a_line_for_each_claim_is_shown_where_all_of_it_has_room(watched: Graded) -> None:
    watching = watched(12, of_rms(Outcome.PASSED))
    assert "Claim 11." in drawn(watching) and "Passed: n goes on with centring." in drawn(watching)
    assert "Claim 11." not in drawn(watching, height=16) and "Passed: n goes on with centring." in drawn(watching, height=16)


def test_what_is_below_is_counted(watched: Graded) -> None:
    watching = watched(3, of_rms(Outcome.FAILED, message="one\ntwo\nthree"))
    lines = len(drawn(watching, height=5).splitlines()) - 1
    whole = len(drawn(watching, height=100).splitlines())
    low = next(height for height in range(5, 30) if "▼" not in drawn(watching, height))
    assert lines == 4 < whole
    assert drawn(watching, low - 1).splitlines()[-1] == "▼ 1 more line: arrows, space"
    assert drawn(watching, low - 2).splitlines()[-1] == "▼ 2 more lines: arrows, space"


def test_the_key_that_shows_the_rest_is_named(watched: Graded) -> None:
    failed = of_rms(Outcome.FAILED, message="No.")
    second = replace(failed.checks[0], name="b", claim="Another.")
    assert "and 1 more claim that does not hold: d shows it" in drawn(watched(1, replace(failed, checks=(*failed.checks, second))), 60)
