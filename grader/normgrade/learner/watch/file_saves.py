"""A watch on a file that notices every save: in place, in two steps, or by a file that replaces the old one.

watchfiles wakes the command at once. It is optional, because it is a compiled package; without it, a look every 50 ms does the same job.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

from normgrade.language import _

SETTLED_S = 0.03  # without a change; after that, no editor is still writing
LAST_WAKE_S = 2.0  # for the thread of watchfiles to end


class Status(NamedTuple):
    """The fields of a file's status that change when the file is written."""

    modified_ns: int
    size: int
    inode: int


class Watched:
    """A file that is watched. Its first content counts as saved."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.reported: Status | None = Status(-1, -1, -1)

    def saved(self) -> bool:
        """Return True if the file has changed or is gone since this last returned True, and has then been unchanged for SETTLED_S."""
        now = status_of(self.path)
        if now == self.reported:
            return False
        time.sleep(SETTLED_S)
        if status_of(self.path) != now:
            return False
        self.reported = now
        return True


def status_of(path: Path) -> Status | None:
    """Return the status of a file; None if there is no file."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return Status(status.st_mtime_ns, status.st_size, status.st_ino)


@contextmanager
def waker(folder: Path, say: Callable[[str], None]) -> Iterator[int | None]:
    """Return a file descriptor that becomes readable when anything changes in the folder; None without watchfiles.

    If the system refuses to watch another folder, `say` is called with a sentence about it, and None is returned.
    """
    try:
        from watchfiles import watch  # loads watchfiles

        next(watch(folder, rust_timeout=1, yield_on_timeout=True, recursive=False))  # raises what the thread below would raise
    except ImportError:
        yield None
        return
    except OSError:
        say(_("Note: The system can watch no more files, so normgrade looks for saves itself, several times a second."))
        yield None
        return
    wakes, wake = os.pipe()
    os.set_blocking(wake, False)
    stopped = Event()

    def wake_on_change() -> None:
        for _change in watch(folder, stop_event=stopped, debounce=10, step=5, recursive=False):
            with suppress(OSError):  # the pipe is full of bytes that nobody has read yet, or closed
                os.write(wake, b".")

    watcher = Thread(target=wake_on_change, daemon=True)
    watcher.start()
    try:
        yield wakes
    finally:
        stopped.set()
        watcher.join(LAST_WAKE_S)
        if not watcher.is_alive():  # else it may write to a file that gets the number of the pipe
            os.close(wake)
            os.close(wakes)
