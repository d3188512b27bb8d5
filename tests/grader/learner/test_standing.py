"""The standing of a learner, and the advice about the next exercise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from normgrade.course.course import Course
from normgrade.learner.attempts import Attempt
from normgrade.learner.standing import (
    Record,
    advice,
    attempts_of,
    frequent_mistakes,
    made_anew,
    next_after,
    next_record,
    others_open,
    records,
)
from normgrade.learner.workspace import new_workspace
from normgrade.report.report import Outcome

NOW = datetime(2026, 3, 1, 9, 5, 7, tzinfo=UTC)


def attempt(exercise: str = "rms", earned: int = 3, possible: int = 8, minutes: int = 0, mistakes: tuple[str, ...] = ()) -> Attempt:
    outcome = Outcome.PASSED if earned == possible else Outcome.FAILED
    return Attempt(NOW + timedelta(minutes=minutes), exercise, outcome, earned, possible, mistakes, "test_a", "Look.", "ab12")


def record(course: Course, slug: str, *attempts: Attempt, started: bool = False) -> Record:
    return Record(course.exercise(slug), attempts, started, rank=[each.slug for each in course].index(slug))


def test_a_standing_is_the_best_of_all_attempts(tiny: Course) -> None:
    assert record(tiny, "rms").standing == "not started" and record(tiny, "rms", started=True).standing == "started"
    assert record(tiny, "rms", attempt(earned=5), attempt(earned=2)).standing == "best 5/8"
    assert record(tiny, "rms", attempt(earned=8), attempt(earned=2)).standing == "passed"


def test_last_tried_then_started_then_easiest_comes_next(tiny: Course) -> None:
    rms, centring = record(tiny, "rms"), record(tiny, "centring")
    levels = sorted((rms, centring), key=lambda each: (each.exercise.level, each.exercise.order))
    assert next_record([rms, centring]) == next_record([centring, rms]) == levels[0]
    started = record(tiny, levels[1].exercise.slug, started=True)
    assert next_record([levels[0], started]) == started
    tried = [record(tiny, "rms", attempt(minutes=2)), record(tiny, "centring", attempt("centring", minutes=1))]
    assert next_record(tried) == tried[0]
    assert next_record([record(tiny, "rms", attempt(earned=8))]) is None


def test_an_exercise_waits_for_its_predecessors(tiny: Course) -> None:
    rms, centring = record(tiny, "rms"), record(tiny, "centring")
    waiting = replace(rms, before=("centring",))
    assert next_record([waiting, centring]) == centring  # though its level is higher
    assert next_record([replace(waiting, started=True), centring]) == replace(waiting, started=True)  # advice, not a lock
    assert others_open([waiting, centring]) == [] and others_open([rms, centring]) == [centring]
    assert others_open([record(tiny, "rms", attempt(earned=8)), centring]) == []


def test_a_passed_predecessor_is_not_waited_for(edited_course: Callable[..., Course], tmp_path: Path) -> None:
    course = edited_course({"exercises/centring/exercise.toml": [("order = 20\n", 'order = 20\nafter = ["rms"]\n')]})
    workspace = new_workspace(tmp_path / "norms")
    assert [each.before for each in records(course, workspace)] == [(), ("rms",)]
    attempts_of(workspace).add([attempt(earned=8)])
    assert [each.before for each in records(course, workspace)] == [(), ()]
    without = Course(course.root, frozenset({"rms"}))
    assert [each.before for each in records(without, None)] == [()]  # an exercise is not waited for if it is absent


def test_next_prefers_exercises_that_were_not_seen(tiny: Course) -> None:
    rms, centring = tiny.exercise("rms"), tiny.exercise("centring")
    fresh = [record(tiny, "rms"), record(tiny, "centring")]
    assert next_after(fresh, rms, ()) == centring and next_after(fresh, centring, (rms,)) == rms
    other = replace(rms, slug="other", level=3)
    three = [*fresh, Record(other, (), False, rank=2)]
    assert next_after(three, rms, (centring,)) == other  # the easiest one was seen
    passed = [Record(rms, (attempt(earned=8),), True), *three[1:]]
    assert next_after(passed, rms, (centring,)) == centring  # the advice of `normgrade`
    assert next_after(three, other, (rms, centring)) == rms  # all were seen
    assert next_after(passed[:1], rms, ()) is None and next_after([passed[0], fresh[1]], centring, ()) is None


def test_advice_names_the_exercise_and_the_command(tiny: Course) -> None:
    assert advice([record(tiny, "rms")]) == (
        "Next is rms (level 1, Functions). Run `normgrade show rms` to see the task, and write your code in rms.py."
    )
    assert advice([record(tiny, "rms", started=True)]).endswith("which is started. Run `normgrade check rms` to grade it.")
    assert "3 of 8 points at the last check. Run `normgrade hint rms`" in advice([record(tiny, "rms", attempt())])
    assert advice([record(tiny, "rms", attempt(earned=8))]).startswith("All exercises have passed.")


def test_consecutive_repeats_of_a_mistake_count_once(tiny: Course) -> None:
    tried = [attempt(mistakes=mistakes) for mistakes in (("a", "b"), ("b",), ("b",), (), ("b",))]
    assert list(frequent_mistakes([record(tiny, "rms", *tried)]).items()) == [("b", 2), ("a", 1)]


def test_attempts_at_other_exercises_do_not_interrupt_repeats() -> None:
    tried = [attempt("rms", mistakes=("a",)), attempt("centring", mistakes=("a",)), attempt("rms", mistakes=("a",))]
    assert [(each.exercise, name) for each, name in made_anew(tried)] == [("rms", "a"), ("centring", "a")]
