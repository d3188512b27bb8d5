"""Zip archives of strangers: their members, those that are refused, and the limits of everything that is read."""

from __future__ import annotations

import os
import re
import stat
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from normgrade.language import _, n_

BROKEN = (  # the errors by which Python says that an archive is damaged
    BadZipFile, EOFError, LookupError, NotImplementedError, OSError, OverflowError, RuntimeError, ValueError, struct.error, zlib.error,
)  # fmt: skip
LIMIT_DIRECTORY_BYTES = 24 * 1024**2  # the list of all members, which is read at once
PIECE_BYTES = 1024**2
MIB = 1024**2
MOST_ENTRIES = 200_000  # files and folders under all paths
MOST_KEPT = 512 * MIB  # bytes of Python files
ENTRIES_INSIDE = 50_000  # in an archive that lies in a folder or in an archive, with everything inside of it
UNPACKED_INSIDE = 512 * MIB  # bytes that may be unpacked from it, whether they are kept or not
ENCRYPTED, UTF_8 = 0x1, 0x800  # bits of a member's flags
DOS = 0  # the system of archives that may separate folders with backslashes
UNIX_MODE = 16  # bits, to the left of which the mode of a file stands
DRIVE = re.compile(r"[a-zA-Z]:")  # of Windows, at the beginning of a path
METHODS = frozenset({ZIP_STORED, ZIP_DEFLATED})  # the others can unpack a few bytes to gigabytes at once


class TooManyMembers(Exception):
    """The directory of an archive is larger than the limit."""


class Sparing(BufferedReader):
    """A file that is only read in pieces: `zipfile` reads the directory of an archive in one."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > LIMIT_DIRECTORY_BYTES:
            raise TooManyMembers
        return super().read(size)


@dataclass(frozen=True, slots=True)
class Member:
    """A file in an archive: its path there, and the reason in a sentence why it is refused, or ""."""

    archive: ZipFile
    info: ZipInfo
    path: str
    refusal: str

    def read(self, most: int) -> bytes:
        """Return at most this many bytes of the content. Raise an error of BROKEN if they cannot be read."""
        pieces, left = [], most
        with self.archive.open(self.info) as file:
            while left > 0 and (piece := file.read(min(left, PIECE_BYTES))):
                pieces.append(piece)
                left -= len(piece)
        return b"".join(pieces)


def members(archive: ZipFile) -> Iterator[Member]:
    """Yield the files in an archive."""
    with_slashes = any("/" in info.filename for info in archive.infolist())
    for info in archive.infolist():
        path = path_of(info, with_slashes)
        if not path.endswith("/"):
            parts = [part for part in path.split("/") if part not in ("", ".")]
            yield Member(archive, info, "/".join(parts), refusal_of(info, path, parts))


def path_of(info: ZipInfo, with_slashes: bool) -> str:
    """Return the path of a member as the file system would have it. Backslashes separate folders on DOS, or if nothing else does."""
    return name_of(info) if with_slashes and info.create_system != DOS else name_of(info).replace("\\", "/")


def name_of(info: ZipInfo) -> str:
    """Return the name of a member. Python reads names without the flag for UTF-8 as cp437."""
    if info.flag_bits & UTF_8:
        return info.filename
    try:
        return os.fsdecode(info.filename.encode("cp437"))
    except UnicodeEncodeError:  # an extra field of the member has told the name in UTF-8
        return info.filename


def refusal_of(info: ZipInfo, path: str, parts: list[str]) -> str:
    """Return the reason why a member is refused, or ""."""
    if path.startswith("/") or ".." in parts or DRIVE.match(path) or not parts:
        return _("Its path in the archive leads out of the archive: pack it again.")
    if stat.S_ISLNK(info.external_attr >> UNIX_MODE):
        return _("It is a symbolic link, and links are not followed: pack the file itself.")
    if info.flag_bits & ENCRYPTED:
        return _("It is encrypted: pack it again without a password.")
    if info.compress_type not in METHODS:
        return _("It is compressed in an unusual way: pack it again as an ordinary zip file.")
    return ""


# Limits


class Spent(Exception):
    """A limit is reached; the text names it, as in "more than 50,000 files"."""


class Budget:
    """The entries, the bytes to keep and the bytes to unpack that are left. The one of a whole call may unpack any number."""

    def __init__(self, entries: int = MOST_ENTRIES, kept: int = MOST_KEPT, unpacked: int | None = None) -> None:
        self.entries, self.kept, self.unpacked = entries, kept, unpacked
        self.limits = entries, kept, unpacked

    @property
    def is_whole(self) -> bool:
        return self.unpacked is None

    def inside(self) -> Budget:
        """Return the budget of an archive inside, so that no student's archive can use up everything."""
        return Budget(min(self.entries, ENTRIES_INSIDE), self.kept, UNPACKED_INSIDE)

    def charge(self, other: Budget) -> None:
        """Count everything that another budget has counted."""
        self.enter(other.limits[0] - other.entries)
        self.keep(other.limits[1] - other.kept)

    def enter(self, entries: int) -> None:
        """Count entries of a folder or of an archive. Raise Spent if they are too many."""
        self.entries -= entries
        if self.entries < 0:
            raise Spent(n_("more than {n} file", "more than {n} files", self.limits[0]))

    def keep(self, size: int) -> None:
        """Count the bytes of a file that is kept. Raise Spent if they are too many."""
        self.kept -= size
        if self.kept < 0:
            raise Spent(_("more than {most} MiB of Python files", most=self.limits[1] // MIB))

    def unpack(self, size: int) -> None:
        """Count bytes that were unpacked. Raise Spent if they are too many."""
        if self.unpacked is None:
            return
        self.unpacked -= size
        if self.unpacked < 0:
            raise Spent(_("more than {most} MiB to unpack", most=UNPACKED_INSIDE // MIB))
