"""The draw of an interview: it fits into the time, and prefers new and important exercises of different parts."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from normgrade.course.course import Course
from normgrade.course.reading import MINUTES
from normgrade.learner.attempts import Attempt
from normgrade.learner.practice.interview_plan import Asked, Interview, Task, draw_questions, draw_tasks, questions_for
from normgrade.learner.standing import Record, records
from normgrade.report.report import Outcome

NOW = datetime(2026, 3, 1, 9, 5, 7, tzinfo=UTC)
PASSED = Attempt(NOW, "any", Outcome.PASSED, 8, 8)


@pytest.fixture(scope="module")
def course(tiny: Course) -> list[Record]:
    """Return records of three parts, each with four exercises, one for each level."""
    rms = tiny.exercise("rms")
    return [
        Record(replace(rms, slug=f"{group}{level}", group=group, level=level, order=10 * n + level, minutes=MINUTES[level]), (), False)
        for n, group in enumerate("abc")
        for level in MINUTES
    ]


def slugs(records: list[Record]) -> list[str]:
    return [record.exercise.slug for record in records]


@pytest.mark.parametrize("minutes", [5, 24, 30, 60, 240])
@pytest.mark.parametrize("seed", range(5))
def test_drawn_tasks_fill_the_time(course: list[Record], minutes: int, seed: int) -> None:
    drawn = draw_tasks(course, minutes, 4, seed)
    left = minutes - sum(record.exercise.minutes for record in drawn)
    others = [record.exercise.minutes for record in course if record not in drawn]
    assert left >= 0 and all(needed > left for needed in others)
    assert [record.exercise.level for record in drawn] == sorted(record.exercise.level for record in drawn)


def test_important_exercises_are_drawn_more_often(course: list[Record]) -> None:
    vital = [replace(record, exercise=replace(record.exercise, importance=5 if record.exercise.group == "b" else 1)) for record in course]
    first = Counter(draw_tasks(vital, 5, 1, seed)[0].exercise.group for seed in range(200))
    assert set(first) == {"a", "b", "c"} and first["b"] > 2 * first["a"] and first["b"] > 2 * first["c"]


def test_a_seed_repeats_its_draw(course: list[Record]) -> None:
    draws = [tuple(slugs(draw_tasks(course, 30, 4, seed))) for seed in range(20)]
    assert draws == [tuple(slugs(draw_tasks(course, 30, 4, seed))) for seed in range(20)] and len(set(draws)) > 5


def test_tasks_respect_the_level_and_are_distinct(course: list[Record]) -> None:
    drawn = slugs(draw_tasks(course, 240, 2, seed=1))
    assert sorted(drawn) == ["a1", "a2", "b1", "b2", "c1", "c2"]
    assert draw_tasks(course, 4, 4, seed=1) == []


@pytest.mark.parametrize("seed", range(10))
def test_exercises_that_have_not_passed_come_first(course: list[Record], seed: int) -> None:
    passed = [replace(record, attempts=(PASSED,)) if record.exercise.group != "b" else record for record in course]
    assert {slug[0] for slug in slugs(draw_tasks(passed, 30, 4, seed))} == {"b"}
    assert draw_tasks([replace(record, attempts=(PASSED,)) for record in course], 30, 4, seed) != []


@pytest.mark.parametrize("seed", range(10))
def test_an_open_prerequisite_shuts_nothing_out(course: list[Record], seed: int) -> None:
    waiting = [replace(record, before=("x",)) if record.exercise.group != "c" else record for record in course]
    assert slugs(draw_tasks(waiting, 60, 4, seed)) == slugs(draw_tasks(course, 60, 4, seed))


def test_a_new_workspace_is_asked_for_what_interviews_ask() -> None:
    new = records(Course.find(None), None)
    for minutes in (24, 48):  # without the questions of 30 and of 60 minutes
        drawn = Counter(record.exercise.slug for seed in range(100) for record in draw_tasks(new, minutes, 4, seed))
        assert min(drawn[slug] for slug in ("layer_norm", "rms_norm", "batch_norm", "cross_entropy", "softmax_backward")) >= 4
        important = sum(count for slug, count in drawn.items() if importance_of(new)[slug] >= 4)
        assert important > drawn.total() / 2


def test_questions_come_from_important_exercises() -> None:
    new = records(Course.find(None), None)
    importance = importance_of(new)
    asked = [importance[slug] for seed in range(100) for slug, _number in draw_questions(new, dict.fromkeys(importance, 4), [], 3, 4, seed)]
    assert asked.count(5) > asked.count(1) + asked.count(2)


def importance_of(found: list[Record]) -> dict[str, int]:
    return {record.exercise.slug: record.exercise.importance for record in found}


@pytest.mark.parametrize("seed", range(10))
def test_parts_are_mixed(course: list[Record], seed: int) -> None:
    groups = Counter(slug[0] for slug in slugs(draw_tasks(course, 60, 2, seed)))
    assert len(groups) == 3 and max(groups.values()) <= 2


def test_questions_prefer_new_ones_of_many_exercises(course: list[Record]) -> None:
    known = {record.exercise.slug: 3 for record in course}
    drawn = draw_questions(course, known, [], 3, 4, seed=5)
    assert len({slug[0] for slug, _number in drawn}) == 3 and all(1 <= number <= 3 for _slug, number in drawn)
    assert drawn == draw_questions(course, known, [], 3, 4, seed=5)
    asked = [(slug, number) for slug in known for number in (1, 2, 3) if (slug, number) != ("b2", 2)]
    assert draw_questions(course, known, asked, 1, 4, seed=5) == [("b2", 2)]
    assert {slug[1] for slug, _number in draw_questions(course, known, [], 9, 1, seed=5)} == {"1"}
    assert len(draw_questions(course, {"a1": 2}, [], 9, 4, seed=5)) == 2 and draw_questions(course, known, [], 0, 4, seed=5) == []


def test_questions_take_a_fifth_of_the_time() -> None:
    assert [questions_for(minutes) for minutes in (5, 10, 30, 45)] == [0, 1, 3, 4]


def test_the_time_left_stays_within_its_limits() -> None:
    interview = Interview(NOW, 30, 0, "x")
    minutes = [interview.left(NOW + timedelta(minutes=passed)) // timedelta(minutes=1) for passed in (-60, 0, 29, 30, 99)]
    assert minutes == [30, 30, 1, 0, 0]
    assert not interview.is_over(NOW + timedelta(minutes=29)) and interview.is_over(NOW + timedelta(minutes=30))


def test_points_and_marks_are_summed() -> None:
    asked = Asked("a", 1, "yes", 2), Asked("a", 2, "no", 0), Asked("b", 1, "so"), Asked("b", 2)
    interview = Interview(NOW, 30, 0, "x", (Task("a", 5, 8), Task("b", 0, 10)), asked)
    assert (interview.earned(), interview.marks(), interview.slugs) == ((5, 18), (2, 8), frozenset({"a", "b"}))
    assert [each.unmarked for each in asked] == [False, False, True, False]
