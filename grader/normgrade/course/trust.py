"""Which workspaces may name a course of their own. A course is code that runs in the grader, so a stranger's folder must not choose it.

What the user trusts is recorded in the user's own configuration folder, in one small text file for each workspace: the workspace and the
course, both as real paths. A workspace that was copied, or a course whose link now leads elsewhere, is another pair, and not trusted.
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
    """Whether the user trusts this course in this workspace. A record that cannot be read, or has another content, does not count."""
    try:
        return read_plain(record_of(workspace), LIMIT_BYTES) == content_of_record(workspace, course)
    except OSError:
        return False


def trust(workspace: Path, course: Path) -> None:
    """Record that the user trusts this course in this workspace, instead of any other course. Raises UsageError."""
    record = record_of(workspace)
    try:
        record.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(record, content_of_record(workspace, course), mode=0o600)
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
    """The file of the record for a workspace."""
    return user_config() / "trusted" / sha256(os.fsencode(os.path.realpath(workspace))).hexdigest()[:32]


def content_of_record(workspace: Path, course: Path) -> bytes:
    """The content of a record: both real paths, one per line."""
    return b"".join(os.fsencode(os.path.realpath(each)) + b"\n" for each in (workspace, course))
