"""A folder of pages about a class. Files that are not normgrade's own are never replaced, and links in it are not followed."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

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
