"""What was tried is kept: all of it or nothing, read back as it was, and never lost to a file that cannot be used."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.language.errors import UsageError
from normgrade.learner.attempts import Attempt, Progress
from normgrade.learner.standing import Record, advice, frequent_mistakes, next_after, next_record
from normgrade.report.report import Check, Diagnosis, Kind, Outcome, Report

NOW = datetime(2026, 3, 1, 9, 5, 7, tzinfo=UTC)


def attempt(exercise: str = "rms", earned: int = 3, possible: int = 8, minutes: int = 0, mistakes: tuple[str, ...] = ()) -> Attempt:
    outcome = Outcome.PASSED if earned == possible else Outcome.FAILED
    return Attempt(NOW + timedelta(minutes=minutes), exercise, outcome, earned, possible, mistakes, ("Look.",), "ab12")


@pytest.fixture
def progress(tmp_path: Path) -> Progress:
    return Progress(tmp_path / "kept" / "progress.db")


def test_what_was_kept_is_read_back_in_its_order(progress: Progress) -> None:
    tried = [attempt(minutes=1, mistakes=("σ-of-all",)), attempt("centring"), attempt(earned=8, minutes=2)]
    progress.add(tried[:2])
    progress.add(tried[2:])
    assert progress.attempts() == tried and progress.attempts("rms") == [tried[0], tried[2]]


def test_where_nothing_was_kept_nothing_is_made(progress: Progress) -> None:
    assert progress.attempts() == [] and progress.given("rms") == set()
    assert not progress.path.exists()


def test_an_attempt_is_what_the_report_says() -> None:
    checks = (
        Check("test_a", "A.", Kind.FORMULA, Outcome.FAILED, 2, hint="First."),
        Check("test_b", "B.", Kind.FORMULA, Outcome.PASSED, 3, hint="Not this."),
        Check("test_c", "C.", Kind.FORMULA, Outcome.SKIPPED, 3, hint="Nor this."),
        Check("test_d", "D.", Kind.FORMULA, Outcome.FAILED, 1, hint="First."),
    )
    diagnoses = (Diagnosis(("one", "two"), "…", ()), Diagnosis(("two",), "…", ()))
    report = Report("rms", "rms.py", Outcome.FAILED, 9, "linux", 0, 0.1, diagnoses=diagnoses, checks=checks)
    assert Attempt.of(replace(report, digest="ab12"), NOW) == Attempt(NOW, "rms", Outcome.FAILED, 3, 9, ("one", "two"), ("First.",), "ab12")


def test_hints_are_given_once(progress: Progress) -> None:
    for _ in range(2):
        progress.give("rms", "Look.", NOW)
    assert progress.given("rms") == {"Look."} and progress.given("centring") == set()


def test_several_at_once_lose_nothing(progress: Progress) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: progress.add([attempt(minutes=number)]), range(40)))
    assert len(progress.attempts()) == 40


def test_all_or_nothing(progress: Progress) -> None:
    progress.add([attempt()])
    broken = Attempt(NOW, "rms", Outcome.FAILED, 1, 8, digest=None)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="NOT NULL"):
        progress.add([attempt(), broken])
    assert progress.attempts() == [attempt()]


@pytest.mark.parametrize("use", ["add", "attempts", "give"])
def test_a_file_that_is_something_else_is_left_as_it_is(use: str, progress: Progress) -> None:
    progress.path.parent.mkdir()
    progress.path.write_bytes(b"not a database, but somebody's notes" * 100)
    with pytest.raises(UsageError) as refused:
        if use == "add":
            progress.add([attempt()])
        elif use == "give":
            progress.give("rms", "x", NOW)
        else:
            progress.attempts()
    why = "(file is not a database). Free the file, or move it away to begin anew."
    assert str(refused.value) == f'What was tried cannot be kept in "{progress.path}" {why}'
    assert progress.path.read_bytes().startswith(b"not a database")


def test_a_newer_file_is_left_to_newer_programs(progress: Progress) -> None:
    progress.add([attempt()])
    with sqlite3.connect(progress.path) as database:
        database.execute("PRAGMA user_version = 7")
    database.close()
    with pytest.raises(UsageError, match=r'progress\.db" was written by a newer normgrade \(version 7\)\. Update normgrade, or move'):
        progress.attempts()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match=r'cannot be kept in ".*file.progress\.db"'):
        Progress(tmp_path / "file" / "progress.db").add([attempt()])


# What to do next


def record(course: Course, slug: str, *attempts: Attempt, started: bool = False) -> Record:
    return Record(course.exercise(slug), attempts, started)


def test_a_standing_is_the_best_of_all_attempts(tiny: Course) -> None:
    assert record(tiny, "rms").standing == "not started" and record(tiny, "rms", started=True).standing == "started"
    assert record(tiny, "rms", attempt(earned=5), attempt(earned=2)).standing == "best 5/8"
    assert record(tiny, "rms", attempt(earned=8), attempt(earned=2)).standing == "passed"


def test_what_was_tried_last_comes_first_then_what_is_started_then_the_easiest(tiny: Course) -> None:
    rms, centring = record(tiny, "rms"), record(tiny, "centring")
    levels = sorted((rms, centring), key=lambda each: (each.exercise.level, each.exercise.order))
    assert next_record([rms, centring]) == next_record([centring, rms]) == levels[0]
    started = record(tiny, levels[1].exercise.slug, started=True)
    assert next_record([levels[0], started]) == started
    tried = [record(tiny, "rms", attempt(minutes=2)), record(tiny, "centring", attempt("centring", minutes=1))]
    assert next_record(tried) == tried[0]
    assert next_record([record(tiny, "rms", attempt(earned=8))]) is None


def test_after_an_exercise_comes_what_is_next_anyway_or_what_nobody_has_seen_yet(tiny: Course) -> None:
    rms, centring = tiny.exercise("rms"), tiny.exercise("centring")
    fresh = [record(tiny, "rms"), record(tiny, "centring")]
    assert next_after(fresh, rms, ()) == centring and next_after(fresh, centring, (rms,)) == rms
    other = replace(rms, slug="other", level=3)
    three = [*fresh, Record(other, (), False)]
    assert next_after(three, rms, (centring,)) == other  # the easiest was seen
    passed = [Record(rms, (attempt(earned=8),), True), *three[1:]]
    assert next_after(passed, rms, (centring,)) == centring  # what `normgrade` says
    assert next_after(three, other, (rms, centring)) == rms  # all were
    assert next_after(passed[:1], rms, ()) is None and next_after([passed[0], fresh[1]], centring, ()) is None


def test_advice_names_the_exercise_and_the_command(tiny: Course) -> None:
    assert advice([record(tiny, "rms")]) == (
        "Next is rms (level 1, Functions): `normgrade show rms` shows the task, and rms.py is where your code goes."
    )
    assert advice([record(tiny, "rms", started=True)]).endswith("which is started: `normgrade check rms` grades it.")
    assert "3 of 8 points at the last check. `normgrade hint rms`" in advice([record(tiny, "rms", attempt())])
    assert advice([record(tiny, "rms", attempt(earned=8))]).startswith("Everything has passed.")


def test_mistakes_are_counted(tiny: Course) -> None:
    tried = (attempt(mistakes=("a", "b")), attempt(mistakes=("b",)))
    assert list(frequent_mistakes([record(tiny, "rms", *tried)]).items()) == [("b", 2), ("a", 1)]
