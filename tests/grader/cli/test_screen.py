"""Tests of the screen and the views of `watch`: every state is drawn, and each view takes only the keys that it uses."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from normgrade.cli.screen import Differences, Help, Listing, View, Window, keys_in, screens
from normgrade.course.course import Course
from normgrade.grading.grade import Submission
from normgrade.grading.grading_options import Options
from normgrade.inspection.inspection import Inspection
from normgrade.language import speak
from normgrade.learner.watching import Watching
from normgrade.report.report import Check, Kind, Outcome, Report


class Grader:
    """A grader that returns prepared reports, and keeps the screen during each grading in `seen`."""

    watching: Watching

    def __init__(self, claims: int, *reports: Report) -> None:
        self.reports, self.seen = list(reports), ""
        self.options = Options()
        self.suites = {"rms": SimpleNamespace(names=("a",), claims={f"Claim {number}.": ("a",) for number in range(claims)})}

    def report_on(self, submission: Submission, inspection: Inspection, on_event: Callable[..., None]) -> Report:
        self.seen = drawn(self.watching)
        return self.reports.pop(0)


def drawn(watching: Watching, height: int = 24, view: View | None = None) -> str:
    console = Console(file=io.StringIO(), width=80, height=height, legacy_windows=False)
    console.print(Window(screens(watching, console.size, view), 0))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def of_rms(outcome: Outcome, **more: Any) -> Report:
    check = Check("a", "Claim 0.", Kind.FORMULA, outcome, 8, **more)
    return Report("rms", "rms.py", outcome, 8, "linux", 0, 0.1, checks=(check,))


Graded = Callable[..., Watching]


@pytest.fixture
def watched(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Graded:
    """Return a function that watches rms and saves it before each of these reports."""
    monkeypatch.chdir(tmp_path)

    def graded(claims: int, *reports: Report) -> Watching:
        grader: Any = Grader(claims, *reports)
        monkeypatch.setattr("normgrade.grading.reporting.report_on", Grader.report_on)
        grader.watching = watching = Watching(grader, tiny, tiny.exercise("rms"))
        for number in range(len(reports)):
            (tmp_path / "rms.py").write_text(f"def rms(x, eps=1e-5):\n    return x + {'1' * number}0\n", encoding="utf-8")
            assert watching.begin_if_saved()
            watching.grade()
        return watching

    return graded


def test_last_verdict_is_hidden_during_grading(watched: Graded) -> None:
    watching = watched(3, of_rms(Outcome.PASSED), of_rms(Outcome.FAILED, message="No."))
    grader: Any = watching.grader
    assert [line.rstrip() for line in grader.seen.splitlines()[1:]] == [
        "rms.py: grading …",
        "· Claim 0.",
        "· Claim 1.",
        "· Claim 2.",
    ]


def test_verdict_changes_failure_and_claims_are_in_order(watched: Graded) -> None:
    shown = drawn(watched(3, of_rms(Outcome.PASSED), of_rms(Outcome.FAILED, message="No.")))
    places = [shown.index(part) for part in ("0 of 8 points, not passed", "−8 points", "last scores: 8 0", "No.", "Next: ", "Claim 2.")]
    assert places == sorted(places)


def test_claims_are_lines_if_there_is_room(watched: Graded) -> None:
    watching = watched(12, of_rms(Outcome.PASSED))
    assert "Claim 11." in drawn(watching) and "Passed. Press n to continue with centring." in drawn(watching)
    assert "Claim 11." not in drawn(watching, height=12) and "Passed. Press n to continue with centring." in drawn(watching, height=12)


def test_next_exercise_is_named_when_it_is_known(watched: Graded, monkeypatch: pytest.MonkeyPatch) -> None:
    watching, seen = watched(1, of_rms(Outcome.FAILED)), list[str]()
    grader: Any = watching.grader
    grader.reports = [of_rms(Outcome.PASSED)]

    def remembered(*given: object) -> str:
        seen.append(drawn(watching))
        return ""

    monkeypatch.setattr("normgrade.learner.watching.remember", remembered)
    watching.begin(0)
    watching.grade()
    assert "Press n" in drawn(watching) and not any("Press n" in screen for screen in seen) and seen
    watching.grading = True  # as while the reason of a failed courtesy is looked for
    assert "Press n" not in drawn(watching)


def test_checks_are_marks_if_there_is_no_room(watched: Graded) -> None:
    watching = watched(12)
    watching.grading, watching.checks = True, {"a": None}
    assert " ".join("·" * 12) in drawn(watching, height=12)


def test_other_inputs_are_named_by_their_seed(watched: Graded) -> None:
    shown = drawn(watched(1, replace(of_rms(Outcome.FAILED), seed=3)))
    assert "These inputs have seed 3. The next save uses the usual inputs." in shown


def test_long_step_is_shown(watched: Graded) -> None:
    watching = watched(1, of_rms(Outcome.FAILED))
    watching.grading, watching.doing = True, "looking for the mistake · 12 %"
    assert "looking for the mistake · 12 %" in drawn(watching)


def test_lines_below_are_counted(watched: Graded) -> None:
    watching = watched(3, of_rms(Outcome.FAILED, message="one\ntwo\nthree"))
    lines = len(drawn(watching, height=5).splitlines()) - 1
    whole = len(drawn(watching, height=100).splitlines())
    low = next(height for height in range(5, 30) if "▼" not in drawn(watching, height))
    assert lines == 4 < whole
    assert drawn(watching, low - 1).splitlines()[-1] == "▼ 1 more line: arrows, space"
    assert drawn(watching, low - 2).splitlines()[-1] == "▼ 2 more lines: arrows, space"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_keys_fit_one_line_with_the_important_ones(language: str, watched: Graded) -> None:
    speak(language)
    wide, narrow, all_of_them = keys_in(80), keys_in(40), keys_in(1000)
    assert cell_len(wide) <= 80 and cell_len(narrow) <= 40 < cell_len(all_of_them)
    for keys in (wide, narrow):
        assert {"?", "q", "h"} <= {key[0] for key in keys.split(" · ")} <= {key[0] for key in all_of_them.split(" · ")}
    assert drawn(watched(1)).splitlines()[0].rstrip() == wide


def test_a_view_takes_the_place_of_the_verdict(watched: Graded) -> None:
    watching = watched(1, of_rms(Outcome.PASSED))
    assert "quit" in drawn(watching, view=Help(watching)) and "8 of 8" not in drawn(watching, view=Help(watching))


# The views


@pytest.fixture
def watching(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watching:
    """Return the watching of rms in a workspace, with three claims of which two failed."""
    (tmp_path / "normgrade.toml").touch()
    monkeypatch.chdir(tmp_path)
    grader: Any = SimpleNamespace(options=Options())
    watching = Watching(grader, tiny, tiny.exercise("rms"))
    outcomes = {"a": Outcome.FAILED, "b": Outcome.PASSED, "c": Outcome.FAILED}
    checks = tuple(Check(name, f"Claim {name}.", Kind.EDGE, end, 1, message=f"It says {name}.") for name, end in outcomes.items())
    watching.report = Report("rms", "rms.py", Outcome.FAILED, 3, "linux", 0, 0.1, checks=checks)
    return watching


def content(view: View, rows: int = 20) -> str:
    console = Console(file=io.StringIO(), width=80, height=24, legacy_windows=False)
    console.print(view.content(rows))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_help_names_every_key(watching: Watching) -> None:
    keys = {line.split("  ")[0] for line in content(Help(watching)).splitlines()}
    assert keys == {*"nplhdtq", "↑ ↓", "Esc"}
    assert not Help(watching).press("n")


def test_differences_of_every_claim_that_failed_are_shown(watching: Watching) -> None:
    shown = content(Differences(watching))
    assert "It says a." in shown and "It says c." in shown and "It says b." not in shown
    watching.report = None
    assert "There is nothing to show." in content(Differences(watching))


def marked(view: Listing, rows: int = 20) -> str:
    [line] = (line for line in content(view, rows).splitlines() if line.startswith("▶"))
    return line.split()[1]


def test_enter_goes_to_the_exercise_that_is_marked(watching: Watching) -> None:
    view = Listing(watching)
    assert marked(view) == "rms" and "0 of 2 passed" in content(view) and "not started" in content(view)
    for key, slug in (("home", "rms"), ("down", "centring"), ("down", "centring"), ("up", "rms"), ("end", "centring")):
        assert view.press(key) and marked(view) == slug == marked(view, rows=2)  # the mark is always visible
    assert view.press("enter") and view.closed
    assert view.watching.exercise.slug == "centring" and view.watching.back().exercise.slug == "rms"


def test_enter_at_the_exercise_that_is_watched_keeps_it(watching: Watching) -> None:
    view = Listing(watching)
    assert view.press("enter") and view.closed and view.watching is watching
    assert not view.press("x")
