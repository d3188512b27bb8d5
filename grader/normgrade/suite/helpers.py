"""Helpers that the suites of a course share: `from shared import rows` finds `shared.py` beside the suites."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from normgrade.course.layout import Files
from normgrade.course.unoptimised import unoptimised

NAME = "shared"  # of the module


@contextmanager
def found_in(folder: Path) -> Iterator[None]:
    """Let Python find the helpers in this folder meanwhile. Afterwards, any other module of their name is put back.

    Suites and helpers that are imported meanwhile keep their asserts.
    """
    before = sys.modules.pop(NAME, None)
    sys.path.insert(0, str(folder))
    try:
        with unoptimised(folder):
            yield
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(NAME, None)
        if before is not None:
            sys.modules[NAME] = before


def is_hidden(path: Path) -> bool:
    """Return True if this is the hidden suite of a course."""
    if len(path.parents) < 3:  # too high up to lie in a course
        return False
    files = Files(path.stem.removeprefix("test_"), path.parents[2])
    return path == files.suite and files.folder.is_dir()
