"""The references of the course, imported from their files."""

from __future__ import annotations

import importlib.util
from types import ModuleType
from typing import Any

from normgrade.course.course import Course

COURSE = Course.find()


def module_of(slug: str) -> ModuleType:
    """The reference of an exercise as a module."""
    spec = importlib.util.spec_from_file_location(f"reference_of_{slug}", COURSE.exercise(slug).reference)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reference(slug: str) -> Any:
    """The first class or function that the reference defines."""
    return getattr(module_of(slug), COURSE.exercise(slug).defines[0].name)
