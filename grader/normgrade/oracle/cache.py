"""Expectations kept between runs in the user's cache folder: one small file each, signed with the user's key, written by atomic rename."""

from __future__ import annotations

import hmac
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from normgrade.course.files import WRITING, lock, put_in_place, read_with_status

MOST_HELD = 8192  # entries in memory, of about ten kilobytes each
MOST_BYTES = 1024**3  # in the folder: all that a course of forty exercises needs for one seed is half of it
LEFT_BYTES = 7 * MOST_BYTES // 8  # in the folder after a clean-up; less than the limit, so that clean-ups are rare
SWEPT_BYTES = MOST_BYTES // 16  # written between two clean-ups
LARGEST_BYTES = 64 * 1024**2  # of one file: what all mistakes of an exercise lead to has up to 25 MiB
ONLY_MINE = 0o600
SEAL_BYTES = 32  # of the signature, which comes before the content
USED_S = 3600  # the precision of the time at which a file was last used
STALE_S = 3600  # the age from which an unfinished file is abandoned
PATIENCE_S = 120.0  # how long to wait for what another process computes: what takes longest takes about a minute


@dataclass
class Cache:
    """Bytes by name. A folder that cannot be read or written, or a file with a wrong signature, costs time and changes no result."""

    folder: Path
    key: bytes = field(repr=False)
    held: dict[str, bytes] = field(default_factory=dict, repr=False)
    written_bytes: int = 0  # since the last clean-up

    def get(self, name: str) -> bytes | None:
        """The bytes of that name; None where there are none, or where their signature is wrong."""
        if name not in self.held:
            path = self.path(name)
            try:
                status, stored = read_with_status(path, LARGEST_BYTES)
            except OSError:
                return None
            content = stored[SEAL_BYTES:]
            if not hmac.compare_digest(stored[:SEAL_BYTES], self.sign(name, content)):  # a changed file, another user's, or a renamed one
                return None
            if status.st_atime < time.time() - USED_S:
                with suppress(OSError):
                    os.utime(path, ns=(time.time_ns(), status.st_mtime_ns))
            self.hold(name, content)
        return self.held[name]

    def put(self, name: str, content: bytes) -> None:
        """Keep these bytes, in memory and in the folder."""
        self.hold(name, content)
        path = self.path(name)
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            put_in_place(path, self.sign(name, content) + content, ONLY_MINE)
            self.written_bytes += len(content)
        if self.written_bytes > SWEPT_BYTES:
            self.sweep()

    @contextmanager
    def alone(self, name: str, patience_s: float = PATIENCE_S) -> Iterator[None]:
        """Meanwhile, whoever else wants to compute what belongs under this name waits for so long, to find it kept afterwards."""
        path = self.path(name).with_name(f"{WRITING}{name}")
        guard: int | None = None
        with suppress(OSError):  # the folder cannot be written, or the other takes too long: then both compute it
            path.parent.mkdir(parents=True, exist_ok=True)
            guard = lock(path, min(patience_s, PATIENCE_S))
        try:
            yield
        finally:
            if guard is not None:
                with suppress(OSError):
                    path.unlink()
                os.close(guard)

    def sign(self, name: str, content: bytes) -> bytes:
        """The signature of these bytes under that name. Without it, a changed file or that of another request would be used."""
        return hmac.digest(self.key, name.encode() + b"\0" + content, "sha256")

    def hold(self, name: str, content: bytes) -> None:
        """Keep the bytes in memory, which is emptied when full: proving a course on many seeds meets hundreds of thousands of names."""
        if len(self.held) >= MOST_HELD:
            self.held.clear()
        self.held[name] = content

    @cached_property
    def shelf(self) -> Path:
        """The folder of this key. Users who share the cache's folder have different keys, and so different folders."""
        return self.folder / sha256(self.key).hexdigest()[:16]

    def path(self, name: str) -> Path:
        """The file of that name."""
        return self.shelf / name[:2] / name

    def sweep(self) -> None:
        """Clean up, if anything was written: delete abandoned files, and the least recently used ones where the folder is too large."""
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
    """The plain files in a folder and in all folders below it. No link is followed."""
    with suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.is_dir(follow_symlinks=False):
                yield from files_in(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry
