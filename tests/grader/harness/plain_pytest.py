"""Plain pytest on a hidden suite, with normgrade's plugin only."""

import os
import subprocess
import sys
from pathlib import Path

import normgrade

LENGTHENING = ("CI", "BUILD_NUMBER")  # if one is set, pytest repeats whole messages in its summary


def pytest_on(suite: Path, submission: Path | None, *options: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run plain pytest on a suite, in an empty folder. Other plugins stay out: importing them takes longer than playing the suite."""
    paths = [str(Path(normgrade.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    command = [sys.executable, "-m", "pytest", "-p", "normgrade.grading.plugin", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    submitted = [] if submission is None else ["--submission", str(submission)]
    variables = {"PYTHONPATH": os.pathsep.join(filter(None, paths)), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    inherited = {name: value for name, value in os.environ.items() if name not in LENGTHENING}
    return subprocess.run(
        [*command, "-c", os.devnull, "--noconftest", str(suite), *submitted, *options],
        capture_output=True, text=True, cwd=folder, env=inherited | variables,
    )  # fmt: skip
