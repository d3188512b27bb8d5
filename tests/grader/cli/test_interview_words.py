"""Tests of the texts about an ended interview: points, marks, and the times when files were saved."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from normgrade.cli.interview_words import result, saved, summary
from normgrade.course.course import Course
from normgrade.learner.practice.interview_plan import Asked, Interview, Task

NOW = datetime(2026, 3, 1, 9, 5, 7, tzinfo=UTC)


def interview(tasks: tuple[Task, ...] = (), asked: tuple[Asked, ...] = ()) -> Interview:
    return Interview(NOW, 30, 0, "2026-03-01-1", tasks, asked, NOW + timedelta(minutes=30))


@pytest.mark.parametrize(
    ("saved_s", "words"),
    [
        (None, ""),
        (-5, "after 0 minutes"),
        (119, "after 1 minute"),
        (1800, "after 30 minutes"),
        (1801, "after 30 minutes: too late"),
        (5400, "after 90 minutes: too late"),
    ],
)
def test_time_of_saving_is_shown(saved_s: int | None, words: str) -> None:
    assert saved(Task("rms", saved_s=saved_s), interview()) == words


def test_summary_has_only_the_parts_of_the_interview() -> None:
    code, asked = Task("rms", 5, 8), (Asked("rms", 1, "so", 2), Asked("rms", 1, "so"), Asked("rms", 1, "so"), Asked("rms", 1))
    assert summary(interview((code,))) == "2026-03-01-1: code 5 of 8 points"
    assert summary(interview((), asked[:1])) == "2026-03-01-1: questions 2 of 2"
    said = "2026-03-01-1: code 5 of 8 points · questions 2 of 8 · 2 answers without a mark"
    assert summary(interview((code,), asked)) == said


def test_a_row_tells_how_an_exercise_turned_out(tiny: Course) -> None:
    rms = tiny.exercise("rms")
    failed = Task("rms", 4, 8, False, ("sum-for-mean", "no-eps"), 60)
    assert result(rms, failed, interview()) == ("rms", "1", "4/8", "not passed", "after 1 minute", "sum-for-mean, no-eps")
    assert result(rms, Task("rms", 8, 8, True, (), 60), interview())[3] == "✓ passed"
    assert result(rms, Task("rms", 0, 8), interview())[2:5] == ("0/8", "not started", "")
