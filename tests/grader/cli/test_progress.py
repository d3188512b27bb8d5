"""Tests of the command `progress`: attempts, scores, times, and the mistakes made most often."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from normgrade.cli.progress import ago, also_open, scores
from normgrade.course.course import Course
from normgrade.learner.attempts import Attempt, Attempts
from normgrade.learner.standing import Record
from normgrade.report.report import Outcome


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(0, "just now"), (1, "1 minute ago"), (59, "59 minutes ago"), (60, "1 hour ago"), (2881, "2 days ago"), (-5, "just now")],
)
def test_how_long_ago(minutes: int, words: str) -> None:
    assert ago(timedelta(minutes=minutes)) == words


def test_scores_alike_stand_once() -> None:
    tried = [Attempt(datetime.now(UTC), "rms", Outcome.FAILED, earned, 8) for earned in (3, 3, 5, 8)]
    assert scores(tried) == "3 → 5 → 8" and scores([]) == ""
    assert scores([replace(tried[0], earned=earned % 8) for earned in range(20)]).startswith("… ")


def opened(course: Course, *after: tuple[str, ...]) -> list[str]:
    """Return the lines on open exercises, for exercises e0, e1, … that are best done after the given ones."""
    rms = course.exercise("rms")
    return also_open([Record(replace(rms, slug=f"e{n}", order=n), (), False, before) for n, before in enumerate(after)])


def test_other_open_exercises_are_listed(tiny: Course) -> None:
    assert opened(tiny, ()) == [] == opened(tiny)
    assert opened(tiny, (), ()) == ["You can also do e1."]
    assert opened(tiny, (), (), ("e0",)) == [
        "You can also do e1.", "1 exercise is best done after these. Run `normgrade list` to see the order.",
    ]  # fmt: skip
    many = opened(tiny, *[()] * 9, ("e0",), ("e1",))
    assert many == [
        "You can also do e1, e2, e3, e4, e5, e6, and 2 more.",
        "2 exercises are best done after these. Run `normgrade list` to see the order.",
    ]


def test_attempts_and_mistakes_are_shown(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    run("init", ".")
    tried = [Attempt(datetime.now(UTC), "rms", Outcome.FAILED, 3, 8, ("sum-for-mean",)) for _ in range(2)]
    Attempts(tmp_path / ".normgrade/progress.db").add(tried)
    code, out, err = run("progress")
    assert (code, err) == (0, "")
    assert "rms 1 best 3/8 2 3 just now" in out and "centring" not in out.partition("You can also do")[0]
    assert "0 of 2 passed, 2 attempts; 1 is not started" in out
    assert "Most frequent mistakes (repeats in consecutive attempts count once) once sum-for-mean" in out and "Continue with rms" in out


def test_another_way_is_suggested_after_a_pass(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    run("init", ".")
    kept = Attempts(tmp_path / ".normgrade/progress.db")
    kept.add([Attempt(datetime.now(UTC), "rms", Outcome.PASSED, 8, 8)])
    assert " rms Passed at the first attempt. Another right way: `normgrade solution rms einsum` " in run("progress")[1]
    kept.add([Attempt(datetime.now(UTC) + timedelta(minutes=1), "centring", Outcome.FAILED, 3, 10)])
    assert "Another right way" not in run("progress")[1]


def test_a_fresh_workspace_has_no_rows(run: Callable[..., tuple[int, str, str]]) -> None:
    run("init", ".")
    assert run("progress")[1].startswith("0 of 2 passed, 0 attempts; 2 are not started Next is rms")
