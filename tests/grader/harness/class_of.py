"""A class of answers to the exercise `rms` of the tiny course, each with a way of its own."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from normgrade.classes.hand_ins import HandedIn, HandIn

OPERATORS = ("+", "-", "*", "/", "@", "//", "%", "**", "<<", ">>", "&", "|", "^")
STEPS = 12


def own_way(seed: int) -> str:
    """Return a source whose operations are drawn at random."""
    drawn = random.Random(seed).choices(OPERATORS, k=STEPS)
    return "def rms(x, eps):\n" + "".join(f"    y = x {operator} eps\n" for operator in drawn) + "    return y\n"


def other_words(source: str) -> str:
    """Return a source that does the same with other names, and has a comment."""
    return source.replace("x", "values").replace("y ", "found ").replace("return y", "return found").replace("\n", "  # a step\n", 1)


def hand_in(folder: Path, answers: dict[str, str | bytes]) -> None:
    """Write the answers of students, each in a folder with the student's name."""
    for student, source in answers.items():
        (folder / student).mkdir(parents=True)
        (folder / student / "rms.py").write_bytes(source.encode() if isinstance(source, str) else source)


def handed_in(
    paths: Sequence[Path], slugs: Collection[str], layout: str | None = None, exercise: str | None = None, roster: Any = None
) -> HandedIn:
    """Return the hand-ins of folders in which each student has a folder. It stands in for the function that reads all layouts."""
    files = [file for path in paths for file in sorted(path.rglob("*.py")) if file.stem in slugs and exercise in (None, file.stem)]
    return HandedIn(tuple(HandIn(file.parent.name, file.stem, file.as_posix(), file.read_bytes()) for file in files))
