"""The lines after an exercise has passed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import wrap

import pytest

from normgrade.course.course import Course
from normgrade.learner.attempts import Attempt
from normgrade.learner.standing import advice, attempts_of, records
from normgrade.learner.watch.after_pass import after_pass
from normgrade.learner.workspace import Workspace, find_course, new_workspace
from normgrade.report.report import Outcome

NOW = datetime(2026, 3, 1, 9, 5, 7, tzinfo=UTC)
WAY = "Another right way: `normgrade solution rms einsum`"
QUESTION = "An interview may ask: Why is eps inside the root?"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return new_workspace(tmp_path / "norms")


def tried(workspace: Workspace, exercise: str, *mistakes: tuple[str, ...], passed: bool = True) -> None:
    """Record a failed attempt for each tuple of mistakes, and then one that passed."""
    failed = [Attempt(NOW + timedelta(minutes=n), exercise, Outcome.FAILED, 3, 8, names) for n, names in enumerate(mistakes)]
    attempts_of(workspace).add([*failed, Attempt(NOW + timedelta(hours=1), exercise, Outcome.PASSED, 8, 8)][: len(failed) + passed])


def test_a_pass_tells_its_history_and_the_next_exercise(tiny: Course, workspace: Workspace) -> None:
    tried(workspace, "rms", ("sum-for-mean", "eps-missing"), ("sum-for-mean",))
    went, *others = after_pass(tiny, tiny.exercise("rms"), workspace)
    assert went == "Passed after 3 attempts. Fixed: sum-for-mean, eps-missing."
    assert others == [WAY, QUESTION, advice(records(tiny, workspace), brief=True)]


def test_missing_information_gets_no_line(tiny: Course, workspace: Workspace) -> None:
    rms, following = tiny.exercise("rms"), advice(records(tiny, workspace), brief=True)
    assert after_pass(tiny, rms, workspace) == [QUESTION, following]  # a file outside the workspace has no attempts
    tried(workspace, "rms")
    assert after_pass(tiny, rms, workspace)[0] == "Passed at the first attempt."
    tried(workspace, "centring")
    assert len(after_pass(tiny, tiny.exercise("centring"), workspace)) == 3  # its prompt has no questions


def test_many_mistakes_are_counted(tiny: Course, workspace: Workspace) -> None:
    tried(workspace, "rms", tuple(f"a-mistake-of-{n}-words" for n in range(9)))
    assert after_pass(tiny, tiny.exercise("rms"), workspace)[0] == ("Passed after 2 attempts. Fixed: a-mistake-of-0-words, and 8 more.")


def test_every_exercise_is_told_in_five_lines(workspace: Workspace) -> None:
    course = find_course(None)
    for last, exercise in enumerate(course):
        tried(workspace, exercise.slug, ("a", "b"))
        said = after_pass(course, exercise, workspace)
        assert sum(len(wrap(line, 80)) for line in said) <= 5, (last, said)
        assert len(said) == 4 and "solution" in said[1] and said[2].endswith(("?", ".")), said


def test_a_second_pass_shows_another_solution(workspace: Workspace) -> None:
    course = find_course(None)
    exercise, said = course.exercise("layer_norm"), []
    for _again in range(2):
        tried(workspace, "layer_norm")
        went, *others = after_pass(course, exercise, workspace)
        said.append(others[:2])
        assert went == "Passed at the first attempt."
    assert not {*said[0]} & {*said[1]}
