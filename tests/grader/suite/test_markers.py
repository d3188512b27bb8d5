"""Tests of the markers of hidden suites: pytest lists them, and accepts them with --strict-markers."""

from __future__ import annotations

from pathlib import Path

from plain_pytest import pytest_on

from normgrade.course.course import Course
from normgrade.suite.markers import MARKERS

TINY = Course(Path(__file__).parents[1] / "fixtures" / "courses" / "tiny")


def test_pytest_knows_every_marker_of_a_hidden_suite(tmp_path: Path) -> None:
    suite = TINY.exercise("rms").suite
    listed = pytest_on(suite, None, "--markers", folder=tmp_path)
    assert all(f"@pytest.mark.{marker}" in listed.stdout for marker in MARKERS)
    assert pytest_on(suite, None, "--collect-only", "--strict-markers", folder=tmp_path).returncode == 0
