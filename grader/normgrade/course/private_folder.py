"""Folders that only the user may write to. They are opened by descriptor, so that replacing one by a link has no effect."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from shlex import quote
from types import TracebackType
from typing import Self

from normgrade.course.files import lock, put_in_place, read_with_status
from normgrade.language import N_, _

BY_DESCRIPTOR = {os.open, os.mkdir, os.unlink, os.utime, os.stat, os.rename} <= os.supports_dir_fd and os.scandir in os.supports_fd
OPENING = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_DIRECTORY", "O_NOFOLLOW"))
WRITERS = 0o022  # the right of others to write
IS_LINK = N_("it is a symbolic link")
IS_OF_OTHERS = N_("it belongs to another user")
IS_WRITABLE = N_("others may write to it")


class NotPrivate(OSError):
    """The folder is not the user's own; `why` gives the reason."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(errno.EPERM, _(why), path)
        self.path, self.why = path, why

    def told(self, root: Path, variable: str) -> str:
        """Return the sentence that the folder is not used, with the next step; the variable names another root."""
        said = {"path": self.path, "why": _(self.why), "variable": variable}
        if self.why == IS_WRITABLE:
            return _(
                'The folder "{path}" is not used: {why}. Run `chmod -R go-w {root}` to prevent that, or set {variable} to another folder.',
                root=quote(str(root)),
                **said,
            )
        return _('The folder "{path}" is not used: {why}. Set {variable} to another folder, or remove this one.', **said)


class PrivateFolder:
    """The folder `below` a root, open. Each folder on the way is opened in the one before it; with `make`, missing folders are made.

    All names are those of files in it, and no link is followed. The folders above the root are not checked. All methods raise OSError
    if the system does; opening raises NotPrivate if a folder is not the user's own.
    """

    def __init__(self, root: Path, *below: str, make: bool = False) -> None:
        if make:
            root.parent.mkdir(parents=True, exist_ok=True)
        self.path = str(root.parent)
        self.fd: int | None = None  # None for the root's parent, and always if the platform opens files only by path
        try:
            for name in (root.name, *below):
                self.descend(name, make)
        except BaseException:  # an interrupt, too
            self.close()
            raise

    def descend(self, name: str, make: bool) -> None:
        """Open a folder in this one, and close this one."""
        path, named = os.path.join(self.path, name), self.named(name)
        if make:
            with suppress(FileExistsError):
                os.mkdir(named, 0o700, dir_fd=self.fd)
        if not BY_DESCRIPTOR:
            refuse_others(path, os.lstat(named))
            self.path = path
            return
        try:
            fd = os.open(named, OPENING, dir_fd=self.fd)
        except OSError:
            refuse_others(path, os.lstat(named, dir_fd=self.fd))  # raises an error that says more, if that is the reason
            raise
        self.close()
        self.path, self.fd = path, fd
        refuse_others(path, os.fstat(fd))

    def named(self, name: str) -> str:
        """Return the name by which the system finds a file in the folder."""
        return os.path.join(self.path, name) if self.fd is None else name

    def read(self, name: str, most: int) -> tuple[os.stat_result, bytes]:
        """Return the status and the content of a regular file of at most `most` bytes."""
        return read_with_status(self.named(name), most, self.fd)

    def write(self, name: str, content: bytes) -> None:
        """Write a file in one step, which only the user may read."""
        put_in_place(Path(self.named(name)), content, 0o600, dir_fd=self.fd)

    def delete(self, name: str) -> None:
        os.unlink(self.named(name), dir_fd=self.fd)

    def set_times(self, name: str, accessed_ns: int, modified_ns: int) -> None:
        """Set the times of a file's last use and last change."""
        os.utime(self.named(name), ns=(accessed_ns, modified_ns), dir_fd=self.fd, follow_symlinks=self.fd is None)

    def lock(self, name: str, patience_s: float, shared: bool = False) -> int:
        """Return a file descriptor that holds a lock on a file until it is closed."""
        return lock(Path(self.named(name)), patience_s, shared, self.fd)

    def entries(self) -> list[os.DirEntry[str]]:
        """Return the entries of the folder."""
        with os.scandir(self.path if self.fd is None else self.fd) as found:
            return list(found)

    def close(self) -> None:
        if self.fd is not None:
            os.close(self.fd)
            self.fd = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def refuse_others(path: str, status: os.stat_result) -> None:
    """Raise NotPrivate for a folder that is a link, that belongs to another user, or that others may write to."""
    if stat.S_ISLNK(status.st_mode):
        raise NotPrivate(path, IS_LINK)
    if os.name == "posix" and status.st_uid != os.geteuid():
        raise NotPrivate(path, IS_OF_OTHERS)
    if os.name == "posix" and status.st_mode & WRITERS:
        raise NotPrivate(path, IS_WRITABLE)


def first_refused(root: Path) -> NotPrivate | None:
    """Return the error about the first folder that is not used: the root, one in it, or one in those; None if there is none."""
    try:
        for name in checked(root):
            checked(root, name)
    except NotPrivate as error:
        return error
    except OSError:
        return None
    return None


def checked(root: Path, *below: str) -> list[str]:
    """Return the names of the folders in one. Raise OSError, and NotPrivate if one is not the user's own."""
    names = []
    with PrivateFolder(root, *below) as folder:
        for entry in folder.entries():
            if entry.is_dir(follow_symlinks=False):
                refuse_others(os.path.join(folder.path, entry.name), entry.stat(follow_symlinks=False))
                names.append(entry.name)
    return names
