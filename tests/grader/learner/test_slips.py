"""Mistakes come back for review: after a day, later each time the learner finds them, and with the lines that they change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.language.errors import UsageError
from normgrade.learner.attempts import Attempt, Attempts
from normgrade.learner.slips import Review, Reviews, Slip, changed, hunts, slips
from normgrade.report.report import Outcome

NOW = datetime(2026, 3, 1, 9, 5, 7, tzinfo=UTC)
DAY = timedelta(days=1)


def made(*mistakes: str, day: int = 0, exercise: str = "rms") -> Attempt:
    return Attempt(NOW + day * DAY, exercise, Outcome.FAILED, 3, 8, mistakes)


def review(knew: bool, day: int, mistake: str = "a") -> Review:
    return Review(NOW + day * DAY, "rms", mistake, knew)


def test_a_mistake_comes_back_after_a_day() -> None:
    [slip] = slips([made("a"), made("a", day=2), made(day=3)], [])
    assert slip == Slip("rms", "a", 1, NOW + 2 * DAY, NOW + 2 * DAY) and slip.due == NOW + 3 * DAY


@pytest.mark.parametrize(
    ("reviews", "found", "due"),
    [
        ([(True, 1)], 1, 4),
        ([(True, 1), (True, 4)], 2, 11),
        ([(True, 1), (True, 4), (False, 11)], 0, 12),
        ([(True, day) for day in range(9)], 9, 68),
    ],
)
def test_intervals_grow_with_each_success(reviews: list[tuple[bool, int]], found: int, due: int) -> None:
    [slip] = slips([made("a")], [review(knew, day) for knew, day in reviews])
    assert (slip.found, slip.due, slip.made) == (found, NOW + due * DAY, NOW)


def test_repeating_a_mistake_starts_over() -> None:
    [slip] = slips([made("a"), made(day=8), made("a", day=9)], [review(True, 1), review(True, 4)])
    assert (slip.times, slip.found, slip.due) == (2, 0, NOW + 10 * DAY)


def test_slips_are_ordered_by_their_due_date() -> None:
    found = slips([made("b", "c", day=1), made("a"), made("a", exercise="centring", day=3)], [review(True, 0, "d")])
    assert [(slip.exercise, slip.mistake) for slip in found] == [("rms", "a"), ("rms", "b"), ("rms", "c"), ("centring", "a")]


def test_reviews_are_read_back(tmp_path: Path) -> None:
    kept = Reviews(Attempts(tmp_path / "kept" / "progress.db"))
    assert kept.all() == []
    for each in (review(True, 1), review(False, 2)):
        kept.add(each)
    assert kept.all() == [review(True, 1), review(False, 2)]
    with kept.kept.changing() as database:
        database.execute("UPDATE reviews SET at = 'soon'")
    with pytest.raises(UsageError, match="cannot be read or written"):
        kept.all()


def test_the_question_is_a_solution_with_the_mistake(tiny: Course) -> None:
    [mistake] = [each for each in read_mistakes(tiny.exercise("rms")) if each.name == "sum-for-mean"]
    slip = slips([made("sum-for-mean")], [])[0]
    [hunt] = hunts(tiny, [slip, replace(slip, mistake="gone"), replace(slip, exercise="gone")], {"rms", "gone"})
    assert (hunt.slip, hunt.mistake.name, hunt.source) == (slip, "sum-for-mean", mistake.source)
    assert ["sum(" in hunt.source.splitlines()[line - 1] for line in hunt.lines] == [True]


def test_no_solution_is_revealed(tiny: Course, edited_course: Callable[..., Course]) -> None:
    found = slips([made("sum-for-mean")], [])
    assert [*hunts(tiny, found, {"centring"})] == []
    secret = edited_course({"exercises/rms/exercise.toml": [("points = 8\n", 'points = 8\nreveal = "claims"\n')]})
    assert [*hunts(secret, found, {"rms"})] == []


@pytest.mark.parametrize(
    ("right", "wrong", "lines"),
    [
        ("abc", "aXc", (2,)),
        ("abc", "abcd", (4,)),
        ("abcd", "acd", (1, 2)),
        ("abc", "bc", (1,)),
        ("abc", "ab", (2,)),
        ("abcd", "XbYd", (1, 3)),
    ],
)
def test_the_lines_of_a_mistake_are_those_that_differ(right: str, wrong: str, lines: tuple[int, ...]) -> None:
    assert changed(right, wrong) == lines
