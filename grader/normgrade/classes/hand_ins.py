"""The hand-ins of a class: which file is whose, and for which exercise, as the names of folders and files tell it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from normgrade.language.visible import visible_name

SURROGATE = re.compile(r"[\ud800-\udfff]")
FIRST, LAST = 0xDC80, 0xDCFF  # the surrogates by which Python writes the bytes of a name that is not UTF-8


def while_read(default: Any) -> Any:
    """Return a field that is of use while the hand-ins are read, and not part of the result."""
    return field(default=default, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class HandIn:
    """One file that a student handed in for an exercise. While it is read, it has the name, the path and the folder as the system has them.

    student: the name of the student in the gradebook, printable and never shared by two students.
    exercise: the slug; "" as long as it is not known.
    origin: the path of the file, printable: "class.zip/Anna Li_7_assignsubmission_file_/layer_norm.py".
    content: its bytes, at most one more than a submission may have; for a notebook, the source of its cells.
    id: the number by which the learning management system knows the student; "" if it is not told.
    attempt: the number of the attempt that the name of the file tells, from 1 on.
    late: true if the name says that it came late.
    folder: the student's folder in Moodle, by which Moodle knows the student in this assignment; "" elsewhere.

    email: the student's address; "" if it is not told.
    among: the folder in which no two students have the same id; "" if nowhere two have.
    file: the part of the path that tells the exercise.
    rank: how surely the exercise is known.
    tree: the number of the path that was passed, below which it lies.
    upload: the number of the upload; the larger is the later.
    """

    student: str
    exercise: str
    origin: str
    content: bytes
    id: str = ""
    attempt: int = 1
    late: bool = False
    folder: str = ""
    email: str = while_read("")
    among: str = while_read("")
    file: str = while_read("")
    rank: int = while_read(0)
    tree: int = while_read(0)
    upload: int = while_read(0)

    @property
    def order(self) -> tuple[int, int, int, int]:
        """The place among several files of one student for one exercise: the last counts."""
        return -self.rank, self.tree, self.attempt, self.upload


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file or an archive that is not graded, and the reason in a sentence. If that names only some of many files, `files` has all."""

    origin: str
    why: str
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HandedIn:
    """Everything that was found under the paths of a class.

    hand_ins: one for each student and exercise, sorted by both.
    left_out: the files that are not graded.
    layouts: the name of the layout of each path.
    absent: the students of the roster without a hand-in.
    strangers: the students with a hand-in who are not on the roster.
    ungraded: the students who handed in something, but nothing to grade, and are not on the roster.
    nameless: the number of rows of the roster without a name.
    students: the id of everybody in the class, by name: of all who handed in anything, and of all on the roster.
    """

    hand_ins: tuple[HandIn, ...]
    left_out: tuple[LeftOut, ...] = ()
    layouts: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()
    strangers: tuple[str, ...] = ()
    ungraded: tuple[str, ...] = ()
    nameless: int = 0
    students: Mapping[str, str] = field(default_factory=dict)


# Names from file systems and archives


def printable_name(name: str) -> str:
    """Return the name as text in UTF-8: itself, or with escapes if it holds a byte that is not UTF-8 or a backslash.

    Two names never become one.

    >>> printable_name("Zo\\udceb")
    'Zo\\\\xeb'
    """
    return SURROGATE.sub(escaped, name.replace("\\", r"\\"))


def escaped(match: re.Match[str]) -> str:
    sign = ord(match[0])
    return f"\\x{sign - 0xDC00:02x}" if FIRST <= sign <= LAST else f"\\u{sign:04x}"


def shown(name: str) -> str:
    """Return the name as it stands in a message: printable, and on a single line."""
    return visible_name(printable_name(name))
