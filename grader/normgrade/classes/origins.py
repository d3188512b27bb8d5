"""The origin of a result: digests of the course and of normgrade, and the versions of the libraries."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from normgrade import __version__
from normgrade.classes.gradebook import Origin
from normgrade.course.exercise import Exercise
from normgrade.course.layout import settings_in
from normgrade.course.package import digest_of_sources

FOR_LEARNERS = {".md", ".svg"}  # the endings of files that decide no verdict


def origin_of(exercise: Exercise, seed: int) -> Origin:
    """Return the origin of the results at an exercise that are made here, with this seed."""
    libraries = {"python": platform.python_version(), "numpy": version("numpy"), "torch": version("torch")}
    return Origin(digest_of_exercise(exercise), digest_of_sources().hex(), {"normgrade": __version__, **libraries}, seed)


def digest_of_exercise(exercise: Exercise) -> str:
    """Return a digest of all files of the course that decide a verdict on this exercise, in hexadecimal."""
    digest = hashlib.sha256()
    for path in files_of(exercise):
        content, name = path.read_bytes(), path.relative_to(exercise.course).as_posix()
        digest.update(f"{len(name)} {len(content)} {name}".encode() + content)
    return digest.hexdigest()


def files_of(exercise: Exercise) -> Iterator[Path]:
    """Yield the files, sorted within each folder."""
    for folder in (exercise.folder, exercise.solutions):
        yield from (path for path in sorted(folder.rglob("*")) if path.is_file() and decides(path))
    shared = exercise.shared_probes, exercise.shared_mistakes, exercise.shared_wrong, settings_in(exercise.course)
    for path in (exercise.suite, *exercise.helpers, *shared):
        if path is not None and path.is_file():
            yield path


def decides(path: Path) -> bool:
    """Return True if the content of a file in a folder of the course can decide a verdict."""
    return path.suffix not in FOR_LEARNERS and "__pycache__" not in path.parts
