"""The errors that a user can meet. Each is a sentence or two that names the thing, the value and the next step."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from normgrade.language import _


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the question after an unknown name, with a space before it: " Did you mean …?"; "" if no known name is similar."""
    near = get_close_matches(name, list(known), n=1)
    return _(' Did you mean "{name}"?', name=near[0]) if near else ""


def either(names: Iterable[str]) -> str:
    """Return the names as a choice: "en or zh"."""
    return _(" or ").join(names)


def listed(words: Iterable[str]) -> str:
    """Return one word or more as a list: "2, 3 and 5"."""
    *first, last = words
    return _(" and ").join([_(", ").join(first), last]) if first else last


class OneLine:
    """An error that says everything in one line, which IPython and Jupyter show in place of a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


class UsageError(OneLine, Exception):
    """The user asked for something that cannot be done (exit code 2)."""


class CourseError(UsageError):
    """A file of the course is wrong; the sentence names file, key and allowed values."""


class GraderError(OneLine, Exception):
    """The grader itself broke (exit code 3)."""


class Interrupted(OneLine, KeyboardInterrupt):
    """The user interrupted a grading in a notebook."""
