"""An interview from its beginning to its end: drawn, written into, graded and recorded."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes
from normgrade.grading.grading_options import Options
from normgrade.language.errors import UsageError
from normgrade.learner.practice import interview_steps
from normgrade.learner.practice.interview_plan import Asked, Interview, Task
from normgrade.learner.practice.interview_steps import Wish, begin, end, with_answers
from normgrade.learner.practice.interviews import interviews_of
from normgrade.learner.standing import attempts_of
from normgrade.learner.workspace import Workspace, new_workspace
from normgrade.report.report import Outcome

pytestmark = pytest.mark.usefixtures("expectations")
WISH = Wish(minutes=30, questions=1, seed=3)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    workspace = new_workspace(tmp_path / "norms")
    monkeypatch.chdir(workspace.root)
    return workspace


@pytest.fixture
def now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def folder(workspace: Workspace, interview: Interview) -> Path:
    return workspace.root / "interviews" / interview.folder


def test_an_interview_begins_with_fresh_files_and_is_kept(workspace: Workspace, tiny: Course, now: datetime) -> None:
    interview = begin(workspace, tiny, WISH, now)
    assert interview == Interview(now, 30, 3, f"{now:%Y-%m-%d}-1", (Task("rms"), Task("centring")), (Asked("rms", 1),), number=1)
    assert interviews_of(workspace).running() == interview
    assert sorted(path.name for path in folder(workspace, interview).iterdir()) == ["answers.md", "centring.py", "rms.py"]
    assert not (workspace.root / "rms.py").exists()


@pytest.mark.parametrize(
    ("wish", "sentence"),
    [
        (
            Wish(0, minutes=10, questions=6),
            "6 questions take 12 minutes, but the interview has 10. Use fewer --questions, or more --minutes.",
        ),
        (Wish(0, minutes=4), "Nothing up to level 4 fits into 4 minutes. Use a higher --level, or more --minutes."),
    ],
)
def test_a_wish_that_does_not_fit_is_refused(workspace: Workspace, tiny: Course, now: datetime, wish: Wish, sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        begin(workspace, tiny, wish, now)
    assert str(refused.value) == sentence and not (workspace.root / "interviews").exists()


def test_the_end_grades_and_records_everything(workspace: Workspace, tiny: Course, now: datetime) -> None:
    interview = begin(workspace, tiny, WISH, now)
    here = folder(workspace, interview)
    [mistake] = [each for each in read_mistakes(tiny.exercise("rms")) if each.name == "sum-for-mean"]
    (here / "rms.py").write_text(mistake.source, encoding="utf-8")
    os.utime(here / "rms.py", (now.timestamp() + 95,) * 2)
    with (here / "answers.md").open("a", encoding="utf-8") as page:
        page.write("\nOf zeros.\n")
    assert with_answers(workspace, interview).asked == (Asked("rms", 1, "Of zeros."),)
    ended, reports = end(workspace, tiny, interview, Options(), now + timedelta(minutes=12))
    assert [report.exercise for report in reports] == ["rms", "centring"] and reports[0].submission == f"interviews/{here.name}/rms.py"
    rms, centring = ended.tasks
    assert (rms.passed, rms.possible, rms.mistakes, rms.saved_s) == (False, 8, ("sum-for-mean",), 95) and 0 < rms.earned < 8
    assert centring == Task("centring", 0, 10)
    assert ended.asked == (Asked("rms", 1, "Of zeros."),) and ended.ended == now + timedelta(minutes=12)
    assert interviews_of(workspace).all() == [ended] and interviews_of(workspace).running() is None
    [attempt] = attempts_of(workspace).attempts()
    assert (attempt.exercise, attempt.diagnoses) == ("rms", ("sum-for-mean",))


def test_the_recorded_end_is_not_after_the_deadline(workspace: Workspace, tiny: Course, now: datetime) -> None:
    interview = begin(workspace, tiny, replace(WISH, level=1), now)
    shutil.copy(tiny.exercise("rms").reference, folder(workspace, interview) / "rms.py")
    ended, _reports = end(workspace, tiny, interview, Options(), now + timedelta(days=2))
    assert ended.ended == now + timedelta(minutes=30) and (ended.tasks[0].passed, ended.tasks[0].earned) == (True, 8)


def test_an_interrupt_during_grading_loses_nothing(
    workspace: Workspace, tiny: Course, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_given: object) -> None:
        raise KeyboardInterrupt

    interview = begin(workspace, tiny, WISH, now)
    monkeypatch.setattr(interview_steps, "grade", interrupted)
    with pytest.raises(KeyboardInterrupt):
        end(workspace, tiny, interview, Options(), now)
    assert interviews_of(workspace).running() == interview


def test_an_interview_ends_without_a_removed_exercise(workspace: Workspace, tiny: Course, now: datetime) -> None:
    interview = begin(workspace, tiny, WISH, now)
    ended, reports = end(workspace, Course(tiny.root, frozenset({"rms"})), interview, Options(), now)
    assert [report.outcome for report in reports] == [Outcome.NOT_STARTED] and ended.tasks[0] == Task("rms")


def test_a_missing_file_has_no_points(workspace: Workspace, tiny: Course, now: datetime) -> None:
    interview = begin(workspace, tiny, WISH, now)
    (folder(workspace, interview) / "rms.py").unlink()
    ended, _reports = end(workspace, tiny, interview, Options(), now)
    assert ended.tasks[0] == Task("rms", 0, 8)
