"""The layouts of hand-ins: the systems of teaching, and the patterns in which they write who handed in a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from normgrade.classes.reading.file_names import Names, attempt_in, without_copy, without_suffix
from normgrade.classes.reading.patterns import pattern_of
from normgrade.language import _
from normgrade.language.errors import UsageError, did_you_mean, either

ARCHIVE = ".zip"
IN_MOODLE = "_assignsubmission_file_"  # the end of the name of a student's folder
GRADESCOPE_EXPORT = "gradescope"


@dataclass(frozen=True, slots=True)
class Place:
    """The student of a file, as its path tells it.

    student: the name, as the path has it.
    file: the part of the path below the student, which tells the exercise.
    among: the path above, in which a student has one id; None if it is the same everywhere.
    id: the student's number; "" if the path has none.
    late: true if the path says so.
    number: the number of the upload; the larger is the later.
    folder: the student's folder in Moodle, with the number of this student and assignment; "" elsewhere.
    """

    student: str
    file: str
    among: str | None = ""
    id: str = ""
    late: bool = False
    number: int = 0
    folder: str = ""


Placing = Callable[[str], Place | None]  # from a path to its place, if the layout fits
Layout = Callable[[Sequence[str], Names], Placing]  # for all paths of Python files in a tree

MOODLE = re.compile(r"(?:^|/)(?P<student>[^/]+?)_(?P<id>\d+)_assignsubmission_file(?:_/?|/)(?P<file>.+)", re.DOTALL)
CANVAS = re.compile(
    r"(?:^|/)(?:(?P<before>LATE_)?(?P<anonymous>anon_[^/_]+)|(?P<student>[^/]+?)(?P<after>_LATE)?_(?P<id>\d+))"
    r"_(?P<number>\d+)_(?P<file>.+)",
    re.DOTALL,
)
GRADESCOPE = re.compile(r"(?:^|/)(?P<student>submission_\d+)/(?P<file>.+)", re.DOTALL)
NBGRADER = re.compile(r"(?:^|/)submitted/(?P<student>[^/]+)/(?P<file>[^/]+/.+)", re.DOTALL)
CLASSROOM = re.compile(r"(?:^|/)(?P<assignment>[^/]+)-submissions/(?P=assignment)-(?P<student>[^/]+)/(?P<file>.+)", re.DOTALL)


def moodle(paths: Sequence[str], names: Names) -> Placing:
    """Return the places in a download of all submissions from Moodle."""

    def place(path: str) -> Place | None:
        if (match := MOODLE.search(path)) is None:
            return None
        student, number = match["student"], match["id"]
        return Place(student, match["file"], path[: match.start()], number, folder=f"{student}_{number}{IN_MOODLE}")

    return place


def canvas(paths: Sequence[str], names: Names) -> Placing:
    """Return the places in a download of all submissions from Canvas."""

    def place(path: str) -> Place | None:
        if (match := CANVAS.search(path)) is None:
            return None
        late = bool(match["before"] or match["after"])
        student, number = match["anonymous"] or match["student"], match["id"] or ""
        return Place(student, match["file"], None, number, late, int(match["number"][:18]))

    return place


def by_pattern(pattern: re.Pattern[str]) -> Layout:
    """Return the layout of a pattern that has the groups `student` and `file`."""

    def layout(paths: Sequence[str], names: Names) -> Placing:
        def place(path: str) -> Place | None:
            match = pattern.search(path)
            return None if match is None else Place(match["student"], match["file"], path[: match.start()])

        return place

    return layout


def flat(paths: Sequence[str], names: Names) -> Placing:
    """Return the places of files without folders, as in "alice_layer_norm.py", and of one archive for each student."""

    def place(path: str) -> Place | None:
        own, *below = path.split("/")
        first, *rest = below or [own]
        if rest or is_archive(first):
            return Place(without_archive(first), "/".join(rest)) if is_archive(first) else None
        stem = without_suffix(first)
        if names.slug(stem):
            return None
        if part := names.part(attempt_in(stem)[0]) or names.part(stem):
            return Place(part.other, first)
        return Place(without_copy(stem), first) if names.exercise and stem != first else None

    return place


def folders(paths: Sequence[str], names: Names) -> Placing:
    """Return the places in a folder that has one folder for each student."""
    parts = [path.split("/") for path in paths]
    level = 0 if of_one_student(parts, names) else level_of_students(parts, names)

    def place(path: str) -> Place | None:
        *above, file = path.split("/")
        if len(above) <= level:
            return None
        student = above[level]
        return Place(without_archive(student), "/".join((*above[level + 1 :], file)), "/".join(above[:level]))

    return place


def of_one_student(paths: Sequence[Sequence[str]], names: Names) -> bool:
    """Return True if a tree is the folder of one student: every file named for an exercise lies in it, or in a folder named for one."""
    own = [names.slug(without_suffix(path[1] if len(path) > 2 else path[-1])) is not None for path in paths]
    named = [names.slug(without_suffix(path[-1])) is not None for path in paths]
    return any(own) and all(is_own or not is_named for is_own, is_named in zip(own, named, strict=True))


def level_of_students(paths: Sequence[Sequence[str]], names: Names) -> int:
    """Return the number of folders above those of the students. One folder that is everything in an archive only wraps the others."""
    level = 1
    while is_wrapper(paths, level, names):
        level += 1
    return level


def is_wrapper(paths: Sequence[Sequence[str]], level: int, names: Names) -> bool:
    """Return True if everything lies in one folder here, in an archive, and several folders lie in that one or in the only one in it."""
    here = {path[level] for path in paths if len(path) > level}
    below = {path[level + 1] for path in paths if len(path) > level + 2}
    if len(here) != 1 or not any(map(is_archive, paths[0][: level + 1])):
        return False
    return sum(not names.slug(folder) for folder in below) > 1 or (all(map(is_archive, here)) and is_wrapper(paths, level + 1, names))


def is_archive(name: str) -> bool:
    return name.lower().endswith(ARCHIVE)


def without_archive(name: str) -> str:
    """Return the name of a folder, or of an archive without its suffix."""
    return name[: -len(ARCHIVE)] if is_archive(name) and len(name) > len(ARCHIVE) else name


# The more special layouts come first: they win if another places as many files.
LAYOUTS: Mapping[str, Layout] = MappingProxyType(
    {
        "moodle": moodle,
        "canvas": canvas,
        GRADESCOPE_EXPORT: by_pattern(GRADESCOPE),
        "nbgrader": by_pattern(NBGRADER),
        "classroom": by_pattern(CLASSROOM),
        "flat": flat,
        "folders": folders,
    }
)
BY_FOLDERS = frozenset({"flat", "folders"})  # the layouts of no system, in which any name may be a student's


def best_layout(paths: Sequence[str], names: Names) -> str:
    """Return the name of the layout that places the most files, and the more special one of equals."""
    placed: dict[str, int] = {}
    for name, layout in LAYOUTS.items():
        placed[name] = sum(place is not None for place in map(layout(paths, names), paths))
        if placed[name] == len(paths):  # no other places more
            break
    return max(placed, key=placed.__getitem__)


def placing(layout: str, paths: Sequence[str], names: Names) -> Placing:
    """Return the places in a layout, which is a name or a pattern. Raise a UsageError if it is neither."""
    return (LAYOUTS.get(layout) or own_layout(layout))(paths, names)


def own_layout(text: str) -> Layout:
    """Return the layout of a pattern such as "{student}/*/{exercise}.py"."""
    if not set(text) & set("{}/*"):
        known, example = either(LAYOUTS), "{student}/*/{exercise}.py"
        said = _('There is no layout "{name}": choose {known}, or a pattern such as "{example}".', name=text, known=known, example=example)
        raise UsageError(said + did_you_mean(text, LAYOUTS))
    pattern = pattern_of(text)

    def layout(paths: Sequence[str], names: Names) -> Placing:
        def place(path: str) -> Place | None:
            found = pattern.search(path)
            return None if found is None else Place(found.student, found.file, found.above, found.id)

        return place

    return layout
