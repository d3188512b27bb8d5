"""Tests of `normgrade review` and `normgrade interview`: questions about mistakes, and exercises against the clock."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from normgrade.cli import practice
from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.learner.interviews import Interviews, Reviews
from normgrade.learner.standing import Attempt, Attempts
from normgrade.report.report import Outcome

# Review


Run = Callable[..., tuple[int, str, str]]
DAY = timedelta(days=1)
PASSED = "rms: a right answer with one mistake in it (you made it "


@pytest.fixture
def kept(run: Run, tmp_path: Path) -> Attempts:
    run("init", ".")
    return Attempts(tmp_path / ".normgrade/progress.db")


def make(kept: Attempts, days_ago: float, *mistakes: str, passed: bool = True) -> None:
    """Add an attempt with these mistakes and, if `passed`, a right answer a second later."""
    at = datetime.now(UTC) - days_ago * DAY
    kept.add([Attempt(at, "rms", Outcome.FAILED, 3, 8, mistakes)])
    if passed:
        kept.add([Attempt(at + timedelta(seconds=1), "rms", Outcome.PASSED, 8, 8)])


def test_due_question_is_answered_without_a_terminal(run: Run, kept: Attempts) -> None:
    make(kept, 2, "sum-for-mean")
    code, out, err = run("review")
    assert (code, err) == (0, "") and out.startswith(f"{PASSED}once, 2 days ago).")
    assert "sum-for-mean: The squares are added up. Average them." in out and "def rms(" in out and "Which line" not in out
    assert Reviews(kept).all() == []


def test_answers_are_kept_and_decide_when_it_comes_back(run: Run, kept: Attempts, monkeypatch: pytest.MonkeyPatch) -> None:
    make(kept, 4, "sum-for-mean")
    make(kept, 2, "sum-for-mean")
    line = run("review")[1].partition(" Line ")[2].partition(".")[0]
    monkeypatch.setattr("normgrade.cli.practice.somebody_is_there", lambda: True)
    for typed, said in (("x", "✗ Wrong, it is another line."), (line, "✓ Correct.")):
        monkeypatch.setattr("builtins.input", lambda prompt, typed=typed: typed)
        out = run("review", "--all")[1]
        assert out.startswith(f"{PASSED}2 times, the last time 2 days ago).") and f"{said} Line {line}. sum-for-mean" in out
    assert [review.knew for review in Reviews(kept).all()] == [False, True]
    assert run("review")[1] == "Nothing is due: the next review is in 3 days. Run `normgrade review --all` to review now."


def test_nothing_is_due_within_a_day(run: Run, kept: Attempts) -> None:
    make(kept, 0.9, "sum-for-mean")
    assert run("review")[1] == "Nothing is due: the next review is in 3 hours. Run `normgrade review --all` to review now."


@pytest.mark.parametrize(("mistakes", "passed"), [((), True), (("sum-for-mean",), False), (("gone",), True)])
def test_there_may_be_nothing_to_review(run: Run, kept: Attempts, mistakes: tuple[str, ...], passed: bool) -> None:
    make(kept, 5, *mistakes, passed=passed)
    assert run("review")[:2] == (0, "Nothing to review: no mistakes were found in exercises that have passed.")


def test_interrupt_adds_no_answer(run: Run, kept: Attempts, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(prompt: str) -> str:
        raise KeyboardInterrupt

    make(kept, 5, "sum-for-mean")
    monkeypatch.setattr("normgrade.cli.practice.somebody_is_there", lambda: True)
    monkeypatch.setattr("builtins.input", interrupted)
    code, _out, err = run("review")
    assert (code, err) == (130, "Error: Interrupted before it was done.") and Reviews(kept).all() == []


def test_one_is_asked_at_a_time(run: Run, kept: Attempts) -> None:
    make(kept, 5, "sum-for-mean", "eps-outside-root")
    assert run("review")[1].endswith("1 more mistake is due for review.")


def test_the_end_of_the_input_is_a_wrong_answer(run: Run, kept: Attempts, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(prompt: str) -> str:
        raise EOFError

    make(kept, 5, "sum-for-mean")
    monkeypatch.setattr("normgrade.cli.practice.somebody_is_there", lambda: True)
    monkeypatch.setattr("builtins.input", ended)
    assert "✗ Wrong" in run("review")[1]


def test_review_waits_while_an_interview_runs(run: Run, kept: Attempts) -> None:
    run("interview")
    assert run("review")[2].startswith("Error: `normgrade review` is not available during an interview. ")


def test_review_needs_a_workspace(run: Run, tmp_path: Path) -> None:
    said = f'Error: "{tmp_path}" is not in a workspace. Run `normgrade init` to create one, or go to your workspace.'
    assert run("review") == (2, "", said)


# Interview


@pytest.fixture
def begun(run: Run, tmp_path: Path) -> Path:
    """Begin an interview, and return its folder."""
    run("init", ".")
    assert run("interview")[::2] == (0, "")
    [folder] = (tmp_path / "interviews").iterdir()
    return folder


@pytest.fixture
def interviews(tmp_path: Path) -> Interviews:
    return Interviews(Attempts(tmp_path / ".normgrade/progress.db"))


def wrong(course: Course) -> str:
    [mistake] = [each for each in read_mistakes(course.exercise("rms")) if each.name == "sum-for-mean"]
    return mistake.source


def grow_late(interviews: Interviews) -> None:
    """Move the beginning of the running interview so far back that its time is over."""
    running = interviews.running()
    assert running is not None
    interviews.keep(replace(running, begun=running.begun - timedelta(minutes=31)))


def test_interview_tells_tasks_and_questions(run: Run, begun: Path) -> None:
    code, out, err = run("interview")
    assert (code, err) == (0, "") and out.startswith(f"Interview {begun.name}: 30 of 30 minutes are left, until ")
    assert "Functions rms 1 5 not started Layers centring 2 10 not started" in out
    assert f"Write your code in the files in interviews/{begun.name}." in out
    assert "Question 1 of 1, about rms Why is eps inside the root?" in out and "Because the root of 0 has no slope." not in out
    assert out.endswith("`normgrade interview --end` to end the interview and see the answers.")


def test_check_tells_only_claims_and_the_time(run: Run, begun: Path, tiny: Course, tmp_path: Path) -> None:
    (begun / "rms.py").write_text(wrong(tiny), encoding="utf-8")
    for targets in ((), ("rms",), (f"interviews/{begun.name}/rms.py",)):
        code, out, err = run("check", *targets)
        assert code == 1 and f"interviews/{begun.name}/rms.py 1 of 8 points, not passed" in out and "formula ✗" in out
        assert all(secret not in out for secret in ("sum-for-mean", "numbers differ", "Diagnosis", "normgrade hint", "Average"))
        assert err.startswith(f"Interview {begun.name}: 30 of 30 minutes are left, until ")
        assert err.endswith(" Failures of rms are not explained during this interview.")
    report = json.loads(run("check", "rms", "--format", "json")[1])["reports"][0]
    assert report["diagnoses"] == [] and all(check["differences"] == [] for check in report["checks"])
    assert [attempt.diagnoses for attempt in Attempts(tmp_path / ".normgrade/progress.db").attempts()] == [()]  # of one save
    (tmp_path / "rms.py").write_text(wrong(tiny), encoding="utf-8")
    assert "sum-for-mean" not in run("check", "./rms.py")[1]  # nor of another file in the workspace


@pytest.mark.parametrize(
    "arguments", ["hint rms", "solution rms --spoil", "explain sum-for-mean", "repro rms", "watch rms", "show rms --answers"]
)
def test_commands_that_help_wait(run: Run, begun: Path, arguments: str) -> None:
    code, out, err = run(*arguments.split())
    command = f"normgrade {arguments}" if "--answers" in arguments else f"normgrade {arguments.split()[0]}"
    assert (code, out) == (2, "") and begun.exists()
    wait = f"Error: `{command.replace(' rms', '')}` is not available during an interview. Interview {begun.name}: "
    assert err.startswith(f"{wait}30 of 30 minutes are left, until ") and err.endswith(" Run `normgrade interview` to continue it.")
    run("interview", "--end")
    assert "not available" not in run("show", "rms", "--answers")[2]


def test_other_commands_mention_the_interview(run: Run, begun: Path) -> None:
    assert run("show", "rms")[0] == 0
    running = f"Interview {begun.name}: 30 of 30 minutes are left, until "
    assert running in run("list")[1] and "Next is" not in run("list")[1]
    for command in ((), ("progress",)):
        out = run(*command)[1]
        assert running in out and out.endswith("Run `normgrade interview` to continue it.") and "hint" not in out


def test_the_end_tells_points_mistakes_and_answers(run: Run, begun: Path, tiny: Course, tmp_path: Path) -> None:
    (begun / "rms.py").write_text(wrong(tiny), encoding="utf-8")
    code, out, err = run("interview", "--end")
    assert (code, err) == (0, "") and out.startswith(f"Interview {begun.name} is over: 0 of 30 minutes used.")
    assert "rms 1 4/8 not passed" in out and "centring 2 0/10 not started" in out and "too late" not in out
    assert "Diagnosis" in out and "The squares are added up. Average them." in out
    assert f"Run `normgrade check interviews/{begun.name}/rms.py` to see the failures in numbers." in out
    assert "Question 1 of 1, about rms Why is eps inside the root?" in out and "Because the root of 0 has no slope." in out
    assert out.endswith("4 of 18 points") and "rms 1 best 4/8" in run("progress")[1]
    assert "sum-for-mean" in run("check", f"interviews/{begun.name}/rms.py")[1]
    [attempt, *_] = Attempts(tmp_path / ".normgrade/progress.db").attempts()
    assert (attempt.exercise, attempt.diagnoses) == ("rms", ("sum-for-mean",))


def test_a_file_that_was_saved_too_late_is_told(run: Run, begun: Path, tiny: Course, interviews: Interviews) -> None:
    shutil.copy(tiny.exercise("rms").reference, begun / "rms.py")
    late = datetime.now(UTC) + timedelta(minutes=31)
    os.utime(begun / "rms.py", (late.timestamp(),) * 2)
    assert "rms 1 8/8 ✓ passed, too late" in run("interview", "--end")[1]


def test_an_interrupt_during_grading_loses_nothing(run: Run, begun: Path, interviews: Interviews, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(practice, "grade", interrupted)
    assert run("interview", "--end")[0] == 130 and interviews.running() is not None


def test_late_interview_ends_at_the_next_call(run: Run, begun: Path, interviews: Interviews) -> None:
    grow_late(interviews)
    over = "The time of your interview is over. Run `normgrade interview` to end it and see the result."
    assert run()[1] == over == run("check")[2] and run("progress")[1].endswith(over)
    assert run("hint", "rms")[2].endswith(f"`normgrade hint` is not available during an interview. {over}")
    assert run("interview")[1].startswith(f"Interview {begun.name} is over: 30 of 30 minutes used.")
    assert interviews.running() is None


def test_pass_in_an_interview_counts(run: Run, begun: Path, tiny: Course, interviews: Interviews) -> None:
    shutil.copy(tiny.exercise("rms").reference, begun / "rms.py")
    code, out, _err = run("check", "rms")
    assert code == 0 and "Next is" not in out
    assert "rms 1 8/8 ✓ passed" in run("interview", "--end")[1]
    assert "rms 1 ✓ passed 1 8 just now" in run("progress")[1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--minutes 4", '--minutes must be a whole number from 5 to 240, not "4".'),
        ("--level 5", '--level must be a whole number from 1 to 4, not "5".'),
        ("--end", "No interview is running. Run `normgrade interview` to start one."),
        ("--end --minutes 30", "--minutes is only for a new interview. Run `normgrade interview --end` to end the current one."),
    ],
)
def test_wrong_usage_is_explained_and_nothing_begins(run: Run, tmp_path: Path, arguments: str, sentence: str) -> None:
    run("init", ".")
    assert run("interview", *arguments.split()) == (2, "", f"Error: {sentence}")
    assert not (tmp_path / "interviews").exists()


def test_options_do_not_change_a_running_interview(run: Run, begun: Path) -> None:
    said = "Error: --level is only for a new interview. Run `normgrade interview --end` to end the current one."
    assert run("interview", "--level", "2") == (2, "", said) and begun.exists()


def test_without_a_workspace_there_is_no_interview(run: Run, tmp_path: Path) -> None:
    said = f'Error: "{tmp_path}" is not in a workspace. Run `normgrade init` to create one, or go to your workspace.'
    assert run("interview") == (2, "", said)


def test_a_folder_that_cannot_be_written_to_is_named(run: Run, tmp_path: Path) -> None:
    run("init", ".")
    (tmp_path / "interviews").touch()
    code, out, err = run("interview")
    assert (code, out) == (2, "") and err.startswith(f'Error: The interview cannot start in "{tmp_path}" (')
    assert err.endswith("Make the folder writable, or use another workspace.")


def test_link_instead_of_the_folder_is_not_followed(run: Run, begun: Path, tmp_path: Path) -> None:
    shutil.move(begun, tmp_path / "elsewhere")
    begun.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert "is a link to" in run("check", "rms")[2]
    assert run("interview", "--end")[0] == 2


def test_the_interview_speaks_chinese(run: Run, begun: Path) -> None:
    code, out, err = run("interview", "--end", "--lang", "zh")
    assert (code, err) == (0, "") and "面试" in out and "minutes" not in out
