"""Tests of the choice of slow tests: a change runs those that guard it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from affected import changed_since, is_needed


@pytest.mark.parametrize(
    ("changed", "needed"),
    [
        (set(), False),
        ({"docs/teach.md"}, False),
        ({"grader/normgrade/cli/check.py"}, True),
        ({"grader/normgrade/report/report.py"}, True),
        ({"grader/normgrade/worker/walls/seccomp.py"}, False),
        ({"exercises/rms_norm/README.md"}, True),
        ({"tests/grader/cli/test_check.py"}, True),
        ({"tests/grader/cli/test_listing.py"}, False),
        ({"tests/grader/conftest.py"}, True),
        (None, True),
    ],
)
def test_a_slow_file_runs_if_its_rooms_have_changed(changed: set[str] | None, needed: bool) -> None:
    assert is_needed("cli/test_check.py", "report exercises/", changed) is needed


def test_attacks_guard_everything() -> None:
    assert is_needed("whole/test_attacks.py", "/", {"README.md"})


def git(folder: Path, *arguments: str) -> None:
    named = ["-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", "-C", str(folder), *named, *arguments], check=True, capture_output=True)


def test_changes_are_those_of_commits_and_of_the_folder(tmp_path: Path) -> None:
    git(tmp_path, "init")
    for name in ("kept", "changed", "removed"):
        (tmp_path / name).write_text(name)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "one")
    (tmp_path / "changed").write_text("again")
    git(tmp_path, "rm", "removed")
    git(tmp_path, "commit", "-am", "two")
    (tmp_path / "new name").write_text("new")
    assert changed_since("HEAD~1", tmp_path) == frozenset(("changed", "removed", "new name"))


def test_an_unknown_commit_leaves_the_changes_unknown(tmp_path: Path) -> None:
    git(tmp_path, "init")
    assert changed_since("HEAD~1", tmp_path) is None
