"""Which situations are played for which exercise, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from normgrade.course.course import Exercise
from normgrade.language.visible import visible
from normgrade.suite.situations import SITUATIONS

PLAYED, LEFT_OUT, GAP = "✓", "·", "  "
FIRST_COLUMN = max(map(len, SITUATIONS))


def matrix(exercises: Sequence[Exercise], width: int = 80) -> Iterator[str]:
    """The table's lines, at most so wide: a situation in each, an exercise in each column; then the reasons for what is left out.

    Where the columns do not fit beside each other, the table goes on with the next ones below.
    """
    for block in blocks(exercises, width - FIRST_COLUMN):
        yield GAP.join((" " * FIRST_COLUMN, *(exercise.slug for exercise in block)))
        for name, situation in SITUATIONS.items():
            cells = [(LEFT_OUT if each.leaves_out(*situation.called) else PLAYED).center(len(each.slug)) for each in block]
            yield GAP.join((name.ljust(FIRST_COLUMN), *cells)).rstrip()
        yield ""
    for exercise in exercises:
        for name, reason in exercise.left_out.items():
            yield visible(f"{LEFT_OUT} {exercise.slug}, {name}: {reason}")


def blocks(exercises: Sequence[Exercise], width: int) -> Iterator[Sequence[Exercise]]:
    """The exercises in their order, as many in each block as fit beside each other; at least one."""
    block: list[Exercise] = []
    for exercise in exercises:
        if block and sum(len(GAP + each.slug) for each in (*block, exercise)) > width:
            yield block
            block = []
        block.append(exercise)
    if block:
        yield block
