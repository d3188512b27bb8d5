"""What follows after grading: attempts in a workspace are recorded, and a failure to do so changes no verdict."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from normgrade.course.course import Course
from normgrade.learner.attempts import Attempts

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The folder that commands run in."""
    return tmp_path


def test_only_what_lies_in_the_workspace_is_kept(run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    run("init", "norms")
    monkeypatch.chdir(here / "norms")
    assert run("check", "--exercise", "rms", str(tiny.exercise("rms").reference))[0] == 0
    assert Attempts(here / "norms/.normgrade/progress.db").attempts() == []


def test_progress_that_cannot_be_kept_changes_no_verdict(run: Run, here: Path, tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    run("init", ".")
    (here / ".normgrade").write_text("in the way", encoding="utf-8")
    (here / "rms.py").write_bytes(tiny.exercise("rms").reference.read_bytes())
    code, out, err = run("check", "rms")
    assert code == 0 and "8 of 8 points · passed" in out
    assert err.startswith('Note: What was tried cannot be kept in "') and "Traceback" not in err
