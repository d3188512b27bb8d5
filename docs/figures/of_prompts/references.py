"""The references of the course as modules."""

from __future__ import annotations

import importlib.util
from types import ModuleType

from normgrade.course.course import Course


def reference(slug: str) -> ModuleType:
    """Return the reference of an exercise as a module."""
    spec = importlib.util.spec_from_file_location(slug, Course.find().exercise(slug).reference)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
