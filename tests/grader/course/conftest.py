"""A course that a test writes."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from written_course import Write, write_course


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a course of one complete exercise, with this `exercise.toml` and this `course.toml`."""
    return partial(write_course, tmp_path)
