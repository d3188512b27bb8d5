"""A made-up class, always the same: right answers in varied writing, answers with one to three known mistakes, and hostile ones.

Of ten answers, four are right, five are wrong and one is hostile. No two files are equal.
"""

from __future__ import annotations

import ast
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import count, cycle
from pathlib import Path
from types import MappingProxyType
from typing import Any
from zipfile import ZipFile

from other_writing import locals_renamed, methods_reordered, with_dead_code, with_other_words

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.course.mistakes import read_mistakes, together

FIRST_ID = 1000  # of a student in Moodle
SIZES = 1, 2, 1, 3  # mistakes of an answer, in turn
WAYS = (  # of writing the same, in turn
    (),
    (locals_renamed,),
    (methods_reordered,),
    (with_other_words, locals_renamed),
    (methods_reordered, locals_renamed, with_dead_code),
)


class Kind(StrEnum):
    """The kind of an answer."""

    RIGHT = "right"
    WRONG = "wrong"
    HOSTILE = "hostile"


TEN = (*[Kind.RIGHT, Kind.WRONG] * 4, Kind.WRONG, Kind.HOSTILE)


@dataclass(frozen=True, slots=True)
class MadeUp:
    """An answer of a made-up student. `file_name` ends with .ipynb if the student handed in a notebook."""

    number: int
    slug: str
    kind: Kind
    file_name: str
    content: bytes


def made_up_class(exercises: Sequence[Exercise], students: int, kinds: Sequence[Kind] = TEN) -> list[MadeUp]:
    """Return the answers of some students to all of these exercises. Of each exercise, the `kinds` are taken in turn."""
    makers = [(exercise, {kind: ANSWERS[kind](exercise) for kind in dict.fromkeys(kinds)}) for exercise in exercises]
    found = []
    for number in range(students):
        for offset, (exercise, answers) in enumerate(makers):
            kind = kinds[(number + offset) % len(kinds)]
            name, content = next(answers[kind])
            found.append(MadeUp(number, exercise.slug, kind, name, signed(content, number)))
    return found


def signed(content: str, number: int) -> bytes:
    """Return the bytes of an answer with its student's number as a comment, so that no two are equal. JSON gets a blank per student."""
    return (content + " " * number if content.startswith("{") else f"# student {number}\n{content}").encode()


# Kinds of answers


def right(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Yield the reference and the alternatives again and again, in one way of writing after the other."""
    sources = [read_text(path) for path in (exercise.reference, *exercise.alternatives)]
    for number in count():
        way, which = divmod(number, len(sources))
        yield exercise.file_name, written(sources[which], way + which)


def wrong(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Yield answers with known mistakes, in one way of writing after the other."""
    mistakes, reference, draw = read_mistakes(exercise), read_text(exercise.reference), random.Random(exercise.slug)
    for number, size in enumerate(cycle(SIZES)):
        sets = (together(reference, draw.sample(mistakes, min(size, len(mistakes)))) for _ in range(100))
        source = next(filter(None, sets), mistakes[number % len(mistakes)].source)
        yield exercise.file_name, written(source, number)


def hostile(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """Yield answers that harm themselves or the grader, one kind after the other."""
    reference = read_text(exercise.reference)
    for make in cycle(HOSTILE.values()):
        source = make(reference)
        yield str(Path(exercise.file_name).with_suffix(".ipynb")) if source.startswith("{") else exercise.file_name, source


ANSWERS: Mapping[Kind, Callable[[Exercise], Iterator[tuple[str, str]]]] = MappingProxyType(
    {Kind.RIGHT: right, Kind.WRONG: wrong, Kind.HOSTILE: hostile}
)


def written(source: str, way: int) -> str:
    """Return a source that does the same, written in one of the WAYS."""
    tree = ast.parse(source)
    for change in WAYS[way % len(WAYS)]:
        tree = change(tree)
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n" if WAYS[way % len(WAYS)] else source


# Hostile answers, made of a right one


def in_calls(statement: str) -> Callable[[str], str]:
    """Return a function that puts a statement at the beginning of every function, except for `__init__`."""

    def put(source: str) -> str:
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name != "__init__":
                node.body.insert(0, ast.parse(statement).body[0])
        return ast.unparse(tree) + "\n"

    return put


def at_import(statement: str) -> Callable[[str], str]:
    """Return a function that puts a statement at the end of a source."""
    return lambda source: f"{source}\n{statement}\n"


def notebook(source: str) -> str:
    """Return a notebook with the source in its only cell."""
    cell: dict[str, Any] = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


HOSTILE: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {
        "loop": in_calls("while True: pass"),
        "flood": in_calls("print('x' * 1_000_000)"),
        "sys.exit": at_import("raise SystemExit(0)"),
        "os._exit": in_calls("__import__('os')._exit(0)"),
        "huge": at_import("#" * 100_000),
        "no class": lambda source: "import torch\n",
        "notebook": notebook,
        "fence": lambda source: f"```python\n{source}```\n",
        "syntax error": at_import("def f(:"),
        "fork": in_calls("__import__('os').fork()"),
        "memory": in_calls("hog = bytearray(2**36)"),
    }
)


# On the disk


def forwards(number: int) -> str:
    """Return the name of a student."""
    return f"Student {number:04}"


def backwards(number: int) -> str:
    """Return a name for a student that turns the order of the class round."""
    return f"Student {9999 - number:04}"


def path_of(answer: MadeUp, name: Callable[[int], str] = forwards) -> str:
    """Return the path of an answer in a download from Moodle. `name` gives the name of a student, and so the order of the class."""
    return f"{name(answer.number)}_{FIRST_ID + answer.number}_assignsubmission_file_/{answer.file_name}"


def write_folders(answers: Iterable[MadeUp], folder: Path, name: Callable[[int], str] = forwards) -> None:
    """Write the answers as the unpacked download from Moodle."""
    for answer in answers:
        path = folder / path_of(answer, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(answer.content)


def write_zip(answers: Iterable[MadeUp], path: Path) -> None:
    """Write the answers as the download from Moodle."""
    with ZipFile(path, "w") as archive:
        for answer in answers:
            archive.writestr(path_of(answer), answer.content)
