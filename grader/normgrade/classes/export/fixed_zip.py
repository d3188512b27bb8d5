"""An archive that depends only on its content: names in order, fixed times, modes as they are meant."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

EARLIEST = (1980, 1, 1, 0, 0, 0)  # the first time that a zip can hold
LEFT_OUT = ("__pycache__", ".pyc", ".writing-")
UNIX = 3  # the system that knows modes


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of an archive; `mode` holds its rights."""

    content: bytes
    mode: int = 0o644


def zipped(entries: Mapping[str, Entry], comment: str) -> bytes:
    """Return a zip of these files, by name, with a comment that tells who made it."""
    target = io.BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, entry in sorted(entries.items()):
            info = ZipInfo(name, EARLIEST)
            info.create_system, info.external_attr = UNIX, (stat.S_IFREG | entry.mode) << 16
            info.compress_type = ZIP_DEFLATED
            archive.writestr(info, entry.content)
        archive.comment = comment.encode()
    return target.getvalue()


def entries_in(folder: Path, below: str, mode: int = 0o644) -> Iterator[tuple[str, Entry]]:
    """Yield the files in a folder and in all folders below it, with their names in the archive. Links and byte code are left out."""
    with os.scandir(folder) as found:
        for each in sorted(found, key=lambda entry: entry.name):
            if each.name.startswith(LEFT_OUT) or each.name.endswith(LEFT_OUT):
                continue
            if each.is_dir(follow_symlinks=False):
                yield from entries_in(Path(each.path), f"{below}/{each.name}", mode)
            elif each.is_file(follow_symlinks=False):
                yield f"{below}/{each.name}", Entry(Path(each.path).read_bytes(), mode)


def comment_of(path: Path) -> str:
    """Return the comment of a zip; "" if the file is no zip."""
    try:
        with ZipFile(path) as archive:
            return archive.comment.decode(errors="replace")
    except (OSError, BadZipFile):
        return ""
