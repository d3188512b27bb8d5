"""Expectations kept between runs, in the user's cache folder: one small file each, sealed with the user's key, written by atomic rename."""

from __future__ import annotations

import hmac
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from normgrade.course.files import WRITING, put_in_place, read_with_status

MOST_HELD = 8192  # some ten kilobytes each
MOST_BYTES = 256 * 1024**2  # in the folder
LEFT_BYTES = 7 * MOST_BYTES // 8  # after the least recently used had to go, so that they need not go one by one
SWEPT_BYTES = MOST_BYTES // 16  # so many are written between two looks at the whole folder
LARGEST_BYTES = 16 * 1024**2  # of one file
ONLY_MINE = 0o600
SEAL_BYTES = 32  # before the content
USED_S = 3600  # how exactly it is known when a file was used last
STALE_S = 3600  # for a file to be written; whoever began is gone


@dataclass
class Cache:
    """Bytes under a name. A folder that cannot be read or written costs time, never a result; so does a file without the right seal."""

    folder: Path
    key: bytes = field(repr=False)
    held: dict[str, bytes] = field(default_factory=dict, repr=False)
    written_bytes: int = 0  # since the folder was looked at

    def get(self, name: str) -> bytes | None:
        if name not in self.held:
            path = self.path(name)
            try:
                status, stored = read_with_status(path, LARGEST_BYTES)
            except OSError:
                return None
            content = stored[SEAL_BYTES:]
            if not hmac.compare_digest(stored[:SEAL_BYTES], self.seal(name, content)):  # changed, or another's, or under another name
                return None
            if status.st_atime < time.time() - USED_S:
                with suppress(OSError):
                    os.utime(path, ns=(time.time_ns(), status.st_mtime_ns))
            self.hold(name, content)
        return self.held[name]

    def put(self, name: str, content: bytes) -> None:
        self.hold(name, content)
        path = self.path(name)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            put_in_place(path, self.seal(name, content) + content, ONLY_MINE)
            self.written_bytes += len(content)
        if self.written_bytes > SWEPT_BYTES:
            self.sweep()

    def seal(self, name: str, content: bytes) -> bytes:
        return hmac.digest(self.key, name.encode() + b"\0" + content, "sha256")

    def hold(self, name: str, content: bytes) -> None:
        """Keep it in memory as well, until there is too much there: proving a course on many seeds meets hundreds of thousands."""
        if len(self.held) >= MOST_HELD:
            self.held.clear()
        self.held[name] = content

    @cached_property
    def shelf(self) -> Path:
        """A folder for each key, so that users who share the cache's folder do not disturb each other."""
        return self.folder / sha256(self.key).hexdigest()[:16]

    def path(self, name: str) -> Path:
        return self.shelf / name[:2] / name

    def sweep(self) -> None:
        """Look at the whole folder, where something was written: what nobody finished goes, and what was not used for longest."""
        if not self.written_bytes:
            return
        self.written_bytes = 0
        kept, now = [], time.time()
        for entry in files_in(self.folder):
            with suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if not entry.name.startswith(WRITING):
                    kept.append((status.st_atime, status.st_size, entry.path))
                elif status.st_mtime < now - STALE_S:
                    os.unlink(entry.path)
        total = sum(size for _used, size, _path in kept)
        limit = LEFT_BYTES if total > MOST_BYTES else total
        for _used, size, path in sorted(kept):
            if total <= limit:
                return
            with suppress(OSError):
                os.unlink(path)
                total -= size


def files_in(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    """The plain files in a folder, and in the folders in it; no link is followed."""
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.is_dir(follow_symlinks=False):
                yield from files_in(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry
