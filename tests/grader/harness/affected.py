"""The slow test files that a change needs: each guards some folders of the repository, and is left out if nothing in them has changed."""

from __future__ import annotations

import subprocess
from collections.abc import Collection
from pathlib import Path

ROOT = Path(__file__).parents[3]
TESTS, ROOMS = "tests/grader", "grader/normgrade"
OF_ALL = (
    "pyproject.toml",
    "constraints.txt",
    "course.toml",
    ".ci/",
    f"{TESTS}/conftest.py",
    f"{TESTS}/harness/",
    f"{TESTS}/fixtures/courses/",
)
ALWAYS = "/"  # guards everything


def changed_since(commit: str, root: Path = ROOT) -> frozenset[str] | None:
    """Return the files that differ from those of a commit, with `/` in their paths; None if git does not know that commit."""
    found = set[str]()
    for command in (["diff", "--name-only", "--no-renames", "-z", commit, "--"], ["ls-files", "--others", "--exclude-standard", "-z"]):
        try:
            told = subprocess.run(["git", "-C", str(root), *command], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        found.update(filter(None, told.stdout.split("\0")))
    return frozenset(found)


def is_needed(name: str, guarded: str, changed: Collection[str] | None) -> bool:
    """Return True if a slow test file is to run after these changes, or after any if they are not known.

    It guards its own room, and those that it names: rooms of the grader, or folders and files of the repository.
    """
    named = (name.partition("/")[0], *guarded.split())
    guards = (f"{TESTS}/{name}", *OF_ALL, *(each if {*"/."} & {*each} else f"{ROOMS}/{each}/" for each in named))
    return changed is None or ALWAYS in named or any(path.startswith(guards) for path in changed)
