"""The exercises of a course that have changed since a commit, for `normgrade verify --changed`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from normgrade.course.course import Course
from normgrade.course.layout import EVERY, owner_of
from normgrade.course.package import carried
from normgrade.language import _, n_
from normgrade.language.visible import visible_name
from normgrade.verify.repository import Changes, changes_in

OF_THE_GRADER = ("grader", "constraints.txt")  # in a clone of normgrade: its sources, and the versions of the libraries


@dataclass(frozen=True, slots=True)
class Changed:
    """The exercises that have changed since a commit.

    - `since`: the name of the commit; "" if there is none to compare with.
    - `slugs`: their folders in `exercises`, sorted; all of them if a file that they share has changed.
    - `shared`: the first such file; "" if there is none.
    """

    since: str
    slugs: tuple[str, ...]
    shared: str = ""

    @property
    def every(self) -> bool:
        """True if every exercise counts as changed."""
        return bool(self.shared) or not self.since

    def __str__(self) -> str:
        since, names = visible_name(self.since), ", ".join(map(visible_name, self.slugs))
        if not self.since:
            return _("There is no earlier commit to compare with: every exercise is verified.")
        if self.shared:
            return _("{path} has changed since {since}: every exercise is verified.", path=visible_name(self.shared), since=since)
        if not self.slugs:
            return _("No exercise has changed since {since}: nothing is verified.", since=since)
        return n_(
            "{n} exercise has changed since {since}: {names}.",
            "{n} exercises have changed since {since}: {names}.",
            len(self.slugs),
            since=since,
            names=names,
        )


def changed(course: Course, ref: str) -> Changed:
    """Return the exercises that have changed since the commit that `ref` names; "" stands for the usual one.

    Raise UsageError if git cannot tell.
    """
    return among(course, changes_in(course.root, ref))


def among(course: Course, changes: Changes) -> Changed:
    """Return the exercises that these files belong to. A file of an exercise that is gone counts as shared: others may name it."""
    owners = {path: owner(course, path) for path in changes.files}
    shared = next((path.as_posix() for path, slug in owners.items() if slug == EVERY), "")
    if shared or not changes.since:
        return Changed(changes.since, course.folders, shared)
    return Changed(changes.since, tuple(sorted({slug for slug in owners.values() if slug is not None})))


def owner(course: Course, path: PurePath) -> str | None:
    """Return the folder of the exercise that a file of the course belongs to, EVERY if all share it, None if it decides nothing."""
    if is_of_the_grader(course, path):
        return EVERY
    slug = owner_of(path)
    return slug if slug is None or slug in course.folders else EVERY


def is_of_the_grader(course: Course, path: PurePath) -> bool:
    """Return True if a file is a part of normgrade itself, which only the folder of the carried course can have."""
    return course.root == carried() and path.parts[0] in OF_THE_GRADER
