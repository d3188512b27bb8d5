"""The errors a user can meet: one sentence that names the thing, the value and the next step."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question that follows a name nobody knows, with a space before it; nothing where none of the known ones is near."""
    near = get_close_matches(name, list(known), n=1)
    return f' Did you mean "{near[0]}"?' if near else ""


class UsageError(Exception):
    """The user asked for something that cannot be (exit code 2)."""


class CourseError(UsageError):
    """A file of the course is wrong; the sentence names file, key and what is allowed."""


class GraderError(Exception):
    """The grader itself broke (exit code 3)."""
