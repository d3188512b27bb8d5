"""The steps after a grading: what is told, what is recorded, and the lines after a pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from textwrap import wrap

import pytest

from normgrade.course.course import Course
from normgrade.grading.grade import Submission
from normgrade.learner.after_check import after_pass, remember, revealed, told
from normgrade.learner.interviews import Interview, held_back, interviews_of
from normgrade.learner.standing import Attempt, Attempts, advice, attempts_of, records
from normgrade.learner.workspace import Workspace, find_course, new_workspace
from normgrade.report.report import Check, Kind, Outcome, Report

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Return the folder in which commands run."""
    return tmp_path


def test_only_files_of_the_workspace_are_recorded(run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    run("init", "norms")
    monkeypatch.chdir(here / "norms")
    assert run("check", "--exercise", "rms", str(tiny.exercise("rms").reference))[0] == 0
    assert Attempts(here / "norms/.normgrade/progress.db").attempts() == []


def test_a_second_look_at_a_file_is_no_attempt(run: Run, here: Path, tiny: Course) -> None:
    run("init", ".")
    wrong = tiny.exercise("rms").reference.read_text(encoding="utf-8").replace("mean", "sum")
    (here / "rms.py").write_text(wrong, encoding="utf-8")
    for command in (("check", "rms"), ("check", "rms", "-v"), ("repro", "rms")):
        run(*command)
    kept = Attempts(here / ".normgrade/progress.db")
    assert [attempt.outcome for attempt in kept.attempts()] == [Outcome.FAILED]
    (here / "rms.py").write_text(f"{wrong}\n", encoding="utf-8")
    run("check", "rms")
    assert len(kept.attempts()) == 2


def test_a_failure_to_record_changes_no_verdict(run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    run("init", ".")
    (here / ".normgrade").write_text("in the way", encoding="utf-8")
    (here / "rms.py").write_bytes(tiny.exercise("rms").reference.read_bytes())
    code, out, err = run("check", "rms")
    assert code == 0 and "8 of 8 points, passed" in out
    assert err.startswith('Note: The attempts in "') and "Traceback" not in err


# Without grading


def of_rms(outcome: Outcome) -> Report:
    checks = (Check("test_rows", "Claim.", Kind.FORMULA, outcome, 8, hint="Look."),)
    return Report("rms", "rms.py", outcome, 8, "linux", 0, 0.1, checks=checks)


@pytest.fixture
def submission(tmp_path: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> Submission:
    """Return a file in a workspace, which is the current folder."""
    (tmp_path / "normgrade.toml").touch()
    monkeypatch.chdir(tmp_path)
    return Submission(tiny.exercise("rms"), tmp_path / "rms.py", "rms.py")


@pytest.mark.parametrize("outcome", [Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.NOT_STARTED])
def test_an_attempt_passes_or_fails(outcome: Outcome, submission: Submission, tmp_path: Path) -> None:
    assert remember([submission], [of_rms(outcome)]) == ""
    recorded = [attempt.outcome for attempt in Attempts(tmp_path / ".normgrade/progress.db").attempts()]
    assert recorded == ([outcome] if outcome in (Outcome.PASSED, Outcome.FAILED) else [])


def test_the_reason_for_a_failed_record_is_returned(submission: Submission, tmp_path: Path) -> None:
    (tmp_path / ".normgrade").write_text("in the way", encoding="utf-8")
    assert remember([submission], [of_rms(Outcome.PASSED)]).startswith('The attempts in "')


def test_nothing_is_recorded_outside_a_workspace(submission: Submission, tmp_path: Path) -> None:
    (tmp_path / "normgrade.toml").unlink()
    assert remember([submission], [of_rms(Outcome.PASSED)]) == ""
    assert not (tmp_path / ".normgrade").exists()


@pytest.mark.parametrize(("asked", "hint"), [("rms", ""), ("centring", "Look.")])
def test_an_interview_hides_help_for_its_own_exercises(asked: str, hint: str, submission: Submission, tmp_path: Path) -> None:
    workspace = Workspace.find()
    assert workspace is not None
    interview = Interview(datetime.now(UTC), 30, "2026-03-01-1", (asked,))
    interviews_of(workspace).begin(interview)
    shown = revealed([submission], [of_rms(Outcome.FAILED)])
    assert shown[0].checks[0].hint == hint
    why = "Failures of rms are not explained during this interview."
    assert held_back(interview, shown) == ("" if hint else why)
    assert held_back(interview, [of_rms(Outcome.PASSED)]) == ""


@pytest.mark.parametrize(("asked", "searching"), [("rms", False), ("centring", True)])
def test_an_interview_does_not_search_for_mistakes(asked: str, searching: bool, submission: Submission) -> None:
    workspace = Workspace.find()
    assert workspace is not None
    interviews_of(workspace).begin(Interview(datetime.now(UTC), 30, "2026-03-01-1", (asked,)))
    assert told(replace(of_rms(Outcome.FAILED), searching=True), submission.exercise).searching is searching


def test_an_attempt_respects_the_reveal_of_the_course(submission: Submission, tmp_path: Path, edited_course: Callable[..., Course]) -> None:
    hidden = Submission(edited_course({"course.toml": 'reveal = "claims"\n'}).exercise("rms"), submission.path, "rms.py")
    [shown] = revealed([hidden], [of_rms(Outcome.FAILED)])
    [attempt] = Attempts(tmp_path / ".normgrade/progress.db").attempts()
    assert shown.checks[0].hint == "" and (attempt.failed, attempt.hint) == ("", "")


# The lines after a pass


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
