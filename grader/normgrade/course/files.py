"""Reading and writing of files. Files of strangers are read with care, and no reader ever sees half of a written file."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import time
from contextlib import suppress
from pathlib import Path

from normgrade.language import N_, _
from normgrade.language.errors import CourseError

LINK = N_("a symbolic link")
KINDS = {
    stat.S_IFLNK: LINK,
    stat.S_IFDIR: N_("a directory"),
    stat.S_IFIFO: N_("a named pipe"),
    stat.S_IFSOCK: N_("a socket"),
    stat.S_IFCHR: N_("a device"),
    stat.S_IFBLK: N_("a device"),
}
SPECIAL = N_("a special file")
PAUSE_S = 0.005  # between two attempts to get a lock
LOCKING = os.O_RDWR | os.O_CREAT | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK"))
WRITING = ".writing-"  # the prefix of the name of an unfinished file
READING = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))  # the flags that the platform has


class NotPlain(OSError):
    """The path is no regular file; `kind` names its type."""

    def __init__(self, path: Path | str, kind: str) -> None:
        super().__init__(errno.EINVAL, _("it is {special}, not a file", special=_(kind)), str(path))
        self.kind = kind


class TooLarge(OSError):
    """The file is larger than the limit."""

    def __init__(self, path: Path | str, most: int) -> None:
        super().__init__(errno.EFBIG, _("it is larger than {limit} bytes", limit=most), str(path))


def read_text(path: Path) -> str:
    """Return the text of one of the course's own files, which are trusted: links are followed. Raise CourseError if that fails."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CourseError(_("{path}: cannot be read ({error}).", path=path, error=error.strerror)) from error
    except UnicodeDecodeError as error:
        place, byte = error.start + 1, error.object[error.start]
        raise CourseError(_("{path}: not UTF-8: byte {place} is 0x{byte:02x}.", path=path, place=place, byte=byte)) from error


def read_where_there(path: Path | None) -> str | None:
    """Return the text of a file; None if no file is named."""
    return None if path is None else read_text(path)


def read_plain(path: Path, most: int) -> bytes:
    """Return the content of a regular file of at most `most` bytes. Links are not followed, and nothing is waited for.

    Every file in a learner's folder is read by this function. Raise OSError: NotPlain, TooLarge, or the error of the system.
    """
    return read_with_status(path, most)[1]


def read_with_status(path: Path | str, most: int, dir_fd: int | None = None) -> tuple[os.stat_result, bytes]:
    """Return the status and the content of a regular file, read like `read_plain`. A path may be relative to an open folder."""
    status, content = read_start(path, most + 1, dir_fd)
    if len(content) > most:
        raise TooLarge(path, most)
    return status, content


def read_start(path: Path | str, most: int, dir_fd: int | None = None) -> tuple[os.stat_result, bytes]:
    """Return the status and the first bytes of a regular file, read like `read_with_status`."""
    refuse_special(path, status_of(path, dir_fd))  # before it is opened: opening a device may start it
    with open(os.open(path, READING, dir_fd=dir_fd), "rb") as file:
        status = os.fstat(file.fileno())
        refuse_special(path, status)  # again: it may have been replaced meanwhile
        return status, file.read(most) or b""


def status_of(path: Path | str, dir_fd: int | None = None) -> os.stat_result:
    """Return the status of a path itself, even if it is a link. Raise FileNotFoundError, also if the system cannot have such a name."""
    try:
        return os.lstat(path, dir_fd=dir_fd)
    except ValueError as error:  # the name has a NUL, or a character that the system's encoding lacks
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path)) from error


def refuse_special(path: Path | str, status: os.stat_result) -> None:
    """Raise NotPlain if this is no regular file."""
    if not stat.S_ISREG(status.st_mode):
        raise NotPlain(path, KINDS.get(stat.S_IFMT(status.st_mode), SPECIAL))


def lock(path: Path, patience_s: float, shared: bool = False, dir_fd: int | None = None) -> int:
    """Return a file descriptor that holds a lock until it is closed. A path may be relative to an open folder.

    Raise OSError if others hold the lock for longer than `patience_s`. On a platform without POSIX locks, the descriptor holds none.
    """
    fd = os.open(path, LOCKING, 0o600, dir_fd=dir_fd)
    try:
        refuse_special(path, os.fstat(fd))
        if os.name == "posix":
            wait_for(fd, path, patience_s, shared)
    except BaseException:
        os.close(fd)
        raise
    return fd


def wait_for(fd: int, path: Path, patience_s: float, shared: bool) -> None:
    """Wait until this process holds the lock. Raise BlockingIOError after `patience_s` seconds."""
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock  # not on every system

    until = time.monotonic() + patience_s
    while True:
        try:
            return flock(fd, (LOCK_SH if shared else LOCK_EX) | LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise BlockingIOError(errno.EAGAIN, _('"{path}" is locked', path=path)) from None
            time.sleep(PAUSE_S)


def own_folder(path: Path) -> Path:
    """Return this folder, and make it if it is missing; its parent must exist. Raise OSError if the path is a link or a file."""
    try:
        path.mkdir()
    except FileExistsError:
        status = path.lstat()
        if not stat.S_ISDIR(status.st_mode):
            kind = KINDS.get(stat.S_IFMT(status.st_mode), N_("a file"))
            raise NotADirectoryError(errno.ENOTDIR, _('"{path}" is {special}, not a folder', path=path, special=_(kind))) from None
    return path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file in one step: even after an interruption, it is either unchanged or complete.

    A device or a pipe is written to directly. A link to a file is refused: the author of the folder could have another file overwritten.
    The folder must exist. Raise OSError if writing fails.
    """
    refuse_link(path)
    write_or_put(path, content, 0o666, like=path if path.exists() else None)


def write_or_put(path: Path, content: bytes, mode: int, like: Path | None = None) -> None:
    """Write to a device or a pipe directly, and anything else with `put_in_place`. Raise OSError if writing fails."""
    if leads_to_device(path):
        write_directly(path, content)
    else:
        put_in_place(path, content, mode, like)


def put_in_place(path: Path, content: bytes, mode: int, like: Path | None = None, dir_fd: int | None = None) -> None:
    """Write a new file, which replaces a file or a link there. Its mode is `mode`, or that of the file `like`.

    A path may be relative to an open folder. Raise OSError if writing fails.
    """
    beside = path.with_name(f"{WRITING}{os.urandom(4).hex()}-{path.name}")
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode, dir_fd=dir_fd)  # no link can lie there
    try:
        with open(fd, "wb") as file:
            file.write(content)
        if like is not None:
            shutil.copymode(like, beside)
        os.replace(beside, path, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
    except BaseException:  # an interrupt, too
        with suppress(OSError):
            os.unlink(beside, dir_fd=dir_fd)
        raise


def refuse_link(path: Path) -> None:
    """Raise NotPlain for a link, unless it leads to a device, as /dev/stdout does."""
    if path.is_symlink() and not leads_to_device(path):
        raise NotPlain(path, LINK)


def leads_to_device(path: Path) -> bool:
    """Return True if the path, or the target of a link, exists and is no regular file."""
    return path.exists() and not path.is_file()


def write_directly(path: Path, content: bytes) -> None:
    """Write to a device, or to a pipe that has a reader. Raise OSError for a pipe without readers, instead of waiting."""
    fd = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(fd, "wb") as file:
        os.set_blocking(fd, True)
        file.write(content)
