"""Notices when a file was saved, by any editor: in place, in two steps, or by putting another file in its place."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

SETTLED_S = 0.03  # without a change: nobody is in the middle of writing


class Look(NamedTuple):
    """What changes of a file when it is written."""

    modified_ns: int
    size: int
    number: int


class Watched:
    """One file. What is there at first counts as saved."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.told: Look | None = Look(-1, -1, -1)

    def saved(self) -> bool:
        """Whether it is another one than when this last said so, or gone, and stays as it is for a moment."""
        now = look(self.path)
        if now == self.told:
            return False
        time.sleep(SETTLED_S)
        if look(self.path) != now:
            return False
        self.told = now
        return True


def look(path: Path) -> Look | None:
    """None where there is no file."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return Look(status.st_mtime_ns, status.st_size, status.st_ino)


@contextmanager
def waker(folder: Path) -> Iterator[int | None]:
    """A file descriptor that can be read from once something changes in the folder; None without `watchfiles`: look again and again."""
    try:
        from watchfiles import watch
    except ImportError:
        yield None
        return
    wakes, wake = os.pipe()
    os.set_blocking(wake, False)
    stopped = Event()

    def tell() -> None:
        for _changes in watch(folder, stop_event=stopped, debounce=10, step=5, recursive=False):
            with suppress(OSError):  # nobody has read the last ones, or nobody is there any more
                os.write(wake, b".")

    Thread(target=tell, daemon=True).start()
    try:
        yield wakes
    finally:
        stopped.set()
        os.close(wake)
        os.close(wakes)
