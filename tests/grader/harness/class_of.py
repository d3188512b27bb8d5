"""A class of answers to the exercise `rms` of the tiny course, each with a way of its own."""

from __future__ import annotations

import random
from pathlib import Path

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
