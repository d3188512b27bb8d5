"""Tests of the attempts in their file, of the standing that follows from them, and of the next step."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.language.errors import UsageError
from normgrade.learner.standing import (
    Attempt,
    Attempts,
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
from normgrade.report.report import Check, Diagnosis, Kind, Outcome, Report

NOW = datetime(2026, 3, 1, 9, 5, 7, tzinfo=UTC)


def attempt(exercise: str = "rms", earned: int = 3, possible: int = 8, minutes: int = 0, mistakes: tuple[str, ...] = ()) -> Attempt:
    outcome = Outcome.PASSED if earned == possible else Outcome.FAILED
    return Attempt(NOW + timedelta(minutes=minutes), exercise, outcome, earned, possible, mistakes, "test_a", "Look.", f"ab{minutes}")


@pytest.fixture
def kept(tmp_path: Path) -> Attempts:
    return Attempts(tmp_path / "kept" / "progress.db")


def test_attempts_are_read_back_in_order(kept: Attempts) -> None:
    tried = [attempt(minutes=1, mistakes=("σ-of-all",)), attempt("centring"), attempt(earned=8, minutes=2)]
    kept.add(tried[:2])
    kept.add(tried[2:])
    assert kept.attempts() == tried and kept.attempts("rms") == [tried[0], tried[2]]


def test_grading_the_same_file_again_is_no_new_attempt(kept: Attempts) -> None:
    first, again = attempt(), replace(attempt(earned=4, mistakes=("σ-of-all",)), at=NOW + timedelta(hours=1))
    kept.add([first, attempt("centring")])
    kept.add([again])
    assert kept.attempts("rms") == [again]
    passed = attempt(earned=8, minutes=1)
    kept.add([passed, replace(passed, outcome=Outcome.FAILED, earned=7)])  # other inputs, say: the file has passed all the same
    assert kept.attempts("rms")[1] == passed and len(kept.attempts("rms")) == 3
    kept.add([again])
    assert len(kept.attempts("rms")) == 4  # the earlier file, saved again


def test_reading_makes_no_file(kept: Attempts) -> None:
    assert kept.attempts() == [] and kept.given("rms") == set()
    assert not kept.path.exists()


def test_an_attempt_is_made_from_a_report() -> None:
    checks = (
        Check("test_b", "B.", Kind.FORMULA, Outcome.PASSED, 3, hint="Not this."),
        Check("test_a[shape0]", "A.", Kind.FORMULA, Outcome.FAILED, 2, hint="First."),
        Check("test_c", "C.", Kind.FORMULA, Outcome.SKIPPED, 3, hint="Nor this."),
        Check("test_d", "D.", Kind.FORMULA, Outcome.FAILED, 1, hint="First."),
    )
    diagnoses = (Diagnosis(("one", "two"), "…", ()), Diagnosis(("two",), "…", ()))
    report = Report("rms", "rms.py", Outcome.FAILED, 9, "linux", 0, 0.1, diagnoses=diagnoses, checks=checks)
    assert Attempt.of(replace(report, digest="ab12"), NOW) == Attempt(
        NOW, "rms", Outcome.FAILED, 3, 9, ("one", "two"), "test_a", "First.", "ab12"
    )


@pytest.mark.parametrize("checks", [(), (Check("test_a", "A.", Kind.FORMULA, Outcome.FAILED, 9),)])
def test_an_attempt_without_a_hint_names_no_check(checks: tuple[Check, ...]) -> None:
    attempt = Attempt.of(Report("rms", "rms.py", Outcome.FAILED, 9, "linux", 0, 0.1, checks=checks), NOW)
    assert (attempt.failed, attempt.hint) == ("", "")


def test_hints_are_given_once(kept: Attempts) -> None:
    for _ in range(2):
        kept.give("rms", ["hint:1", "check:test_a"], NOW)
    assert kept.given("rms") == {"hint:1", "check:test_a"} and kept.given("centring") == set()


def test_concurrent_writes_lose_nothing(kept: Attempts) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: kept.add([attempt(minutes=number)]), range(40)))
    assert len(kept.attempts()) == 40


def test_attempts_are_added_all_or_none(kept: Attempts) -> None:
    kept.add([attempt()])
    broken = Attempt(NOW, "rms", Outcome.FAILED, 1, 8, digest=None)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="NOT NULL"):
        kept.add([attempt(), broken])
    assert kept.attempts() == [attempt()]


@pytest.mark.parametrize("use", ["add", "attempts", "give"])
def test_a_foreign_file_is_unchanged(use: str, kept: Attempts) -> None:
    kept.path.parent.mkdir()
    kept.path.write_bytes(b"not a database, but somebody's notes" * 100)
    with pytest.raises(UsageError) as refused:
        if use == "add":
            kept.add([attempt()])
        elif use == "give":
            kept.give("rms", ["x"], NOW)
        else:
            kept.attempts()
    why = "cannot be read or written (file is not a database). Unlock or repair the file, or move it away to start again."
    assert str(refused.value) == f'The attempts in "{kept.path}" {why}'
    assert kept.path.read_bytes().startswith(b"not a database")


def test_a_newer_file_is_refused(kept: Attempts) -> None:
    kept.add([attempt()])
    with sqlite3.connect(kept.path) as database:
        database.execute("PRAGMA user_version = 7")
    database.close()
    with pytest.raises(UsageError, match=r'progress\.db" was written by a newer normgrade \(version 7\)\. Update normgrade, or move'):
        kept.attempts()


def test_an_empty_file_has_no_attempts(kept: Attempts) -> None:
    kept.path.parent.mkdir(exist_ok=True)
    kept.path.touch()
    assert kept.attempts() == []
    kept.add([attempt()])
    assert kept.attempts() == [attempt()]


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r'".*file.progress\.db" cannot be read or written'):
        Attempts(tmp_path / "file" / "progress.db").add([attempt()])


def test_forged_tables_are_refused(kept: Attempts) -> None:
    kept.add([attempt()])
    with closing(sqlite3.connect(kept.path)) as database, database:
        database.executescript("ALTER TABLE hints RENAME TO others; CREATE VIEW hints AS SELECT exercise, hint, at FROM others")
    with pytest.raises(UsageError, match="its tables are not those of normgrade"):
        kept.given("rms")


def test_a_passed_attempt_has_no_hint_of_a_courtesy() -> None:
    asked = Check("test_a", "A.", Kind.EDGE, Outcome.FAILED, 1, hint="Raise a ValueError.", courtesy=True)
    attempt = Attempt.of(Report("rms", "rms.py", Outcome.PASSED, 9, "linux", 0, 0.1, checks=(asked,)), NOW)
    assert (attempt.passed, attempt.failed, attempt.hint) == (True, "", "")


# The standing


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
