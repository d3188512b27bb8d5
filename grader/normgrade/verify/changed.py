"""The exercises of a course that have changed since a commit, as git tells it, for `normgrade verify --changed`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path, PurePath

from normgrade.course.course import Course
from normgrade.course.layout import EVERY, owner_of
from normgrade.course.package import carried
from normgrade.language import _, n_
from normgrade.language.errors import UsageError
from normgrade.language.visible import visible_name

USUAL = ("origin/HEAD", "origin/main", "main", "HEAD~1")  # the commits to compare with unless one is named: the first that there is
OF_THE_GRADER = ("grader", "constraints.txt")  # in a clone of normgrade: its sources, and the versions of the libraries
TYING = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")  # set inside a hook, relative to another folder


def changed(course: Course, ref: str) -> tuple[Sequence[str] | None, str]:
    """Return the folders of the exercises that have changed since this branch left the commit `ref`, and a sentence about them.

    None stands for all exercises. If `ref` is "", the first of USUAL that exists takes its place. Raise UsageError if git cannot tell.
    """
    untracked = git(course.root, "ls-files", "-z", "--others", "--exclude-standard")
    since = ref or usual(course.root)
    if not since:
        return None, _("There is no earlier commit to compare with: every exercise is verified.")
    how = "--name-only", "--no-renames", "--relative", "-z", "--merge-base", "--end-of-options"
    paths = (git(course.root, "diff", *how, since, "--") + untracked).split("\0")[:-1]
    owners = {path: owner(course, PurePath(path)) for path in paths}
    since = visible_name(since)
    if shared := [visible_name(path) for path, slug in owners.items() if slug == EVERY]:
        return None, _("{path} has changed since {since}: every exercise is verified.", path=shared[0], since=since)
    slugs = sorted({slug for slug in owners.values() if slug is not None})
    if not slugs:
        return slugs, _("No exercise has changed since {since}: nothing is verified.", since=since)
    names = ", ".join(map(visible_name, slugs))
    return slugs, n_(
        "{n} exercise has changed since {since}: {names}.",
        "{n} exercises have changed since {since}: {names}.",
        len(slugs),
        since=since,
        names=names,
    )


def owner(course: Course, path: PurePath) -> str | None:
    """Return the folder of the exercise that a file of the course belongs to, EVERY if all share it, None if it decides nothing.

    A file of an exercise that is gone is shared: others may name it.
    """
    if course.root == carried() and path.parts[0] in OF_THE_GRADER:
        return EVERY
    slug = owner_of(path)
    return slug if slug is None or slug in course.folders else EVERY


def usual(folder: Path) -> str:
    """Return the commit to compare with if none is named; "" if there is none. A branch is not compared with itself."""
    others = [name for name in USUAL if name != git(folder, "branch", "--show-current").strip()]
    return next((name for name in others if is_commit(folder, name)), "")


def is_commit(folder: Path, name: str) -> bool:
    try:
        return bool(git(folder, "rev-parse", "--verify", name))
    except UsageError:
        return False


def git(folder: Path, *arguments: str) -> str:
    """Return what a command of git prints in a folder. Raise UsageError if it fails."""
    environment = {name: value for name, value in os.environ.items() if name not in TYING}
    environment |= {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    command = ["git", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, env=environment, capture_output=True, check=True, encoding="utf-8", errors="surrogateescape").stdout
    except FileNotFoundError as error:
        why = str(error)
    except subprocess.CalledProcessError as error:
        why = error.stderr.partition("\n")[0].removeprefix("fatal: ").rstrip(".")
    raise UsageError(
        _(
            'git cannot tell what has changed in "{folder}" ({error}). '
            "Use --changed REF to name another commit, or `normgrade verify SLUG` to name the exercises.",
            folder=folder,
            error=why,
        )
    )
