"""Reading plain files and nothing else, and writing files so that nobody ever sees half of one."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from contextlib import suppress
from pathlib import Path

WRITING = ".writing-"  # how the name of a file begins until it is whole


def read_plain(path: Path, limit_bytes: int) -> tuple[os.stat_result, bytes]:
    """What a regular file says of itself, and its first bytes. It never waits and follows no link in the last place; OSError otherwise."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return status, file.read(limit_bytes)


def put_in_place(path: Path, content: bytes, mode: int = 0o600, like: Path | None = None) -> None:
    """Put a new file in the place of whatever is there, but of a folder. Its rights are `mode`, or another file's. Raises OSError."""
    beside = path.with_name(f"{WRITING}{os.getpid()}-{path.name}")
    try:
        with suppress(FileNotFoundError):
            beside.unlink()
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode), "wb") as file:
            file.write(content)
        if like is not None:
            shutil.copymode(like, beside)
        os.replace(beside, path)
    except BaseException:  # an interrupt, too
        with suppress(OSError):
            beside.unlink()
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is either as it was, or whole, whatever happens meanwhile; what is no plain file is written to directly.

    The folder must exist. Raises OSError.
    """
    path = path.resolve()  # a link stays one
    if path.exists() and not path.is_file():  # a device or a pipe
        path.write_bytes(content)
        return
    put_in_place(path, content, 0o666, like=path if path.exists() else None)
