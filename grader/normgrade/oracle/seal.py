"""The key that kept expectations are sealed with: it lies in the user's configuration, where no worker behind walls can read it.

Code behind `process` can read what the user can. So the key leaves the disk before such code runs, and comes back when the last of these
gradings has ended. Whoever finds no key draws a new one: what was sealed with another is computed again.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from normgrade.course.files import lock, put_in_place, read_with_status

KEY_BYTES = 32
OF_OTHERS = 0o077  # rights; a key has none of them
PATIENCE_S = 0.05  # to get a lock that another grading holds for as long as it takes to write a key


class Seal:
    """A user's key: in memory, and on the disk while nothing runs that could read it there.

    A folder that cannot be read or written costs time, never a result.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "cache.key"
        self.lock = folder / "cache.lock"  # shared by all gradings behind `process`; whoever writes a key holds it alone
        self.sharing: int | None = None

    @cached_property
    def key(self) -> bytes:
        """The one that is kept, or else a new one."""
        if known := self.kept():
            return known
        guard = locked(self.lock, shared=False)
        key = self.kept() or secrets.token_bytes(KEY_BYTES)  # another grading may have been faster
        if guard is not None:
            self.keep(key)
            os.close(guard)
        return key

    def kept(self) -> bytes | None:
        """The key on the disk, where nobody else may read it."""
        try:
            status, content = read_with_status(self.path, KEY_BYTES)
        except OSError:
            return None
        is_mine = os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & OF_OTHERS)
        return content if is_mine and len(content) == KEY_BYTES else None

    def keep(self, key: bytes) -> None:
        with suppress(OSError):
            put_in_place(self.path, key, 0o600)

    def stand_behind(self, tier: str) -> None:
        """Called before a worker starts behind this tier: take the key off the disk where the worker could read it."""
        if tier == "process" and self.sharing is None:
            assert self.key  # in memory, before it goes
            self.sharing = locked(self.lock, shared=True)
            with suppress(OSError):
                self.path.unlink()

    def close(self) -> None:
        """All workers have ended: the key comes back, unless another grading behind `process` goes on."""
        if self.sharing is not None:
            os.close(self.sharing)
            self.sharing = None
            if (guard := locked(self.lock, shared=False)) is not None:
                self.keep(self.key)  # over whatever was put there meanwhile
                os.close(guard)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def locked(path: Path, shared: bool) -> int | None:
    """A file descriptor that holds the lock until it is closed; None where it is not to be had soon."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return lock(path, PATIENCE_S, shared)
    except OSError:
        return None
