"""A class of the tiny course, written as its students hand in."""

from __future__ import annotations

from pathlib import Path

from normgrade.course.course import Course
from normgrade.course.mistakes import read_mistakes

RIGHT, LOOP, BROKEN = "right", "loop", "broken"


def source_of(course: Course, slug: str, kind: str) -> str:
    """Return a source for an exercise: a right one, one that never ends, one that is no Python, or the mistake of that name."""
    exercise = course.exercise(slug)
    plain = {RIGHT: exercise.reference.read_text(encoding="utf-8"), LOOP: "while True:\n    pass\n", BROKEN: "def f(:\n"}
    if kind in plain:
        return plain[kind]
    return next(mistake.source for mistake in read_mistakes(exercise) if mistake.name == kind)


def write_class(folder: Path, course: Course, answers: dict[str, dict[str, str]]) -> None:
    """Write a folder for each student, with a file for each exercise; the answers are kinds by student and slug."""
    for student, kinds in answers.items():
        (folder / student).mkdir(parents=True, exist_ok=True)
        for slug, kind in kinds.items():
            source = source_of(course, slug, kind) + f"\n# {student}\n"
            (folder / student / f"{slug}.py").write_text(source, encoding="utf-8")
