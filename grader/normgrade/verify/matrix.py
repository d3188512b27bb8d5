"""Which situations are played for which exercise, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from normgrade.course.course import Exercise
from normgrade.suite.situations import SITUATIONS

PLAYED, LEFT_OUT = "✓", "·"


def matrix(exercises: Sequence[Exercise]) -> Iterator[str]:
    """The table's lines: a situation in each, an exercise in each column; then the reasons for what is left out."""
    width = max(map(len, SITUATIONS))
    columns = [exercise.slug for exercise in exercises]
    yield "  ".join((" " * width, *columns))
    for name, situation in SITUATIONS.items():
        cells = [(LEFT_OUT if each.leaves_out(*situation.called) else PLAYED).center(len(each.slug)) for each in exercises]
        yield "  ".join((name.ljust(width), *cells)).rstrip()
    for exercise in exercises:
        for name, reason in exercise.left_out.items():
            yield f"{LEFT_OUT} {exercise.slug}, {name}: {reason}"
