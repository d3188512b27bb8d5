"""The trust of a user in a course that a workspace names. A course is code that runs in the grader, so a stranger must not choose it.

The trust is recorded in the user's own configuration folder, in one small text file for each workspace: the workspace and the course,
both as real paths. A workspace that was copied, or a course whose link now leads elsewhere, is another pair, and not trusted.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

from normgrade.course.folders import user_config
from normgrade.course.private_folder import NotPrivate, PrivateFolder
from normgrade.language import _
from normgrade.language.errors import UsageError

FOLDER = "trusted"
LIMIT_BYTES = 64 * 1024


def is_trusted(workspace: Path, course: Path) -> bool:
    """Return True if the user trusts this course in this workspace. A record that cannot be read, or has another content, does not count.

    Raise a UsageError if others may write to the folder of the records.
    """
    try:
        with PrivateFolder(user_config(), FOLDER) as folder:
            _status, content = folder.read(record_of(workspace).name, LIMIT_BYTES)
    except NotPrivate as error:
        raise UsageError(error.told(user_config(), "NORMGRADE_CONFIG")) from error
    except OSError:
        return False
    return content == content_of_record(workspace, course)


def trust(workspace: Path, course: Path) -> None:
    """Record that the user trusts this course in this workspace, instead of any other course. Raise UsageError if that fails."""
    try:
        with PrivateFolder(user_config(), FOLDER, make=True) as folder:
            folder.write(record_of(workspace).name, content_of_record(workspace, course))
    except NotPrivate as error:
        raise UsageError(error.told(user_config(), "NORMGRADE_CONFIG")) from error
    except OSError as error:
        raise UsageError(
            _(
                'Your trust in the course "{course}" cannot be saved in "{path}" ({error}). Make this place writable, or set '
                "NORMGRADE_CONFIG to another one.",
                course=course,
                path=record_of(workspace),
                error=error.strerror,
            )
        ) from error


def record_of(workspace: Path) -> Path:
    """Return the file of the record for a workspace."""
    return user_config() / FOLDER / sha256(os.fsencode(os.path.realpath(workspace))).hexdigest()[:32]


def content_of_record(workspace: Path, course: Path) -> bytes:
    """Return the content of a record: both real paths, one per line."""
    return b"".join(os.fsencode(os.path.realpath(each)) + b"\n" for each in (workspace, course))
