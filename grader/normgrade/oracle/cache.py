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

from normgrade.course.files import WRITING
from normgrade.course.private_folder import PrivateFolder

MOST_HELD = 8192  # entries in memory, of about ten kilobytes each
MOST_BYTES = 1024**3  # in the folder: nine times the need of a course of forty exercises for a seed that does not ship
LEFT_BYTES = 7 * MOST_BYTES // 8  # in the folder after a clean-up; less than the limit, so that clean-ups are rare
SWEPT_BYTES = MOST_BYTES // 16  # written between two clean-ups
LARGEST_BYTES = 16 * 1024**2  # of one file: no kept file has more than a few
SEAL_BYTES = 32  # of the signature, which comes before the content
USED_S = 3600  # the precision of the time at which a file was last used
STALE_S = 3600  # the age from which an unfinished file is abandoned
PATIENCE_S = 120.0  # the longest wait for a computation of another process; the slowest takes about a minute


@dataclass
class Cache:
    """Bytes by name. If the folder cannot be used or a signature is wrong, that costs time and changes no result."""

    folder: Path
    key: bytes = field(repr=False)
    held: dict[str, bytes] = field(default_factory=dict, repr=False)
    written_bytes: int = 0  # since the last clean-up

    def get(self, name: str) -> bytes | None:
        """Return the bytes of that name from memory or from the folder, or None if there are none."""
        if name not in self.held and (content := self.read(name)) is not None:
            self.hold(name, content)
        return self.held.get(name)

    def read(self, name: str) -> bytes | None:
        """Return the bytes of that name in the folder, or None if there are none or if their signature is wrong."""
        try:
            with self.drawer(name) as drawer:
                status, stored = drawer.read(name, LARGEST_BYTES)
                content = stored[SEAL_BYTES:]
                if not hmac.compare_digest(stored[:SEAL_BYTES], self.sign(name, content)):  # changed, another user's, or renamed
                    return None
                if status.st_atime < time.time() - USED_S:
                    with suppress(OSError):
                        drawer.set_times(name, time.time_ns(), status.st_mtime_ns)
        except OSError:
            return None
        return content

    def put(self, name: str, content: bytes) -> None:
        """Keep these bytes, in memory and in the folder."""
        self.hold(name, content)
        with suppress(OSError), self.drawer(name, make=True) as drawer:
            drawer.write(name, self.sign(name, content) + content)
            self.written_bytes += len(content)
        if self.written_bytes > SWEPT_BYTES:
            self.sweep()

    @contextmanager
    def alone(self, name: str, patience_s: float = PATIENCE_S) -> Iterator[None]:
        """Hold the lock of this name. Other processes that want to compute its entry wait for so long, and find it kept afterwards."""
        guard: int | None = None
        with suppress(OSError), self.drawer(name, make=True) as drawer:  # else both compute it: none can write, or the other is too slow
            guard = drawer.lock(f"{WRITING}{name}", min(patience_s, PATIENCE_S))
        try:
            yield
        finally:
            if guard is not None:
                with suppress(OSError), self.drawer(name) as drawer:
                    drawer.delete(f"{WRITING}{name}")
                os.close(guard)

    def sign(self, name: str, content: bytes) -> bytes:
        """Return the signature of these bytes under that name. Without it, a changed file or one of another request would be used."""
        return hmac.digest(self.key, name.encode() + b"\0" + content, "sha256")

    def hold(self, name: str, content: bytes) -> None:
        """Keep the bytes in memory, which is emptied when full: proving a course on many seeds meets hundreds of thousands of names."""
        if len(self.held) >= MOST_HELD:
            self.held.clear()
        self.held[name] = content

    @cached_property
    def shelf(self) -> str:
        """The name of this key's folder. Another key, such as that of another configuration, has another folder."""
        return sha256(self.key).hexdigest()[:16]

    def drawer(self, name: str, make: bool = False) -> PrivateFolder:
        """Return the open folder that holds the file of that name."""
        return PrivateFolder(self.folder, self.shelf, name[:2], make=make)

    def sweep(self) -> None:
        """Clean up if anything was written: delete abandoned files, and the least recently used ones if the folder is too large."""
        if not self.written_bytes:
            return
        self.written_bytes = 0
        kept, now = [], time.time()
        for way, status in self.files():
            if not way[-1].startswith(WRITING):
                kept.append((status.st_atime, status.st_size, way))
            elif status.st_mtime < now - STALE_S:
                self.delete(*way)
        total = sum(size for _used, size, _way in kept)
        limit = LEFT_BYTES if total > MOST_BYTES else total
        for _used, size, way in sorted(kept):
            if total <= limit:
                return
            if self.delete(*way):
                total -= size

    def files(self, *below: str) -> Iterator[tuple[tuple[str, ...], os.stat_result]]:
        """Yield the plain files in the folder and in all folders below it: the names on the way to each, and its status."""
        with suppress(OSError), PrivateFolder(self.folder, *below) as folder:
            for entry in folder.entries():
                if entry.is_dir(follow_symlinks=False):
                    yield from self.files(*below, entry.name)
                elif entry.is_file(follow_symlinks=False):
                    with suppress(OSError):
                        yield (*below, entry.name), entry.stat(follow_symlinks=False)

    def delete(self, *way: str) -> bool:
        """Delete a file of the folder, given the names on the way to it. Return True if that was possible."""
        *below, name = way
        with suppress(OSError), PrivateFolder(self.folder, *below) as folder:
            folder.delete(name)
            return True
        return False
