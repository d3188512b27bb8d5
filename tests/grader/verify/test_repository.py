"""Tests of the files that git says have changed."""

from __future__ import annotations

import os
from pathlib import Path, PurePath

import pytest
from committed import commit, git

from normgrade.language.errors import UsageError
from normgrade.verify.repository import Changes, changes_in

NO_REPOSITORY = (
    'git cannot tell what has changed in "{folder}" (not a git repository (or any of the parent directories): .git). '
    "Use --course DIR to choose a course in a git repository, or `normgrade verify SLUG` to name the exercises."
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder in a larger repository, with a file that was committed."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    made = tmp_path / "course"
    made.mkdir()
    (made / "a").write_text("1", encoding="utf-8")
    commit(tmp_path)
    return made


def names(changes: Changes) -> set[str]:
    return {path.as_posix() for path in changes.files}


def test_committed_uncommitted_and_untracked_files_have_changed(folder: Path) -> None:
    (folder / "b").write_text("2", encoding="utf-8")
    commit(folder.parent)
    (folder / "a").write_text("3", encoding="utf-8")
    (folder / "staged").touch()
    git(folder, "add", "staged")
    (folder / "sub").mkdir()
    (folder / "sub/untracked").touch()
    assert names(changes_in(folder, "HEAD~1")) == {"a", "b", "staged", "sub/untracked"}
    assert names(changes_in(folder, "HEAD")) == {"a", "staged", "sub/untracked"}


def test_deleted_and_moved_files_have_changed(folder: Path) -> None:
    (folder / "b").write_text("2", encoding="utf-8")
    commit(folder.parent)
    (folder / "a").unlink()
    (folder / "b").rename(folder / "c")
    assert names(changes_in(folder, "HEAD")) == {"a", "b", "c"}


def test_files_outside_of_the_folder_are_left_out(folder: Path) -> None:
    (folder.parent / "outside").touch()
    git(folder.parent, "add", "outside")
    (folder.parent / "untracked").touch()
    assert changes_in(folder, "HEAD") == Changes("HEAD", ())


def test_ignored_files_have_not_changed(folder: Path) -> None:
    (folder / ".gitignore").write_text("*.pyc\n", encoding="utf-8")
    (folder / "a.pyc").touch()
    assert names(changes_in(folder, "HEAD")) == {".gitignore"}


@pytest.mark.skipif(os.name == "nt", reason="a name is text there")
@pytest.mark.parametrize("name", [b"\xff\xfe", b"two\nlines", b'"quoted"', "ÿ 李".encode(), b"-z"])
def test_names_may_be_any_bytes(name: bytes, folder: Path) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).touch()
    assert changes_in(folder, "HEAD").files == (PurePath(os.fsdecode(name)),)


def test_changes_of_the_other_branch_do_not_count(folder: Path) -> None:
    git(folder, "switch", "--quiet", "--create", "mine")
    (folder / "mine").touch()
    commit(folder.parent)
    git(folder, "switch", "--quiet", "main")
    (folder / "theirs").touch()
    commit(folder.parent)
    git(folder, "switch", "--quiet", "mine")
    assert names(changes_in(folder, "main")) == {"mine"}


def test_branch_is_compared_with_main_by_default(folder: Path) -> None:
    git(folder, "switch", "--quiet", "--create", "mine")
    for name in ("one", "two"):
        (folder / name).touch()
        commit(folder.parent)
    changes = changes_in(folder)
    assert (changes.since, names(changes)) == ("main", {"one", "two"})


def test_main_is_compared_with_the_commit_before(folder: Path) -> None:
    for name in ("one", "two"):
        (folder / name).touch()
        commit(folder.parent)
    changes = changes_in(folder)
    assert (changes.since, names(changes)) == ("HEAD~1", {"two"})


def test_clone_is_compared_with_its_origin(folder: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", str(tmp_path), str(clone))
    (clone / "course/new").touch()
    commit(clone)
    changes = changes_in(clone / "course")
    assert (changes.since, names(changes)) == ("origin/HEAD", {"new"})
    git(clone, "remote", "set-head", "origin", "--delete")  # as in a checkout of a CI system
    assert changes_in(clone / "course").since == "origin/main"


def test_without_an_earlier_commit_all_files_have_changed(folder: Path, tmp_path: Path) -> None:
    (folder / "b").touch()
    assert (changes_in(folder).since, names(changes_in(folder))) == ("", {"a", "b"})
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    git(fresh, "init", "--quiet")
    (fresh / "c").touch()
    assert (changes_in(fresh).since, names(changes_in(fresh))) == ("", {"c"})


@pytest.mark.parametrize("ref", ["nope", "--output=x", "HEAD:course/a"])
def test_an_unknown_commit_is_named(ref: str, folder: Path) -> None:
    with pytest.raises(UsageError) as caught:
        changes_in(folder, ref)
    assert str(caught.value) == (
        f'No commit is named "{ref}" in the repository of "{folder}". Use --changed REF to name another one, or run `git fetch` first.'
    )


def test_commit_without_a_common_history_is_named(folder: Path) -> None:
    git(folder, "switch", "--quiet", "--orphan", "other")
    folder.mkdir(exist_ok=True)
    commit(folder.parent)
    with pytest.raises(UsageError) as caught:
        changes_in(folder, "main")
    assert str(caught.value) == (
        f'"main" and the current commit share no history in the repository of "{folder}". '
        "Run `git fetch --unshallow` if only a part of the history is there, or use --changed REF to name another commit."
    )


def test_folder_outside_of_a_repository_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(UsageError) as caught:
        changes_in(tmp_path, "HEAD")
    assert str(caught.value) == NO_REPOSITORY.format(folder=tmp_path)


def test_missing_git_is_named(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError) as caught:
        changes_in(folder, "HEAD")
    assert str(caught.value) == (
        "--changed needs git, which is not installed. Install it, or run `normgrade verify SLUG` to name the exercises."
    )


def test_a_hook_is_told_of_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git gives a hook the place of its repository in variables, which are relative to another folder."""
    for name, value in (("GIT_DIR", ".git"), ("GIT_INDEX_FILE", ".git/index"), ("GIT_PREFIX", "")):
        monkeypatch.setenv(name, value)
    (folder / "b").touch()
    assert names(changes_in(folder, "HEAD")) == {"b"}
