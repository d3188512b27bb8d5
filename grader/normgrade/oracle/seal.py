"""The key that signs kept expectations. It lies in the user's configuration folder, where walls of the kernel hide it from workers.

A worker of the tier `process` can read every file of the user. So the key is deleted from the disk before such a worker starts, and is
written again when the last such grading has ended. A grading that finds no key draws a new one, and computes all expectations anew.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from normgrade.course.private_folder import PrivateFolder

KEY = "cache.key"
LOCK = "cache.lock"  # all gradings of the tier `process` share it; a grading that writes a key holds it exclusively
KEY_BYTES = 32
OF_OTHERS = 0o077  # the rights of other users; a key file grants none of them
PATIENCE_S = 0.05  # the longest wait for a lock, which others hold while they write a key


class Seal:
    """A user's key: in memory, and on the disk while no worker can read it there.

    If the folder cannot be read or written, that costs time and changes no result.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.sharing: int | None = None  # the file descriptor of the shared lock

    @cached_property
    def key(self) -> bytes:
        """The key on the disk. If there is none, a new key, which is written there."""
        if known := self.read():
            return known
        guard = self.locked(shared=False)
        key = self.read() or secrets.token_bytes(KEY_BYTES)  # another grading may have written one meanwhile
        if guard is not None:
            self.write(key)
            os.close(guard)
        return key

    def read(self) -> bytes | None:
        """Return the key on the disk, or None if it is missing or if other users could have read it."""
        try:
            with PrivateFolder(self.folder) as folder:
                status, content = folder.read(KEY, KEY_BYTES)
        except OSError:
            return None
        is_mine = os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & OF_OTHERS)
        return content if is_mine and len(content) == KEY_BYTES else None

    def write(self, key: bytes) -> None:
        """Write the key to the disk, readable by this user only."""
        with suppress(OSError), PrivateFolder(self.folder, make=True) as folder:
            folder.write(KEY, key)

    def before_worker(self, tier: str) -> None:
        """Delete the key from the disk if a worker of this tier could read it. Called before the worker starts."""
        if tier == "process" and self.sharing is None:
            self.key  # noqa: B018  (reads it into memory before it is deleted)
            self.sharing = self.locked(shared=True)
            with suppress(OSError), PrivateFolder(self.folder) as folder:
                folder.delete(KEY)

    def close(self) -> None:
        """Write the key again, unless another grading of the tier `process` is still running. Called when all workers have ended."""
        if self.sharing is not None:
            os.close(self.sharing)
            self.sharing = None
            if (guard := self.locked(shared=False)) is not None:
                self.write(self.key)  # replaces a key that a worker may have put there
                os.close(guard)

    def locked(self, shared: bool) -> int | None:
        """Return a file descriptor that holds the lock until it is closed, or None if others hold it for too long."""
        try:
            with PrivateFolder(self.folder, make=True) as folder:
                return folder.lock(LOCK, PATIENCE_S, shared)
        except OSError:
            return None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()
