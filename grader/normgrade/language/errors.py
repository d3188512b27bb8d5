"""The errors a user can meet: one sentence that names the thing, the value and the next step."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from normgrade.language import _


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question that follows a name nobody knows, with a space before it; nothing where none of the known ones is near."""
    near = get_close_matches(name, list(known), n=1)
    return _(' Did you mean "{name}"?', name=near[0]) if near else ""


def either(names: Iterable[str]) -> str:
    """The names as a choice."""
    return _(" or ").join(names)


class UsageError(Exception):
    """The user asked for something that cannot be (exit code 2)."""


class CourseError(UsageError):
    """A file of the course is wrong; the sentence names file, key and what is allowed."""


class GraderError(Exception):
    """The grader itself broke (exit code 3)."""
