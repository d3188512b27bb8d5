"""Saves: every way of saving a file is noticed, once."""

from __future__ import annotations

import os
import select
import time
from pathlib import Path

import pytest

from normgrade.learner.file_saves import Watched, waker

LATEST_S = 30.0  # for a change to be noticed, on a machine that is busy


def test_what_is_there_at_first_is_news(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("1")
    watched = Watched(path)
    assert watched.saved() and not watched.saved()


def test_every_way_of_saving_is_noticed_once(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    watched = Watched(path)
    assert watched.saved() and not watched.saved()  # there is none
    path.write_text("1")
    assert watched.saved() and not watched.saved()
    (tmp_path / "b.py").write_text("2")
    os.replace(tmp_path / "b.py", path)
    assert watched.saved() and not watched.saved()
    path.unlink()
    assert watched.saved() and not watched.saved()


def test_half_a_save_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("")
    watched = Watched(path)
    monkeypatch.setattr(time, "sleep", lambda seconds: path.write_text("the rest") and None)
    assert not watched.saved()  # it grew while nobody should have been writing
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    assert watched.saved() and not watched.saved()


@pytest.mark.parametrize("change", ["write", "replace", "remove"])
def test_a_change_in_the_folder_wakes(tmp_path: Path, change: str) -> None:
    pytest.importorskip("watchfiles")
    path, other = tmp_path / "a.py", tmp_path / "b.py"
    path.write_text("1")
    other.write_text("2")
    with waker(tmp_path) as wakes:
        assert wakes is not None
        time.sleep(0.2)  # until the watcher has begun
        if change == "write":
            path.write_text("3")
        elif change == "replace":
            os.replace(other, path)
        else:
            path.unlink()
        assert select.select([wakes], [], [], LATEST_S)[0]
