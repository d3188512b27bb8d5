"""Tests of the exercises that count as changed."""

from __future__ import annotations

import shutil
from pathlib import Path, PurePath

import pytest
from committed import commit, git

from normgrade.course.course import Course
from normgrade.course.layout import EVERY
from normgrade.course.package import carried
from normgrade.language.errors import UsageError
from normgrade.verify.changed import changed, owner

RMS = "exercises/rms/notes.md"


@pytest.mark.parametrize(
    "path",
    [
        "exercises/rms/README.md",
        "exercises/rms/probes.py",
        "solutions/rms/alternatives/einsum.py",
        "solutions/rms/footprints.npz",
        "tests/hidden/test_rms.py",
    ],
)
def test_exercise_changes_with_its_own_files(path: str, tiny: Course) -> None:
    assert owner(tiny, PurePath(path)) == "rms"


@pytest.mark.parametrize(
    "path",
    [
        "course.toml",
        "exercises/shared_probes.py",
        "exercises/zh.toml",
        "solutions/mistakes.toml",
        "solutions/habits_torch.py",
        "tests/hidden/shared.py",
        "solutions/gone/reference.py",
        "tests/hidden/test_gone.py",
    ],
)
def test_every_exercise_changes_with_shared_files(path: str, tiny: Course) -> None:
    assert owner(tiny, PurePath(path)) == EVERY


@pytest.mark.parametrize(
    "path",
    ["README.md", "docs/rms.md", "grader/normgrade/cli/verify.py", "exercises/__pycache__/a.pyc", "exercises/.x/a", "exercises/_x/a"],
)
def test_other_files_change_no_exercise(path: str, tiny: Course) -> None:
    assert owner(tiny, PurePath(path)) is None


@pytest.mark.parametrize("path", ["grader/normgrade/cli/verify.py", "constraints.txt"])
def test_carried_course_changes_with_the_grader(path: str) -> None:
    assert owner(Course(carried()), PurePath(path)) == EVERY


# What git tells


@pytest.fixture
def course(tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """Return a course in a larger repository, with all files committed."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    found = Course(shutil.copytree(tiny.root, tmp_path / "repository/course"))
    commit(found.root.parent)
    return found


def add(course: Course, *paths: str) -> None:
    """Add empty files to a course."""
    for path in paths:
        (course.root / path).parent.mkdir(parents=True, exist_ok=True)
        (course.root / path).touch()


def test_committed_uncommitted_and_untracked_files_count(course: Course) -> None:
    assert changed(course, "HEAD") == ([], "No exercise has changed since HEAD: nothing is verified.")
    (course.root / "solutions/rms/reference.py").unlink()
    commit(course.root.parent)
    add(course, "exercises/centring/staged.md", "exercises/draft/README.md")
    git(course.root, "add", "exercises/centring")
    assert changed(course, "HEAD~1")[0] == ["centring", "draft", "rms"]
    assert changed(course, "HEAD") == (["centring", "draft"], "2 exercises have changed since HEAD: centring, draft.")


def test_moved_files_count_where_they_were(course: Course) -> None:
    (course.root / "exercises/rms/README.md").rename(course.root / "exercises/centring/moved.md")
    assert changed(course, "HEAD")[0] == ["centring", "rms"]


def test_files_outside_or_ignored_do_not_count(course: Course) -> None:
    (course.root.parent / "outside").touch()
    (course.root / ".gitignore").write_text("*.pyc\n", encoding="utf-8")
    add(course, "exercises/rms/a.pyc")
    assert changed(course, "HEAD")[0] == []


@pytest.mark.parametrize("name", ["two\nlines", '"quoted"', "ÿ 李", "-z"])
def test_names_of_files_may_be_odd(name: str, course: Course) -> None:
    add(course, f"exercises/{name}")
    found, said = changed(course, "HEAD")
    assert found is None and said.endswith(" has changed since HEAD: every exercise is verified.") and "\n" not in said


def test_changes_of_the_other_branch_do_not_count(course: Course) -> None:
    for branch, path in (("mine", RMS), ("main", "exercises/centring/notes.md")):
        git(course.root, "switch", "--quiet", *(["--create"] if branch == "mine" else []), branch)
        add(course, path)
        commit(course.root.parent)
    git(course.root, "switch", "--quiet", "mine")
    assert changed(course, "") == (["rms"], "1 exercise has changed since main: rms.")


def test_main_is_compared_with_the_commit_before(course: Course) -> None:
    add(course, "exercises/centring/notes.md")
    commit(course.root.parent)
    add(course, RMS)
    commit(course.root.parent)
    assert changed(course, "") == (["rms"], "1 exercise has changed since HEAD~1: rms.")


def test_clone_is_compared_with_its_origin(course: Course, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", str(course.root.parent), "clone")
    clone = Course(tmp_path / "clone" / course.root.name)
    add(clone, RMS)
    commit(clone.root.parent)
    assert changed(clone, "") == (["rms"], "1 exercise has changed since origin/HEAD: rms.")
    git(clone.root, "remote", "set-head", "origin", "--delete")  # as in a checkout of a CI system
    assert changed(clone, "")[1].startswith("1 exercise has changed since origin/main")


def test_first_commit_changes_every_exercise(course: Course) -> None:
    assert changed(course, "") == (None, "There is no earlier commit to compare with: every exercise is verified.")


@pytest.mark.parametrize("ref", ["nope", "--output=x", "HEAD:course.toml"])
def test_an_unknown_commit_is_named(ref: str, course: Course) -> None:
    with pytest.raises(UsageError) as caught:
        changed(course, ref)
    assert str(caught.value) == (
        f"git cannot tell what has changed in \"{course.root}\" (bad revision '{ref}'). "
        "Use --changed REF to name another commit, or `normgrade verify SLUG` to name the exercises."
    )


def test_folder_outside_of_a_repository_is_named(tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tiny.root.parent))
    with pytest.raises(UsageError, match=r"git cannot tell what has changed in .* \(not a git repository "):
        changed(tiny, "HEAD")


def test_missing_git_is_named(course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match=r"\(.*No such file or directory: 'git'\)"):
        changed(course, "HEAD")


def test_a_hook_is_told_of_the_course(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git gives a hook the place of its repository in variables, which are relative to another folder."""
    for name, value in (("GIT_DIR", ".git"), ("GIT_INDEX_FILE", ".git/index"), ("GIT_PREFIX", "")):
        monkeypatch.setenv(name, value)
    add(course, RMS)
    assert changed(course, "HEAD")[0] == ["rms"]
