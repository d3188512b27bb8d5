"""The file that a command plays: the learner's, or another one that is named."""

from __future__ import annotations

from pathlib import Path

from normgrade.cli.output import refuse_links
from normgrade.course.exercise import Exercise
from normgrade.inspection.inspection import inspect_file
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.learner.workspace import Workspace, submission_of


def path_to_play(exercise: Exercise, file: Path | None) -> Path:
    """Return the path of this file, or of the learner's if it is None. Raises a UsageError if a link of the workspace leads to it."""
    path = submission_of(exercise) if file is None else file
    refuse_links(path, Workspace.find())
    return path


def source_to_play(exercise: Exercise, path: Path) -> str:
    """Return the source in a file. Raises a UsageError if it cannot be played."""
    inspection = inspect_file(path, exercise)
    if not inspection.runnable or inspection.source is None:
        raise UsageError(_("{path} cannot be played: {why}", path=path, why=inspection.findings[0].text))
    return inspection.source
