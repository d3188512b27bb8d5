"""Writing files so that nobody ever sees half of one."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is either as it was, or whole, whatever happens meanwhile; what is no plain file is written to directly.

    The folder must exist. Raises OSError.
    """
    path = path.resolve()  # a link stays one
    if path.exists() and not path.is_file():  # a device or a pipe
        path.write_bytes(content)
        return
    beside = path.with_name(f".writing-{os.getpid()}-{path.name}")
    try:
        beside.write_bytes(content)
        if path.exists():
            shutil.copymode(path, beside)
        os.replace(beside, path)
    except BaseException:  # an interrupt, too
        with suppress(OSError):
            beside.unlink()
        raise
