"""Fixtures that the tests of suites share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hidden_suites import HEAD, RIGHT, Checks, EditedCourse, InThisProcess, RunSuite, played

from normgrade.remarks.remarks import remarked
from normgrade.suite.collection import collect


@pytest.fixture
def run_suite(edited_course: EditedCourse, expectations: Path) -> RunSuite:
    """Return a function that runs tests as the hidden suite of `centring` on a source, and returns the checks by name."""

    def ran(tests: str, source: str = RIGHT, reference: tuple[str, str] | None = None) -> Checks:
        edits = {"solutions/centring/reference.py": [reference]} if reference else {}
        exercise = edited_course({"tests/hidden/test_centring.py": HEAD + tests, **edits}).exercise("centring")
        player = InThisProcess(source, exercise)
        results = played(collect([exercise])["centring"], player, expectations)
        return {check.name: check for check in remarked(results, exercise)}

    return ran
