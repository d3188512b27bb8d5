"""The markers of hidden suites: pytest lists them, and knows each of them where markers are strict."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from normgrade.course.course import Course
from normgrade.suite.markers import MARKERS

TINY = Course(Path(__file__).parents[1] / "fixtures" / "courses" / "tiny")


def test_pytest_knows_every_marker_of_a_hidden_suite(tmp_path: Path) -> None:
    plain = [sys.executable, "-m", "pytest", "-p", "normgrade.suite.plugin", "-p", "no:cacheprovider", "-c", os.devnull, "--noconftest"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    listed = subprocess.run([*plain, "--markers"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert all(f"@pytest.mark.{marker}" in listed.stdout for marker in MARKERS)
    collecting = [*plain, "--collect-only", "--strict-markers", str(TINY.exercise("rms").suite)]
    assert subprocess.run(collecting, cwd=tmp_path, env=environment, capture_output=True).returncode == 0
