"""The parts of a course's shared files that no exercise uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.table import Table, as_key
from normgrade.course.translations import file_in
from normgrade.language import _
from normgrade.verify.missing_texts import stale


def unused(exercises: Sequence[Exercise]) -> Iterator[str]:
    """Yield a sentence for each part of the shared files that none of these exercises uses. They are all of a course, and at least one."""
    one = exercises[0]
    yield from idle(one.shared_mistakes, [exercise.mistakes for exercise in exercises])
    yield from idle(one.shared_wrong, [exercise.wrong for exercise in exercises])
    for language in Course(one.course).settings.languages:
        for folder in (one.folder.parent, one.solutions.parent):
            yield from stale(file_in(folder, language), exercises)


def idle(shared: Path, files: Sequence[Path]) -> Iterator[str]:
    """Yield a sentence for each entry of a shared file that none of these files has, and for each key that all of them override."""
    tables = [Table.of_optional(path).content for path in files]
    for name, entry in Table.of_optional(shared).content.items():
        users = [table[name] for table in tables if name in table]
        keys = [f"{as_key(name)}.{key}" for key in entry if all(key in user for user in users)]
        for key in keys if users else [as_key(name)]:
            yield _("{path}: no exercise uses {key}. Remove it.", path=shared.relative_to(shared.parents[1]), key=key)
