"""The Python files under a path, in folders and zip archives. Nothing of a stranger is followed, run, or unpacked without a limit."""

from __future__ import annotations

import os
import re
import stat
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BufferedReader, BytesIO, FileIO
from itertools import islice
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from normgrade.classes.hand_ins import LeftOut, printable_name
from normgrade.classes.notebooks import LIMIT_NOTEBOOK_BYTES, source_of_notebook
from normgrade.classes.students import LISTING
from normgrade.course.files import KINDS, LINK, READING, SPECIAL, NotPlain, TooLarge, read_start
from normgrade.inspection.pasted import is_notebook
from normgrade.inspection.source import LIMIT_BYTES
from normgrade.language import _, n_
from normgrade.language.errors import UsageError

LIMIT_ARCHIVE_BYTES = 64 * 1024**2  # of an archive in an archive, which is unpacked in memory
LIMIT_LISTING_BYTES = 16 * 1024**2
MOST_DEEP = 4  # archives in one another
LONGEST_NAME, LONGEST_PATH = 255, 4096  # as on most systems
PYTHON, NOTEBOOK, ARCHIVE = ".py", ".ipynb", ".zip"
OTHER_ARCHIVES = (".tar", ".tgz", ".tbz2", ".txz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar")
OF_A_SUBMISSION = re.compile(r"(?:^|/)submission_\d+/")
PASSED_OVER = frozenset(["__MACOSX", "__pycache__", "node_modules", "venv", "site-packages"])  # besides everything hidden


@dataclass(frozen=True, slots=True)
class File:
    """A Python file: its path, from the name of the tree on and as the system has it, and its content or a notebook's code."""

    path: str
    content: bytes


@dataclass
class Tree:
    """The files under a path.

    files: the Python files, sorted by their paths.
    listings: the contents of Gradescope's listings, by the path of their folder.
    left_out: everything that could not be read.
    others: the paths of the files that are not Python.
    unread: the paths of the files that could not be read.
    """

    name: str
    files: list[File] = field(default_factory=list)
    listings: dict[str, bytes] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def leave_out(self, path: str, why: str) -> None:
        self.left_out.append(LeftOut(printable_name(path), why))
        if ".." not in path.split("/"):
            self.unread.append(path)

    def take_over(self, tree: Tree) -> None:
        """Add everything of another tree."""
        self.files += tree.files
        self.listings |= tree.listings
        self.left_out += tree.left_out
        self.others += tree.others
        self.unread += tree.unread


def trees_of(paths: Sequence[Path], budget: Budget) -> list[Tree]:
    """Return the files under each path. A path that leads through a link is left out, as a student may have made the link.

    Links above the files of a class are the teacher's: those in the folders that all paths share, and a single folder.
    """
    whole = [Path(os.path.abspath(path)) for path in paths]
    shared = set.intersection(*({*each.parents} for each in whole)) | ({*whole} if len(whole) == 1 and whole[0].is_dir() else set())
    links = [any(each.is_symlink() for each in (path, *path.parents) if each not in shared) for path in whole]
    return [link_at(there) if is_link else tree_of(path, budget) for path, there, is_link in zip(paths, whole, links, strict=True)]


def link_at(path: Path) -> Tree:
    """Return the tree of a path that leads through a link, of which nothing is read."""
    tree = Tree(path.name)
    tree.leave_out(
        f"{path.parent.name}/{path.name}",
        _("Its path leads through a symbolic link: pass the file or the folder itself."),
    )
    return tree


def tree_of(path: Path, budget: Budget) -> Tree:
    """Return the files under a folder or in an archive, or the file itself. Raise a UsageError if the path is none of them."""
    whole = Path(os.path.abspath(path))
    tree = Tree(path.name if path.name not in ("", "..") else whole.name or str(path))
    try:
        if path.is_dir():
            walk(path, tree, budget)
        elif refuse_other(path).suffix.lower() == ARCHIVE:
            unpack(on_disk(tree.name, whole), 1, tree, budget)
        else:
            take(on_disk(f"{whole.parent.name}/{tree.name}".lstrip("/"), whole), 0, tree, budget)
    except Spent as spent:
        tree.leave_out(tree.name, _("It has {much}, and the rest is not read: pass its parts in several calls.", much=str(spent)))
    tree.files.sort(key=lambda file: file.path)
    return tree


def refuse_other(path: Path) -> Path:
    """Return the path of an archive or a Python file. Raise a UsageError for anything else."""
    if not os.path.lexists(path):
        raise UsageError(_('"{path}" does not exist: check the name.', path=path))
    if not path.exists():
        raise UsageError(_('"{path}" is a link to nothing: pass the path of the folder or the file itself.', path=path))
    if not path.is_file() or path.suffix.lower() not in (PYTHON, NOTEBOOK, ARCHIVE):
        wanted = _('"{path}" holds no hand-ins: pass a folder, a zip file, a Python file or a notebook.', path=path)
        raise UsageError(wanted)
    return path


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in a folder or in an archive.

    path: from the name of the tree on.
    read: returns at most so many bytes. It raises an error of BROKEN if they cannot be read.
    opened: returns the file to read an archive from. It raises an error of BROKEN, such as TooLarge.
    """

    path: str
    read: Callable[[int], bytes]
    opened: Callable[[], IO[bytes]]


def on_disk(path: str, file: Path | str) -> Entry:
    """Return the entry of a file in a folder."""
    return Entry(path, lambda most: read_start(file, most)[1], lambda: Sparing(FileIO(os.open(file, READING))))


def packed(path: str, member: Member, budget: Budget) -> Entry:
    """Return the entry of a file in an archive, whose bytes are counted when they are unpacked."""

    def read(most: int) -> bytes:
        content = member.read(most)
        budget.unpack(len(content))
        return content

    def opened() -> IO[bytes]:
        content = read(LIMIT_ARCHIVE_BYTES + 1)
        if len(content) > LIMIT_ARCHIVE_BYTES:
            raise TooLarge(path, LIMIT_ARCHIVE_BYTES)
        return Sparing(BytesIO(content))

    return Entry(path, read, opened)


def walk(root: Path, tree: Tree, budget: Budget) -> None:
    """Add the files of a folder and of the folders in it."""
    waiting = [(str(root), tree.name)]
    while waiting:
        folder, where = waiting.pop()
        try:
            with os.scandir(folder) as found:
                entries = sorted(islice(found, budget.entries + 1), key=lambda entry: entry.name)
        except OSError as error:
            tree.leave_out(where, cannot_read(error))
            continue
        budget.enter(len(entries))
        below = [(entry, f"{where}/{entry.name}") for entry in entries if not is_passed_over(entry.name)]
        waiting += reversed([(entry.path, path) for entry, path in below if entry.is_dir(follow_symlinks=False)])
        for entry, path in below:
            if entry.is_file(follow_symlinks=False):
                take(on_disk(path, entry.path), 0, tree, budget)
            elif not entry.is_dir(follow_symlinks=False):
                tree.leave_out(path, special(entry))


def is_passed_over(name: str) -> bool:
    """Return True for hidden files and folders, and for those that tools make."""
    return name.startswith(".") or name in PASSED_OVER


def special(entry: os.DirEntry[str]) -> str:
    """Return the sentence about an entry of a folder that is neither a file nor a folder."""
    kind = LINK if entry.is_symlink() else KINDS.get(stat.S_IFMT(entry.stat(follow_symlinks=False).st_mode), SPECIAL)
    return _("It is {special}, which is not read: replace it with the file itself.", special=_(kind))


def take(entry: Entry, depth: int, tree: Tree, budget: Budget) -> None:
    """Add a file to the tree, as its name tells its kind. `depth` is the number of archives around it."""
    name = entry.path.rpartition("/")[2].lower()
    if name.endswith(PYTHON):
        take_source(entry, LIMIT_BYTES, tree, budget)
    elif name.endswith(NOTEBOOK):
        take_source(entry, LIMIT_NOTEBOOK_BYTES, tree, budget)
    elif name.endswith(ARCHIVE):
        take_archive(entry, depth, tree, budget)
    elif name == LISTING and not OF_A_SUBMISSION.search(entry.path):
        take_listing(entry, tree, budget)
    elif name.endswith(OTHER_ARCHIVES):
        tree.leave_out(entry.path, _("It is an archive of another kind than zip: unpack it first."))
    else:
        tree.others.append(entry.path)


def content_of(entry: Entry, most: int, tree: Tree) -> bytes | None:
    """Return the content of a file, at most one byte more than `most`; None if it cannot be read, which the tree then tells."""
    try:
        return entry.read(most + 1)
    except BROKEN as error:
        tree.leave_out(entry.path, cannot_read(error))
        return None


def cannot_read(error: Exception) -> str:
    """Return the sentence about a file, a folder or an archive that cannot be read."""
    if isinstance(error, PermissionError):
        return _("It cannot be read because of its permissions: make it readable.")
    if isinstance(error, TooLarge):
        return _("It is an archive of more than 64 MiB in an archive: unpack it first.")
    if isinstance(error, NotPlain):
        return _("It is {special}, which is not read: replace it with the file itself.", special=_(error.kind))
    why = error.strerror if isinstance(error, OSError) else None
    return _("It cannot be read ({why}): ask for it once more.", why=why or _("it is damaged"))


def take_source(entry: Entry, most: int, tree: Tree, budget: Budget) -> None:
    """Add a Python file, or the code of a notebook without its outputs. A notebook is read as one, whatever its name."""
    content = content_of(entry, most, tree)
    if content is None:
        return
    like_one = most == LIMIT_NOTEBOOK_BYTES or is_notebook(content.decode(errors="replace"))
    source = source_of_notebook(content) if like_one else content
    if isinstance(source, str):  # the reason why there is none
        tree.leave_out(entry.path, source)
    else:
        budget.keep(len(source))
        tree.files.append(File(entry.path, source))


def take_listing(entry: Entry, tree: Tree, budget: Budget) -> None:
    """Add a listing of Gradescope."""
    content = content_of(entry, LIMIT_LISTING_BYTES, tree)
    if content is not None and len(content) > LIMIT_LISTING_BYTES:
        tree.leave_out(entry.path, _("It is larger than 16 MiB, so the submissions that it lists have no names."))
    elif content is not None:
        budget.keep(len(content))
        tree.listings[entry.path.rpartition("/")[0]] = content


def take_archive(entry: Entry, depth: int, tree: Tree, budget: Budget) -> None:
    """Add the files of an archive in a folder or in an archive: all of them, or none if they are too many."""
    if depth >= MOST_DEEP:
        tree.leave_out(entry.path, _("It lies in {number} archives, one in the other: unpack them first.", number=depth))
        return
    if not budget.is_whole:
        unpack(entry, depth + 1, tree, budget)
        return
    inside, own = Tree(entry.path), budget.inside()
    try:
        unpack(entry, depth + 1, inside, own)
    except Spent as spent:
        why = _("It has {much}, and none of it is read: unpack it, or pass it as a path of its own.", much=str(spent))
        tree.leave_out(entry.path, why)
        return
    budget.charge(own)
    tree.take_over(inside)


def unpack(entry: Entry, depth: int, tree: Tree, budget: Budget) -> None:
    """Add the files of an archive."""
    try:
        with entry.opened() as file, ZipFile(file) as archive:
            budget.enter(len(archive.infolist()))
            for member in members(archive):
                take_member(f"{entry.path}/{member.path}", member, depth, tree, budget)
    except TooManyMembers:
        raise Spent(_("too many files")) from None
    except BROKEN as error:
        tree.leave_out(entry.path, cannot_read(error))


def take_member(path: str, member: Member, depth: int, tree: Tree, budget: Budget) -> None:
    """Add a file in an archive, unless it is refused."""
    parts = member.path.split("/")
    if any(map(is_passed_over, parts)) and ".." not in parts:
        return
    if len(path) > LONGEST_PATH or max(map(len, parts)) > LONGEST_NAME:
        tree.leave_out(path[:LONGEST_NAME], _("Its name is too long: shorten it."))
    elif member.refusal:
        tree.leave_out(path, member.refusal)
    else:
        take(packed(path, member, budget), depth, tree, budget)


# Zip archives: their members, those that are refused, and the limits of everything that is read


BROKEN = (  # the errors by which Python says that an archive is damaged
    BadZipFile, EOFError, LookupError, NotImplementedError, OSError, OverflowError, RuntimeError, ValueError, struct.error, zlib.error,
)  # fmt: skip
LIMIT_DIRECTORY_BYTES = 24 * 1024**2  # the list of all members, which is read at once
PIECE_BYTES = 1024**2
MIB = 1024**2
MOST_ENTRIES = 200_000  # files and folders under all paths
MOST_KEPT = 512 * MIB  # bytes of Python files
ENTRIES_INSIDE = MOST_ENTRIES // 4  # in an archive that lies in a folder or in an archive, with everything inside of it
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
