"""A folder of pages about a class: its writing, and names for the pages of students.

Files that are not normgrade's own are never replaced, and links in it are not followed.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from normgrade.classes.reading.layouts import IN_MOODLE
from normgrade.course.files import own_folder, put_in_place, read_start
from normgrade.language import _
from normgrade.language.errors import UsageError

OURS = re.compile(rb'<!-- normgrade -->|<!DOCTYPE html>\s*<html [^>]*>\s*<head>\s*<meta name="generator" content="normgrade">|\Z')
START_BYTES = 256


@dataclass(frozen=True, slots=True)
class Page:
    """A file to write: its path below the folder, and its text."""

    path: PurePosixPath
    text: str


def write_pages(folder: Path, pages: Iterable[Page]) -> int:
    """Write pages as they come, which only their owner may read, and return their number. Raise a UsageError if one cannot be written."""
    written = 0
    with writable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for page in pages:
            write_page(folder, page)
            written += 1
    return written


def write_page(folder: Path, page: Page) -> None:
    """Write a page, and make the folders below `folder` that it needs. Raise OSError if a file that is not ours is in its place."""
    target = folder
    for part in page.path.parts[:-1]:
        target = own_folder(target / part)
    target /= page.path.name
    if os.path.lexists(target) and not OURS.match(read_start(target, START_BYTES)[1]):
        raise FileExistsError(errno.EEXIST, _('"{path}" is there already, and normgrade did not write it', path=target))
    put_in_place(target, page.text.encode(), 0o600)


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Raise a UsageError for every error of the system."""
    try:
        yield
    except OSError as error:
        raise UsageError(
            _('The pages cannot be written to "{path}" ({error}). Choose another folder.', path=folder, error=error.strerror)
        ) from error


# Names: safe on every system, and never shared by two students


MOST_BYTES = 90  # of a name without its suffix
KEPT = " -_.,()'"  # besides letters, marks and digits
RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d|index)(?:\..*)?", re.IGNORECASE)  # names that Windows or a server uses itself


def page_names(students: Iterable[str]) -> Mapping[str, str]:
    """Return the name of each student's file, without a suffix: the student's name if it is safe, else one like it with a hash."""
    names = [*students]
    alike = Counter(map(key_of, names))
    return {name: own_name(name, alike[key_of(name)] > 1) for name in names}


def key_of(name: str) -> str:
    """Return what is the same for names that some file system holds for the same."""
    return unicodedata.normalize("NFKC", safe(name)).casefold()


def own_name(name: str, is_shared: bool) -> str:
    """Return a safe name for a student. It has a hash if it is not the student's name, or like that of somebody else."""
    made = safe(name)
    if made == name and not is_shared and not RESERVED.fullmatch(made):
        return made
    mark = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:10]
    return f"{shortened(made, MOST_BYTES - 1 - len(mark)).rstrip(' -_')}-{mark}"


def safe(name: str) -> str:
    """Return a name of letters, digits and a few signs, of at most MOST_BYTES, that neither begins nor ends with a sign of its own."""
    written = unicodedata.normalize("NFC", name)
    return shortened("".join(sign if sign in KEPT or unicodedata.category(sign)[0] in "LMN" else "-" for sign in written), MOST_BYTES)


def shortened(name: str, most_bytes: int) -> str:
    kept = name.encode()[:most_bytes].decode(errors="ignore")
    return kept.lstrip(" .-_").rstrip(" .") or "student"


def moodle_folder(folder: str) -> str:
    """Return the folder that Moodle expects feedback in, for the folder of a hand-in from there; "" for none.

    >>> moodle_folder("Anna_Li_7_assignsubmission_file_")
    'Anna Li_7_assignsubmission_file_'
    """
    student, _line, number = folder.removesuffix(IN_MOODLE).rpartition("_")
    return f"{safe(student.replace('_', ' '))}_{number}{IN_MOODLE}" if folder else ""
