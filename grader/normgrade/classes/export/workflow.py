"""A workflow for GitHub Actions that grades exercises in a learner's repository."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shlex import join

from normgrade.classes.export.check_arguments import arguments
from normgrade.course.exercise import Exercise
from normgrade.course.workflows import workflow_from
from normgrade.grading.grading_options import Options
from normgrade.worker.walls import TIERS

NAME = "normgrade"
TEMPLATE = Path(__file__).parent / "workflow_files" / "normgrade.yml"
FIRST_LINE = "# Written by `normgrade export github`."
WEAKEST = "linux"  # the weakest walls behind which a learner's code runs on a machine of GitHub


def workflow(exercises: Sequence[Exercise], options: Options, index: str) -> str:
    """Return the workflow for these exercises. A submission runs behind the walls of `linux` at least."""
    walled = replace(options, required=max(options.required, WEAKEST, key=TIERS.index))
    files = join(exercise.file_name for exercise in exercises)
    return workflow_from(TEMPLATE, index, OPTIONS=join([*arguments(walled), "--seed", str(options.seed)]), FILES=files)
