"""The git repository of a course: which files of the course have changed since a commit."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path, PurePath

from normgrade.language import _
from normgrade.language.errors import UsageError

USUAL = ("origin/HEAD", "origin/main", "main", "HEAD~1")  # the commits to compare with unless one is named: the first that there is
TYING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY")  # set inside a hook


@dataclass(frozen=True, slots=True)
class Changes:
    """The files of a folder that have changed since a commit.

    - `since`: the name of the commit; "" if there is none to compare with, so that every file has changed.
    - `files`: their paths in the folder. A file that was deleted or moved away is one of them.
    """

    since: str
    files: tuple[PurePath, ...]


def changes_in(folder: Path, ref: str = "") -> Changes:
    """Return the files of a folder that differ from those of a commit, also the uncommitted and the untracked ones.

    The commit is the last one that `ref` and the current commit share. If `ref` is "", the first of USUAL that exists takes its place.
    Raise UsageError if git cannot tell, or if there is no such commit.
    """
    git(folder, "rev-parse", "--show-toplevel")  # raises outside of a working tree
    since = ref or usual(folder)
    if not since:
        return Changes("", paths_in(git(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard")))
    base = common(folder, since)
    differing = git(folder, "diff", "--name-only", "--no-renames", "--relative", "-z", base, "--")
    untracked = git(folder, "ls-files", "-z", "--others", "--exclude-standard")
    return Changes(since, paths_in(differing + untracked))


def usual(folder: Path) -> str:
    """Return the commit to compare with if none is named; "" if there is none. A branch is not compared with itself."""
    current = attempt(folder, "symbolic-ref", "--quiet", "--short", "HEAD").stdout.decode().strip()
    return next((name for name in USUAL if name != current and is_commit(folder, name)), "")


def common(folder: Path, ref: str) -> str:
    """Return the last commit that `ref` and the current commit share."""
    if not is_commit(folder, ref):
        said = _(
            'No commit is named "{ref}" in the repository of "{folder}". Use --changed REF to name another one, or run `git fetch` first.',
            ref=ref,
            folder=folder,
        )
        raise UsageError(said)
    found = attempt(folder, "merge-base", ref, "HEAD")
    if found.returncode:
        said = _(
            '"{ref}" and the current commit share no history in the repository of "{folder}". '
            "Run `git fetch --unshallow` if only a part of the history is there, or use --changed REF to name another commit.",
            ref=ref,
            folder=folder,
        )
        raise UsageError(said)
    return found.stdout.decode().strip()


def is_commit(folder: Path, ref: str) -> bool:
    """Return True if a text names a commit. No name begins with a dash, which would be an option."""
    return not ref.startswith("-") and attempt(folder, "rev-parse", "--quiet", "--verify", f"{ref}^{{commit}}").returncode == 0


def paths_in(listed: bytes) -> tuple[PurePath, ...]:
    """Return the paths in a list of git's that is separated by null bytes; their names may be any bytes."""
    return tuple(PurePath(os.fsdecode(name)) for name in dict.fromkeys(listed.split(b"\0")) if name)


def git(folder: Path, *arguments: str) -> bytes:
    """Return what a command of git prints in a folder. Raise UsageError if it fails."""
    done = attempt(folder, *arguments)
    if done.returncode:
        said = _(
            'git cannot tell what has changed in "{folder}" ({error}). '
            "Use --course DIR to choose a course in a git repository, or `normgrade verify SLUG` to name the exercises.",
            folder=folder,
            error=os.fsdecode(done.stderr).partition("\n")[0].removeprefix("fatal: ").rstrip("."),
        )
        raise UsageError(said)
    return done.stdout


def attempt(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command of git in a folder. Raise UsageError if there is no git."""
    environment = {name: value for name, value in os.environ.items() if name not in TYING}
    environment |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        return subprocess.run(["git", "-C", str(folder), *arguments], env=environment, capture_output=True, check=False)
    except FileNotFoundError as error:
        said = _("--changed needs git, which is not installed. Install it, or run `normgrade verify SLUG` to name the exercises.")
        raise UsageError(said) from error
