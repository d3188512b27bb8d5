"""Tests of the file that a command plays."""

from __future__ import annotations

from pathlib import Path

import pytest

from normgrade.cli.played_file import path_to_play, source_to_play
from normgrade.course.course import Course
from normgrade.language.errors import UsageError

RMS = "def rms(x, eps=1e-5):\n    return x\n"


def test_the_file_of_the_exercise_is_meant(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert path_to_play(tiny.exercise("rms"), None) == Path("rms.py")
    assert path_to_play(tiny.exercise("rms"), Path("mine.py")) == Path("mine.py")


def test_a_link_of_a_workspace_is_refused(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "normgrade.toml").write_text("", encoding="utf-8")
    (workspace / "drafts").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(workspace)
    with pytest.raises(UsageError, match='drafts" is a link to'):
        path_to_play(tiny.exercise("rms"), Path("drafts/rms.py"))


def test_the_source_is_that_of_the_file(tiny: Course, tmp_path: Path) -> None:
    (tmp_path / "rms.py").write_text(RMS, encoding="utf-8")
    assert source_to_play(tiny.exercise("rms"), tmp_path / "rms.py") == RMS


@pytest.mark.parametrize(("content", "said"), [(None, "gone.py cannot be played: "), ("def rms(x:\n", "broken.py cannot be played: ")])
def test_what_cannot_be_played_is_refused(content: str | None, said: str, tiny: Course, tmp_path: Path) -> None:
    path = tmp_path / said.split()[0]
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        source_to_play(tiny.exercise("rms"), path)
