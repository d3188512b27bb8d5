"""The folder in which normgrade is installed, the course in it, and the digest of its sources."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[1]


def carried() -> Path:
    """Return the folder of the course that comes with normgrade: inside an installed wheel, or the clone of an editable install."""
    package = Path(os.path.realpath(PACKAGE))
    wheel = package / "_course"
    return wheel if wheel.is_dir() else package.parents[1]


@cache
def digest_of_sources() -> bytes:
    """Return the digest of all sources of normgrade. What one version computes and keeps is never read by another."""
    digest = hashlib.sha256()
    for path in sorted(path for path in PACKAGE.rglob("*.py") if PACKAGE / "_course" not in path.parents):
        content = path.read_bytes()
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.digest()
