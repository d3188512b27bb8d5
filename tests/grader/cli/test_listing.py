"""Tests of `normgrade list` and `normgrade progress`, and of their table."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from normgrade.cli.listing import Column, ago, also_open, print_by_group, scores
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.learner.standing import Attempt, Attempts, Record
from normgrade.report.report import Outcome

COLUMNS = Column("exercise"), Column("points", number=True), Column("last scores", elastic=True), Column("last")


def exercise(slug: str, group: str) -> Exercise:
    return Exercise(slug, Path("course"), title="", group=group, level=1, order=0, points=0, defines=())


def printed(rows: Mapping[Exercise, Sequence[str]], width: int = 80, columns: Sequence[Column] = COLUMNS) -> list[str]:
    out = StringIO()
    print_by_group(Console(file=out, width=width), columns, rows)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_groups_are_in_the_order_of_first_exercises() -> None:
    rows = {
        exercise("layer_norm", "Layers"): ("layer_norm", "20", "3 5", "now"),
        exercise("softmax", "Functions of one tensor"): ("softmax", "5", "", ""),
        exercise("rms_norm", "Layers"): ("rms_norm", "20", "", ""),
    }
    assert printed(rows) == [
        "  exercise    points  last scores  last",
        "",
        "Layers",
        "  layer_norm      20  3 5          now",
        "  rms_norm        20",
        "",
        "Functions of one tensor",
        "  softmax          5",
    ]


def test_elastic_column_shrinks_in_a_narrow_terminal() -> None:
    rows = {
        exercise("a", "First"): ("a", "1", "1 2 3 4 5 6 7 8 9", "1 day ago"),
        exercise("b", "Second"): ("b", "2", "7", "now"),
    }
    assert printed(rows, width=37) == [
        "  exercise  points  last    last",
        "                    scores",
        "",
        "First",
        "  a              1  1 2 3   1 day ago",
        "                    4 5 6",
        "                    7 8 9",
        "",
        "Second",
        "  b              2  7       now",
    ]


def test_chinese_takes_two_columns_each() -> None:
    rows = {exercise("甲", "组"): ("甲", "1", "", "刚刚"), exercise("a", "组"): ("a", "1", "", "now")}
    assert printed(rows)[3:] == ["  甲             1               刚刚", "  a              1               now"]


def test_course_without_exercises_has_only_headings() -> None:
    assert printed({}) == ["  exercise  points  last scores  last"]


def test_spare_columns_are_dropped_without_room() -> None:
    columns = Column("exercise"), Column("level", number=True, spare=2), Column("scores", elastic=True, spare=1), Column("last", spare=3)
    rows = {exercise("layer_norm", "Layers"): ("layer_norm", "1", "3 → 5", "now")}
    kept = {width: printed(rows, width, columns)[0].split() for width in (33, 32, 27, 26, 20, 19)}
    assert kept == {
        33: ["exercise", "level", "scores", "last"],
        32: ["exercise", "level", "scores"],
        27: ["exercise", "level", "scores"],
        26: ["exercise", "scores"],
        20: ["exercise", "scores"],
        19: ["exercise"],
    }


Invoke = Callable[..., subprocess.CompletedProcess[str]]
Put = Callable[..., None]


def test_list_shows_the_exercises_and_the_standing(invoke: Invoke, here: Path, tiny: Course, put: Put) -> None:
    put("rms")
    first = invoke("list")
    shutil.copy(tiny.exercise("centring").stub, here)
    second = invoke("list")
    rows = [" ".join(line.split()) for line in (first.stdout + second.stdout).splitlines()]
    assert (first.returncode, second.returncode) == (0, 0)
    assert rows.count("rms 1 5 3 8 started") == 2
    assert "centring 2 10 3 10 –" in rows and "centring 2 10 3 10 not started" in rows
    assert rows[:6] == ["exercise level minutes importance points status best after", "", "Functions", "rms 1 5 3 8 started", "", "Layers"]


AFTER_RMS = {"exercises/centring/exercise.toml": [("order = 20\n", 'order = 20\nafter = ["rms"]\n')]}


def test_list_shows_prerequisites_and_the_next_exercise(
    run: Callable[..., tuple[int, str, str]], edited_course: Callable[..., Course], tmp_path: Path
) -> None:
    course = str(edited_course(AFTER_RMS).root)
    assert "centring 2 10 3 10 – rms Run `normgrade show SLUG` to see a task" in run("list", "--course", course)[1]
    run("init", ".", "--course", course)
    out = run("list", "--course", course)[1]
    assert "centring 2 10 3 10 not started rms" in out
    assert out.endswith("Next is rms (level 1, Functions). Run `normgrade show rms` to see the task, and write your code in rms.py.")
    Attempts(tmp_path / ".normgrade/progress.db").add([Attempt(datetime.now(UTC), "rms", Outcome.PASSED, 8, 8)])
    out = run("list", "--course", course)[1]
    assert (
        "rms 1 5 3 8 passed" in out
        and "centring 2 10 3 10 not started Run `normgrade" in out
        and "Next is centring (level 2, Layers)" in out
    )


def test_important_exercises_that_fit_are_for_an_hour(invoke: Invoke, edited_course: Callable[..., Course]) -> None:
    """Name them only if not all of them fit."""
    assert "If you have an hour" not in invoke("list").stdout
    long = edited_course({"exercises/rms/exercise.toml": [("order = 10\n", "order = 10\nminutes = 55\nimportance = 5\n")]})
    assert "\nIf you have an hour: rms.\n" in invoke("list", "--course", long.root).stdout


def test_an_hour_begins_with_the_next_exercise(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NORMGRADE_COURSE")
    invoke("init", ".")
    listed, begun = (" ".join(invoke(*command).stdout.split()) for command in (["list"], []))
    assert "If you have an hour: layer_norm, rms_norm, softmax, batch_norm, cross_entropy. " in listed
    assert begun.startswith("Next is layer_norm ") and listed.endswith(begun)


def test_an_unfinished_exercise_stops_nothing_and_is_named(invoke: Invoke, edited_course: Callable[..., Course]) -> None:
    course = edited_course({"exercises/rms/exercise.toml": "level = "})
    (course.root / "exercises" / "my draft").mkdir()
    said = invoke("list", "--course", course.root)
    assert said.returncode == 0 and "centring" in said.stdout and "rms" not in said.stdout
    assert said.stderr.splitlines() == [
        f'Warning: "my draft" is skipped. {course.root}/exercises/my draft: it has no file exercise.toml. '
        f"Run `normgrade verify 'my draft' --course {course.root}` to see what is missing.",
        'Warning: "rms" is skipped. '
        f"{course.root}/exercises/rms/exercise.toml: not valid TOML: Invalid value (at end of document). "
        f"Run `normgrade verify rms --course {course.root}` to see what is missing.",
    ]


def test_course_without_a_ready_exercise_is_told(run: Callable[..., tuple[int, str, str]]) -> None:
    run("new", "my_norm", "MyNorm(dim)", "--course", "mine")
    code, out, err = run("list", "--course", "mine")
    assert (code, out) == (0, "No exercise of this course is ready. Run `normgrade verify --course mine` to see what is missing.")
    assert err.startswith('Warning: "my_norm" is skipped. ')


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
    many = opened(tiny, *[()] * 11, ("e0",), ("e1",))
    assert many == [
        "You can also do e1, e2, e3, e4, e5, e6, e7, e8, and 2 more.",
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
