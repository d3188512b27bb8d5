"""Tests of the views of `watch`: each takes only the keys that it uses, and draws only the visible part."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from normgrade.cli.views import Differences, Help, Listing, Question, Task, View
from normgrade.course.course import Course
from normgrade.grading.grading_options import Options
from normgrade.learner.watching import Watching
from normgrade.report.report import Check, Kind, Outcome, Report


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


def drawn(view: View, rows: int = 20) -> str:
    console = Console(file=io.StringIO(), width=80, height=24, legacy_windows=False)
    console.print(view.content(rows))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_help_names_every_key(watching: Watching) -> None:
    keys = {line.split("  ")[0] for line in drawn(Help(watching)).splitlines()}
    assert keys == {*"nplhsdtxq", "↑ ↓", "Esc", "Ctrl-Z"}
    assert not Help(watching).press("n")


def test_the_task_is_the_prompt(watching: Watching) -> None:
    assert "Root mean square" in drawn(Task(watching))


def test_a_page_has_one_claim_that_failed(watching: Watching) -> None:
    view = Differences(watching)
    first = drawn(view)
    assert "page 1 of 2" in first and "It says a." in first and "It says c." not in first
    assert view.press("left") and drawn(view) == first
    assert view.press("d")
    assert "page 2 of 2" in drawn(view) and "It says c." in drawn(view) and "It says a." not in drawn(view)
    assert view.press("right") and "page 2 of 2" in drawn(view)
    assert view.press("left") and drawn(view) == first
    assert view.press("right") and not view.press("d")  # on the last page, d closes the view


def test_without_failures_there_are_no_pages(watching: Watching) -> None:
    watching.report = None
    view = Differences(watching)
    assert "There is nothing to show." in drawn(view) and not view.press("d")


def marked(view: Listing, rows: int = 20) -> str:
    [line] = (line for line in drawn(view, rows).splitlines() if line.startswith("▶"))
    return line.split()[1]


def test_enter_goes_to_the_exercise_that_is_marked(watching: Watching) -> None:
    view = Listing(watching)
    assert marked(view) == "rms" and "0 of 2 passed" in drawn(view) and "not started" in drawn(view)
    for key, slug in (("home", "rms"), ("down", "centring"), ("down", "centring"), ("up", "rms"), ("end", "centring")):
        assert view.press(key) and marked(view) == slug == marked(view, rows=2)  # the mark is always visible
    assert view.press("enter") and view.closed
    assert view.watching.exercise.slug == "centring" and view.watching.back().exercise.slug == "rms"


def test_enter_at_the_exercise_that_is_watched_keeps_it(watching: Watching) -> None:
    view = Listing(watching)
    assert view.press("enter") and view.closed and view.watching is watching
    assert not view.press("x")


def test_a_question_is_answered_by_one_key(watching: Watching) -> None:
    done: list[str] = []
    for key in "nqy":
        view = Question(watching, "Sure?", lambda: done.append("done"))
        assert "Sure?" in drawn(view) and not view.closed
        assert view.press(key) and view.closed
    assert done == ["done"]
