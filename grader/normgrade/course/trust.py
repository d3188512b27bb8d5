"""Which workspaces may name a course of their own. A course is code that grades, so a folder that came from a stranger must not choose it.

What the user trusts is kept in the user's own configuration folder, one small file for each workspace, readable as text: the workspace and
the course, both as real paths. A copy at another place, or a course that a link has led elsewhere, is another pair, and so not trusted.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from normgrade.course.files import read_plain, write_whole
from normgrade.course.folders import user_config
from normgrade.language import _
from normgrade.language.errors import UsageError

LIMIT_BYTES = 64 * 1024


def is_trusted(workspace: Path, course: Path) -> bool:
    """Whether the user has said so. A record that cannot be read, or says anything else, says nothing."""
    try:
        return read_plain(record_of(workspace), LIMIT_BYTES) == told(workspace, course)
    except OSError:
        return False


def trust(workspace: Path, course: Path) -> None:
    """Remember that the user trusts this course in this workspace, and no other there."""
    record = record_of(workspace)
    try:
        record.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(record, told(workspace, course), mode=0o600)
    except OSError as error:
        raise UsageError(
            _(
                'That you trust the course "{course}" cannot be kept in "{path}" ({error}). Make that place writable, or name another with '
                "NORMGRADE_CONFIG.",
                course=course,
                path=record,
                error=error.strerror,
            )
        ) from error


def record_of(workspace: Path) -> Path:
    return user_config() / "trusted" / sha256(os.fsencode(os.path.realpath(workspace))).hexdigest()[:32]


def told(workspace: Path, course: Path) -> bytes:
    """What a record says."""
    return b"".join(os.fsencode(os.path.realpath(each)) + b"\n" for each in (workspace, course))
