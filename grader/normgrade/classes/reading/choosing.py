"""The choice among several files of one student for one exercise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from normgrade.classes.hand_ins import LeftOut
from normgrade.classes.reading.file_names import Told
from normgrade.classes.reading.layouts import Place
from normgrade.classes.reading.left_out import NAMED
from normgrade.classes.reading.printable import printable_name, shown
from normgrade.classes.reading.students import Person
from normgrade.classes.reading.tree import File
from normgrade.language import n_
from normgrade.language.errors import listed


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that a student may have handed in for an exercise, and the number of its tree."""

    person: Person
    file: File
    told: Told
    place: Place
    tree: int

    @property
    def order(self) -> tuple[int, int, int, int]:
        """The place among several files of one student for one exercise: the last counts."""
        return -self.told.rank, self.tree, self.told.attempt, self.place.number


@dataclass(frozen=True, slots=True)
class Choice:
    """The file that counts for a student and an exercise, the files that it replaces, and those that are left out."""

    counts: Candidate | None
    replaced: tuple[Candidate, ...]
    left_out: tuple[LeftOut, ...]


def choice(candidates: Sequence[Candidate]) -> Choice:
    """Return the one of a student's files for an exercise that counts. None does if several are equally good and differ."""
    best = max(candidate.order for candidate in candidates)
    last = [candidate for candidate in candidates if candidate.order == best]
    replaced = tuple(candidate for candidate in candidates if candidate.order < best)
    if len({candidate.file.content for candidate in last}) == 1:
        return Choice(last[0], replaced, ())
    files = listed([shown(candidate.file.path) for candidate in last[:NAMED]])
    why = n_(
        "{n} file for {slug}: {files}. Keep one of them.",
        "{n} files for {slug}: {files}. Keep one of them.",
        len(last),
        slug=last[0].told.exercise,
        files=files,
    )
    return Choice(None, replaced, tuple(LeftOut(printable_name(candidate.file.path), why) for candidate in last))
