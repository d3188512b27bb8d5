"""Tests of the command `explain`: both examples of a mistake, and the choice of the exercise."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.learner.standing import Attempt, Attempts
from normgrade.report.report import BUILT_IN, Outcome

Run = Callable[..., tuple[int, str, str]]


def test_explain_shows_both_examples(run: Run) -> None:
    code, out, err = run("explain", "one-for-all-rows")
    assert (code, err) == (0, "")
    assert out.startswith("one-for-all-rows · rms ") and "It shows here: Every row is divided by its own root mean square." in out
    assert "at right wrong off by allowed" in out and "It hides here: " in out


def test_unreadable_mistakes_do_not_stop_others(run: Run, edited_course: Callable[..., Course]) -> None:
    course = edited_course({"solutions/rms/mistakes.toml": "mistake = "})
    code, out, err = run("explain", "momentum-flipped", "--course", str(course.root))
    assert code == 0 and out.startswith("momentum-flipped · centring ")
    assert err.startswith(f'Warning: "rms" is skipped. {course.root}/solutions/rms/mistakes.toml: not valid TOML: ')


def test_unknown_mistake_is_named_with_the_nearest(run: Run) -> None:
    code, out, err = run("explain", "one-for-all-row")
    assert (code, out) == (2, "")
    assert err == 'Error: No mistake named "one-for-all-row". Did you mean "one-for-all-rows"? Use a name from a diagnosis.'


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_name_of_a_report_is_explained(name: str, run: Run) -> None:
    code, out, err = run("explain", name, "--exercise", "rms")
    assert (code, err) == (0, "") and out.startswith(f"{name} ") and len(out) > 80


def test_a_general_name_is_suggested(run: Run) -> None:
    assert 'Did you mean "half-precision"?' in run("explain", "half-precison")[2]


def test_own_mistakes_are_listed_without_a_name(run: Run, tmp_path: Path) -> None:
    nothing = (
        "No mistakes are recorded here yet. Run `normgrade check` to find mistakes, and `normgrade explain MISTAKE` to see one in numbers."
    )
    assert run("explain") == (0, nothing, "")
    run("init", ".")
    assert run("explain") == (0, nothing, "")
    made = [("rms", "sum-for-mean", 3), ("centring", "momentum-flipped", 2), ("gone", "a", 1)]
    now = datetime.now(UTC)
    tried = [Attempt(now - timedelta(days=days), slug, Outcome.FAILED, 1, 10, (name,)) for slug, name, days in made]
    Attempts(tmp_path / ".normgrade" / "progress.db").add(tried)
    assert run("explain") == (
        0,
        "Your mistakes, latest first: normgrade explain momentum-flipped --exercise centring made once, 2 days "
        "ago normgrade explain sum-for-mean --exercise rms made once, 3 days ago",
        "",
    )
    assert "momentum-flipped" not in run("explain", "--exercise", "rms")[1]
    assert run("explain", "--exercise", "rsm")[0] == 2


def test_mistakes_that_are_not_listed_are_counted(run: Run, tmp_path: Path) -> None:
    run("init", ".")
    tried = [Attempt(datetime.now(UTC), "rms", Outcome.FAILED, 1, 10, (f"mistake-{number}",)) for number in range(10)]
    Attempts(tmp_path / ".normgrade" / "progress.db").add(tried)
    assert run("explain")[1].endswith(" and 2 more; use --exercise SLUG to see them")


@pytest.mark.parametrize("level", ["claims", "score"])
def test_a_course_that_reveals_less_keeps_its_numbers(level: str, run: Run, edited_course: Callable[..., Course]) -> None:
    course = edited_course({"course.toml": f'reveal = "{level}"\n'})
    code, _, err = run("explain", "one-for-all-rows", "--course", str(course.root))
    assert code == 2 and err == f'Error: The course does not reveal the numbers of rms: its setting `reveal` is "{level}", not "full".'


def test_exercise_of_the_last_attempt_is_preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from normgrade.cli.explain import preferred

    monkeypatch.chdir(tmp_path)
    course = Course(Path(__file__).parents[1] / "fixtures" / "courses" / "tiny")
    assert preferred(course, ["rms", "centring"], "x") == "rms"
    (tmp_path / "normgrade.toml").touch()
    assert preferred(course, ["rms", "centring"], "x") == "rms"
    made = Attempt(datetime.now(UTC), "centring", Outcome.FAILED, 1, 10, ("x",))
    Attempts(tmp_path / ".normgrade" / "progress.db").add([made])
    assert preferred(course, ["rms", "centring"], "x") == "centring"
