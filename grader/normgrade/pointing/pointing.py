"""Spots: the lines of a submission that contain the mistakes of a diagnosis."""

from __future__ import annotations

from collections.abc import Iterable

from normgrade.course.mistakes import Mistake
from normgrade.language.text import lines_of
from normgrade.pointing.counterpart import counterparts
from normgrade.report.report import Spot


def spots_of(mistakes: Iterable[Mistake], reference: str, submission: str) -> tuple[Spot, ...]:
    """Return the spots of these mistakes in the submission, from its first line on. A mistake with an uncertain place has none."""
    lines = lines_of(submission)
    found = (
        Spot(mistake.name, caret.line, caret.column, caret.width, lines[caret.line - 1], mistake.remedy)
        for mistake in mistakes
        if mistake.edits  # a mistake from a file is written in a completely different way
        for caret in counterparts(reference, mistake.source, submission)
    )
    return tuple(sorted(found, key=lambda spot: (spot.line, spot.column)))
