"""Notices when a file was saved, by any editor: in place, in two steps, or by putting another file in its place.

watchfiles wakes the command at once. It stays optional: it is a compiled package, and without it a look every 50 ms does the same job.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

SETTLED_S = 0.03  # without a change: then nobody is in the middle of writing


class Status(NamedTuple):
    """What of a file's status changes when it is written."""

    modified_ns: int
    size: int
    inode: int


class Watched:
    """One file. Its content at first counts as saved."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reported: Status | None = Status(-1, -1, -1)

    def saved(self) -> bool:
        """Whether the file has changed, or is gone, since this last returned True, and stays so for SETTLED_S."""
        now = status_of(self.path)
        if now == self.reported:
            return False
        time.sleep(SETTLED_S)
        if status_of(self.path) != now:
            return False
        self.reported = now
        return True


def status_of(path: Path) -> Status | None:
    """The status of a file; None where there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return Status(status.st_mtime_ns, status.st_size, status.st_ino)


@contextmanager
def waker(folder: Path) -> Iterator[int | None]:
    """A file descriptor with something to read once anything changes in the folder; None without watchfiles."""
    try:
        from watchfiles import watch
    except ImportError:
        yield None
        return
    wakes, wake = os.pipe()
    os.set_blocking(wake, False)
    stopped = Event()

    def wake_on_change() -> None:
        for _changes in watch(folder, stop_event=stopped, debounce=10, step=5, recursive=False):
            with suppress(OSError):  # the pipe is full of bytes that nobody has read yet, or closed
                os.write(wake, b".")

    Thread(target=wake_on_change, daemon=True).start()
    try:
        yield wakes
    finally:
        stopped.set()
        os.close(wake)
        os.close(wakes)
