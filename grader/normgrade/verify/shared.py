"""The parts of a course's shared files that no exercise uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.mistakes import WRONG
from normgrade.course.table import Table, as_key
from normgrade.course.translations import file_in
from normgrade.language import _
from normgrade.verify.missing_texts import stale


def unused(exercises: Sequence[Exercise]) -> Iterator[str]:
    """Yield a sentence for each part of the shared files that none of these exercises uses. They are all of a course, and at least one."""
    one = exercises[0]
    shared, own = Table.of_optional(one.shared_mistakes), [Table.of_optional(exercise.mistakes) for exercise in exercises]
    yield from idle(shared, own)
    yield from idle(shared.table(WRONG, {}), [table.table(WRONG, {}) for table in own])
    for language in Course(one.course).settings.languages:
        for folder in (one.folder.parent, one.solutions.parent):
            yield from stale(file_in(folder, language), exercises)


def idle(shared: Table, own: Sequence[Table]) -> Iterator[str]:
    """Yield a sentence for each entry of a shared table that none of these has, and for each key that all of them override."""
    path = shared.path.relative_to(shared.path.parents[1])
    for name, entry in shared.content.items():
        users = [table.content[name] for table in own if name in table.content]
        keys = [f"{as_key(name)}.{key}" for key in entry if all(key in user for user in users)]
        for key in keys if users else [as_key(name)]:
            if name != WRONG:
                yield _("{path}: no exercise uses {key}. Remove it.", path=path, key=f"{shared.prefix}{key}")
