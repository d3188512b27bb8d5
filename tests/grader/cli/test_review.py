"""Tests of the command `review`: due questions are asked, and each answer is kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from normgrade.learner.attempts import Attempt, Attempts
from normgrade.learner.slips import Reviews
from normgrade.report.report import Outcome

Run = Callable[..., tuple[int, str, str]]
DAY = timedelta(days=1)
PASSED = "rms: a right answer with one mistake in it (you made it "


@pytest.fixture
def kept(run: Run, tmp_path: Path) -> Attempts:
    run("init", ".")
    return Attempts(tmp_path / ".normgrade/progress.db")


def make(kept: Attempts, days_ago: float, *mistakes: str, passed: bool = True) -> None:
    """Add an attempt with these mistakes and, if `passed`, a right answer a second later."""
    at = datetime.now(UTC) - days_ago * DAY
    kept.add([Attempt(at, "rms", Outcome.FAILED, 3, 8, mistakes)])
    if passed:
        kept.add([Attempt(at + timedelta(seconds=1), "rms", Outcome.PASSED, 8, 8)])


def test_due_question_is_answered_without_a_terminal(run: Run, kept: Attempts) -> None:
    make(kept, 2, "sum-for-mean")
    code, out, err = run("review")
    assert (code, err) == (0, "") and out.startswith(f"{PASSED}once, 2 days ago).")
    assert "sum-for-mean: The squares are added up. Average them." in out and "def rms(" in out and "Which line" not in out
    assert Reviews(kept).all() == []


def test_answers_are_kept_and_decide_when_it_comes_back(run: Run, kept: Attempts, monkeypatch: pytest.MonkeyPatch) -> None:
    make(kept, 4, "sum-for-mean")
    make(kept, 2, "sum-for-mean")
    line = run("review")[1].partition(" Line ")[2].partition(".")[0]
    monkeypatch.setattr("normgrade.cli.review.somebody_is_there", lambda: True)
    for typed, said in (("x", "✗ Wrong, it is another line."), (line, "✓ Correct.")):
        monkeypatch.setattr("builtins.input", lambda prompt, typed=typed: typed)
        out = run("review", "--all")[1]
        assert out.startswith(f"{PASSED}2 times, the last time 2 days ago).") and f"{said} Line {line}. sum-for-mean" in out
    assert [review.knew for review in Reviews(kept).all()] == [False, True]
    assert run("review")[1] == "Nothing is due: the next review is in 3 days. Run `normgrade review --all` to review now."


def test_nothing_is_due_within_a_day(run: Run, kept: Attempts) -> None:
    make(kept, 0.9, "sum-for-mean")
    assert run("review")[1] == "Nothing is due: the next review is in 3 hours. Run `normgrade review --all` to review now."


@pytest.mark.parametrize(("mistakes", "passed"), [((), True), (("sum-for-mean",), False), (("gone",), True)])
def test_there_may_be_nothing_to_review(run: Run, kept: Attempts, mistakes: tuple[str, ...], passed: bool) -> None:
    make(kept, 5, *mistakes, passed=passed)
    assert run("review")[:2] == (0, "Nothing to review: no mistakes were found in exercises that have passed.")


def test_interrupt_adds_no_answer(run: Run, kept: Attempts, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    make(kept, 5, "sum-for-mean")
    monkeypatch.setattr("normgrade.cli.review.somebody_is_there", lambda: True)
    monkeypatch.setattr("builtins.input", interrupted)
    code, _out, err = run("review")
    assert (code, err) == (130, "Error: Interrupted before it was done.") and Reviews(kept).all() == []


def test_one_is_asked_at_a_time(run: Run, kept: Attempts) -> None:
    make(kept, 5, "sum-for-mean", "eps-outside-root")
    assert run("review")[1].endswith("1 more mistake is due for review.")


def test_the_end_of_the_input_is_a_wrong_answer(run: Run, kept: Attempts, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(prompt: str) -> str:
        raise EOFError

    make(kept, 5, "sum-for-mean")
    monkeypatch.setattr("normgrade.cli.review.somebody_is_there", lambda: True)
    monkeypatch.setattr("builtins.input", ended)
    assert "✗ Wrong" in run("review")[1]


def test_review_waits_while_an_interview_runs(run: Run, kept: Attempts) -> None:
    run("interview")
    assert run("review")[2].startswith("Error: `normgrade review` is not available during an interview. ")


def test_review_needs_a_workspace(run: Run, tmp_path: Path) -> None:
    said = f'Error: "{tmp_path}" is not in a workspace. Run `normgrade init` to create one, or go to your workspace.'
    assert run("review") == (2, "", said)
