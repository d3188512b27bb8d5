"""Saves: every way to save a file is noticed once."""

from __future__ import annotations

import os
import select
import threading
import time
from pathlib import Path

import pytest

from normgrade.learner.watch.file_saves import Watched, waker

LATEST_S = 30.0  # a change must be noticed within this time, even if the machine is busy


def test_an_existing_file_is_noticed_at_first(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("1")
    watched = Watched(path)
    assert watched.saved() and not watched.saved()


def test_every_way_of_saving_is_noticed_once(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    watched = Watched(path)
    assert watched.saved() and not watched.saved()  # the file does not exist
    path.write_text("1")
    assert watched.saved() and not watched.saved()
    (tmp_path / "b.py").write_text("2")
    os.replace(tmp_path / "b.py", path)
    assert watched.saved() and not watched.saved()
    path.unlink()
    assert watched.saved() and not watched.saved()


def test_an_unfinished_save_is_not_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.py"
    path.write_text("")
    watched = Watched(path)
    monkeypatch.setattr(time, "sleep", lambda seconds: path.write_text("the rest") and None)
    assert not watched.saved()  # it grew during the waiting time
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    assert watched.saved() and not watched.saved()


def test_the_watcher_ends_before_its_pipe_is_closed(tmp_path: Path) -> None:
    """Otherwise it could write to another file that got the number of the pipe."""
    pytest.importorskip("watchfiles")
    before = set(threading.enumerate())
    with waker(tmp_path, print):
        assert len(set(threading.enumerate()) - before) == 1
    assert set(threading.enumerate()) == before


@pytest.mark.parametrize("change", ["write", "replace", "remove"])
def test_a_change_in_the_folder_wakes_the_watcher(tmp_path: Path, change: str) -> None:
    pytest.importorskip("watchfiles")
    path, other = tmp_path / "a.py", tmp_path / "b.py"
    path.write_text("1")
    other.write_text("2")
    with waker(tmp_path, print) as wakes:
        assert wakes is not None
        time.sleep(0.2)  # until the watcher has begun
        if change == "write":
            path.write_text("3")
        elif change == "replace":
            os.replace(other, path)
        else:
            path.unlink()
        assert select.select([wakes], [], [], LATEST_S)[0]


def test_system_that_watches_no_more_files_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watchfiles = pytest.importorskip("watchfiles")

    def refused(*_args: object, **_options: object) -> None:
        raise OSError("OS file watch limit reached.")

    monkeypatch.setattr(watchfiles, "watch", refused)
    said: list[str] = []
    before = set(threading.enumerate())
    with waker(tmp_path, said.append) as wakes:
        assert wakes is None and set(threading.enumerate()) == before
    assert said == ["Note: The system can watch no more files, so normgrade looks for saves itself, several times a second."]
