"""A workflow for GitHub Actions that grades exercises in a learner's repository."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import join

from normgrade import __version__
from normgrade.course.exercise import Exercise
from normgrade.grading.grading_options import Options
from normgrade.worker.walls import TIERS

WORKFLOW = Path(".github") / "workflows" / "normgrade.yml"
TEMPLATE = Path(__file__).parent / "workflow_files" / "normgrade.yml"
FIRST_LINE = "# Written by `normgrade export github`."
WEAKEST = "linux"  # the weakest walls behind which a learner's code runs on a machine of GitHub


def workflow(exercises: Sequence[Exercise], options: Options, index: str) -> str:
    """Return the workflow for these exercises. A submission runs behind the walls of `linux` at least."""
    required = max(options.required, WEAKEST, key=TIERS.index)
    timeout = [] if options.timeout_s is None else ["--timeout", f"{options.timeout_s:g}"]
    values = {
        "@VERSION@": __version__,
        "@INDEX@": quoted(index),
        "@OPTIONS@": quoted(join(["--require-isolation", required, "--seed", str(options.seed), *timeout])),
        "@FILES@": quoted(join(exercise.file_name for exercise in exercises)),
    }
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def quoted(text: str) -> str:
    """Return a text as a string of YAML."""
    return "'" + text.replace("'", "''") + "'"
