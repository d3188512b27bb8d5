"""The sources of a course as modules: references, alternatives, mistakes, and probes."""

from __future__ import annotations

import gc
import hashlib
import linecache
import sys
import traceback
from functools import cache, lru_cache
from types import ModuleType

from normgrade.course.tensor_library import Library
from normgrade.language import N_, _
from normgrade.language.errors import CourseError

IMPLEMENTATION, PROBES, SHARED = "implementation", "probes", "shared_probes"  # the kinds of sources
NOT_EXECUTED = {
    IMPLEMENTATION: N_("The course's own implementation cannot be executed: {error}."),
    PROBES: N_("The course's own probes cannot be executed: {error}."),
    SHARED: N_("What the probes of the course share cannot be executed: {error}."),
}


class NotExecuted(CourseError):
    """An error for a source of the course that raises.

    `what` is a key of NOT_EXECUTED, `line` is the line that raises, or 0, and `why` is the error in words.
    """

    def __init__(self, what: str, line: int, why: str) -> None:
        super().__init__(_(NOT_EXECUTED[what], error=why))
        self.what, self.line, self.why = what, line, why

    def __reduce__(self) -> tuple[type[NotExecuted], tuple[str, int, str]]:
        """Return the class and its arguments, from which another process makes the error anew."""
        return NotExecuted, (self.what, self.line, self.why)


def executed(source: str, what: str, shared: ModuleType | None = None) -> ModuleType:
    """Return a source of the course as a module. Raise NotExecuted, which is a CourseError, if the source raises."""
    try:
        return module(source, what, shared)
    except MemoryError:
        raise
    except Exception as error:
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        raise NotExecuted(what, line_in(f"<{unique_name(source, what)}>", error), f"{type(error).__name__}: {said}") from error


def line_in(file_name: str, error: Exception) -> int:
    """Return the line at which a source cannot be executed, or 0."""
    if isinstance(error, SyntaxError) and error.filename == file_name:
        return error.lineno or 0
    lines = [frame.lineno or 0 for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file_name]
    return lines[-1] if lines else 0


@lru_cache(maxsize=512)
def module(source: str, name: str, shared: ModuleType | None = None) -> ModuleType:
    """Execute the source once and return it as a module, which is not kept in `sys.modules`. Meanwhile, shared probes are there."""
    from normgrade.worker.untrusted.play import load  # only to play

    if shared is not None:
        sys.modules[SHARED] = shared
    unique = unique_name(source, name)
    try:
        loaded = load(source, f"<{unique}>", unique)
    finally:
        sys.modules.pop(SHARED, None)
    del sys.modules[unique], linecache.cache[f"<{unique}>"]
    return loaded


def unique_name(source: str, name: str) -> str:
    """Return the name of the module that a source becomes."""
    return f"{name}_{hashlib.sha256(source.encode()).hexdigest()[:16]}"


@cache
def imported(written_with: Library) -> None:
    """Import a library, and keep it out of garbage collection, which would look through it again and again and find nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        from normgrade.worker.untrusted.play import backend  # only to play

        backend(written_with)
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
