"""Interviews are stored beside the attempts, read back unchanged, and refused if another program wrote invalid ones."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from normgrade.course.course import Course
from normgrade.language.errors import UsageError
from normgrade.learner.practice.interview_plan import Asked, Interview, Task
from normgrade.learner.practice.interviews import (
    Interviews,
    asked_before,
    file_of,
    from_row,
    interviews_of,
    refuse_in_interview,
    running_here,
    status_in_words,
    told,
)
from normgrade.learner.workspace import Workspace, new_workspace

NOW = datetime(2026, 3, 1, 9, 5, 7, tzinfo=UTC)
PLAN = Interview(NOW, 30, 7, "2026-03-01-1", (Task("rms"),), (Asked("rms", 1),))
ENDED = replace(
    PLAN,
    tasks=(Task("rms", 5, 8, False, ("σ-of-all",), 90), Task("gone")),
    asked=(Asked("rms", 1, "Because.\nSo.", 2),),
    ended=NOW + timedelta(minutes=12),
)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    workspace = new_workspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    return workspace


@pytest.fixture
def interviews(workspace: Workspace) -> Interviews:
    return interviews_of(workspace)


def test_interviews_are_read_back(interviews: Interviews) -> None:
    assert interviews.all() == [] and interviews.running() is None and not interviews.kept.path.exists()
    first = interviews.begin(PLAN)
    assert first == replace(PLAN, number=1) == interviews.running()
    interviews.keep(replace(ENDED, number=1))
    assert interviews.running() is None and interviews.all() == [replace(ENDED, number=1)]
    assert interviews.begin(PLAN).number == 2 and len(interviews.all()) == 2
    assert asked_before(interviews.all()) == [("rms", 1), ("rms", 1)]


def test_only_one_interview_runs(interviews: Interviews) -> None:
    interviews.begin(PLAN)
    with pytest.raises(UsageError, match=r"^An interview is already running\. Run `normgrade interview` to continue it\.$"):
        interviews.begin(PLAN)
    assert len(interviews.all()) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        *({"folder": name} for name in ("../x", "..", "", "a\0")),
        *({"minutes": minutes} for minutes in ("x", 10**12, float("inf"))),
        {"tasks": 3},
        {"tasks": [3]},
        {"tasks": [{}]},
        {"asked": [{"exercise": "rms"}]},
        {"begun": "soon"},
        {"ended": 3},
    ],
)
def test_invalid_interviews_are_refused(interviews: Interviews, wrong: dict[str, Any]) -> None:
    interviews.begin(PLAN)
    values = json.loads(told(PLAN)) | wrong
    with interviews.kept.changing() as database:
        database.execute("UPDATE interviews SET told = ?", (json.dumps(values),))
    with pytest.raises(UsageError, match="cannot be read or written"):
        interviews.all()
    assert running_here() is None  # a mere query does not fail


def test_shown_texts_cannot_steer_a_terminal() -> None:
    steering = replace(ENDED, tasks=(Task("\x1b[2J", mistakes=("\x1b[2J",)),), asked=(Asked("rms", 1, "\x1b[2J"),))
    assert "\x1b" not in repr(from_row((1, told(steering)))).replace("\\x1b", "\x1b")


def test_an_interview_has_its_own_files(workspace: Workspace, tiny: Course) -> None:
    rms, centring = tiny.exercise("rms"), tiny.exercise("centring")
    assert file_of(rms, None) == workspace.root / "rms.py" and file_of(centring, PLAN) == workspace.root / "centring.py"
    assert file_of(rms, PLAN) == workspace.root / "interviews" / "2026-03-01-1" / "rms.py"


def test_help_is_refused_during_an_interview(interviews: Interviews) -> None:
    refuse_in_interview("normgrade hint")
    begun = interviews.begin(replace(PLAN, begun=datetime.now(UTC) - timedelta(minutes=9, seconds=30)))
    said = "`normgrade hint` is not available during an interview: 21 of 30 minutes are left. Run `normgrade interview --end` to end it."
    with pytest.raises(UsageError) as refused:
        refuse_in_interview("normgrade hint")
    assert str(refused.value) == said
    interviews.keep(replace(begun, begun=NOW))
    with pytest.raises(UsageError) as refused:
        refuse_in_interview("normgrade hint")
    assert (
        str(refused.value) == "`normgrade hint` is not available: the time of your interview is over. Run `normgrade interview` to end it."
    )
    interviews.keep(replace(begun, ended=NOW))
    refuse_in_interview("normgrade hint")


def test_the_status_tells_the_time() -> None:
    said = status_in_words(PLAN, NOW + timedelta(minutes=29, seconds=30))
    assert said.startswith("Interview 2026-03-01-1: 1 of 30 minutes is left, until ")
    over = "The time of your interview is over. Run `normgrade interview` to end it and see the result."
    assert status_in_words(PLAN, NOW + timedelta(minutes=30)) == over
