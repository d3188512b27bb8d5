"""Expectations kept between runs, in the user's cache folder: one small file each, written by atomic rename."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from normgrade.files import write_whole

MOST_HELD = 8192  # some ten kilobytes each
DIGEST_BYTES = 32  # of the content, kept before it


@dataclass(frozen=True)
class Cache:
    """Bytes under a key. A folder that cannot be read or written costs time, never a result; so does a damaged file."""

    folder: Path
    held: dict[str, bytes] = field(default_factory=dict, repr=False)

    def get(self, key: str) -> bytes | None:
        if key not in self.held:
            try:
                stored = self.path(key).read_bytes()
            except OSError:
                return None
            content = stored[DIGEST_BYTES:]
            if stored[:DIGEST_BYTES] != digest(key, content):  # a changed number would be graded by, and so would another request's
                return None
            self.hold(key, content)
        return self.held[key]

    def put(self, key: str, content: bytes) -> None:
        self.hold(key, content)
        path = self.path(key)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, digest(key, content) + content)

    def hold(self, key: str, content: bytes) -> None:
        """Keep it in memory as well, until there is too much there: proving a course on many seeds meets hundreds of thousands."""
        if len(self.held) >= MOST_HELD:
            self.held.clear()
        self.held[key] = content

    def path(self, key: str) -> Path:
        return self.folder / key[:2] / key


def digest(key: str, content: bytes) -> bytes:
    return sha256(key.encode() + b"\0" + content).digest()


def user_cache() -> Path:
    """NORMGRADE_CACHE, else the place that the platform keeps for caches."""
    if named := os.environ.get("NORMGRADE_CACHE"):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "normgrade"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "normgrade" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "normgrade"
