"""Imports of the course's references from their files."""

from __future__ import annotations

import importlib.util
from typing import Any

from normgrade.course.course import Course


def reference(slug: str) -> Any:
    """Return the first class or function that the reference of an exercise defines."""
    return getattr(reference_module(slug), Course.find().exercise(slug).defines[0].name)


def reference_module(slug: str) -> Any:
    """Return the module of an exercise's reference."""
    exercise = Course.find().exercise(slug)
    spec = importlib.util.spec_from_file_location(f"reference_of_{slug}", exercise.reference)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
