"""The limits of reading: how many files, and how many bytes, are taken from archives and folders of strangers."""

from __future__ import annotations

from normgrade.language import _, n_

MIB = 1024**2
MOST_ENTRIES = 200_000  # files and folders under all paths
MOST_KEPT = 512 * MIB  # bytes of Python files
ENTRIES_INSIDE = 50_000  # in an archive that lies in a folder or in an archive, with everything inside of it
UNPACKED_INSIDE = 512 * MIB  # bytes that may be unpacked from it, whether they are kept or not


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
