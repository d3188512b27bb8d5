"""Git repositories for tests, which know nothing of the user's settings."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    **{f"GIT_{who}_{what}": "anna@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    **{"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
}


def git(folder: Path, *arguments: str) -> str:
    """Run a command of git in a folder, and return what it prints."""
    done = subprocess.run(["git", *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, check=True)
    return os.fsdecode(done.stdout).strip()


def commit(folder: Path) -> str:
    """Commit everything in a folder, which becomes a repository with the branch main if it is none, and return the name of the commit."""
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "A change")
    return git(folder, "rev-parse", "HEAD")
