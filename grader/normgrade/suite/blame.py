"""The file and line at which a course is broken: in a hidden suite, in an exercise's own probes or in a reference."""

from __future__ import annotations

import ast
import traceback
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.language import _
from normgrade.language.errors import CourseError, did_you_mean
from normgrade.language.places import step_in_words
from normgrade.oracle.expected import Expectation
from normgrade.oracle.loading import PROBES, SHARED, NotExecuted
from normgrade.oracle.oracle import Oracle
from normgrade.suite.helpers import NAME as HELPERS
from normgrade.suite.suite import HiddenTest
from normgrade.worker.wire.observation import NO_SUCH_PROBE, Error
from normgrade.worker.wire.requests import OwnProbe, TypedRequest


class Site(NamedTuple):
    """A line of a file of the course; 0 means the whole file."""

    path: Path
    line: int = 0


class BrokenSuite(Exception):
    """An error of the suite, which asks for something that cannot be graded. It is never the submission's fault.

    `at` is the wrong line, by default the line of the suite that raised this exception. `beside` is another line to look at.
    """

    def __init__(self, why: str, at: Site | None = None, beside: Site | None = None) -> None:
        super().__init__(why)
        self.at = at
        self.beside = beside


def raised_in_reference(exercise: Exercise, oracle: Oracle, source: str, expectation: Expectation) -> BrokenSuite:
    """Return the BrokenSuite for an expectation that ended in an error.

    The cause is a probe that does not exist, the exercise's own probes, or the reference.
    """
    error, request = expectation.error, expectation.request
    assert error is not None
    if error.types[:1] == (NO_SUCH_PROBE,):
        return BrokenSuite(no_such_probe(exercise, request.probe))
    if error.frames:
        why = _("the reference itself raises {error}", error=alone(error))
        return BrokenSuite(why, at=Site(exercise.reference, error.frames[-1].line))
    if exercise.probes is not None and (lines := oracle.lines_of_probes(source, request)):
        return BrokenSuite(_("the exercise's own probes raise {error}", error=alone(error)), at=Site(exercise.probes, lines[-1]))
    if beside := probe_of(request, exercise):
        return BrokenSuite(_("the probe {name} raises {error}", name=request.probe, error=alone(error)), beside=beside)
    return BrokenSuite(_("the reference itself raises {error}", error=alone(error)))


def probe_of(request: TypedRequest, exercise: Exercise) -> Site | None:
    """Return the line that defines the exercise's own probe of a request; None if the request is for no such probe."""
    if exercise.probes is None or not isinstance(request, OwnProbe):
        return None
    return Site(exercise.probes, functions_in(read_text(exercise.probes)).get(request.probe, 0))


def no_such_probe(exercise: Exercise, name: str) -> str:
    """Return the sentence that a probe does not exist, with the names of those that do."""
    path = relative(exercise.folder / "probes.py", exercise)
    if exercise.probes is None:
        return _('there is no probe "{name}": {path} does not exist, which would define it', name=name, path=path)
    known = [*functions_in(read_text(exercise.probes))]
    meant, there = did_you_mean(name, known), ", ".join(known) or _("none")
    return _('there is no probe "{name}".{meant} {path} has {known}', name=name, meant=meant, path=path, known=there)


@lru_cache(maxsize=64)
def functions_in(probes: str) -> Mapping[str, int]:
    """Return the functions that may be probes, with their lines; nothing if the source is not valid Python."""
    try:
        body = ast.parse(probes).body
    except SyntaxError:
        return {}
    builders = {name for node in body if builds(node) for name in names_in(node)}
    functions = {node.name: node.lineno for node in body if isinstance(node, ast.FunctionDef)}
    return {name: line for name, line in functions.items() if not name.startswith("_") and name not in builders}


def builds(node: ast.stmt) -> bool:
    """Return True if a statement assigns BUILDERS."""
    return isinstance(node, ast.Assign) and any(isinstance(target, ast.Name) and target.id == "BUILDERS" for target in node.targets)


def names_in(node: ast.AST) -> Iterator[str]:
    return (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))


def alone(error: Error) -> str:
    """Return an error in words, without any line of code."""
    where = step_in_words(error.step) + _(": ") if error.step else ""
    return where + (f"{error.types[0]}: " if error.types else "") + error.message


def told_to_authors(error: BaseException, exercise: Exercise, test: HiddenTest) -> str:
    """Return a sentence that begins with a file and a line, and says what is broken there."""
    said, own = said_by(error), site_of(exercise.suite, error) or Site(exercise.suite, line_of_typical(test.arguments))
    match error:
        case NotExecuted():
            path = {PROBES: exercise.probes, SHARED: exercise.shared_probes}.get(error.what) or exercise.reference
            return _("{where}: {what}", where=in_course(Site(path, error.line), exercise), what=error.why)
        case BrokenSuite(at=Site() as at):
            return _("{where}: {what}", where=in_course(at, exercise), what=said)
        case BrokenSuite(beside=Site() as beside):
            said = _("{what} ({where})", what=said, where=in_course(beside, exercise))
    return _("{where}: {what}", where=in_course(own, exercise), what=said)


def in_course(site: Site, exercise: Exercise) -> str:
    """Return the path of a file in the course, with the line if there is one."""
    path = relative(site.path, exercise)
    return _("{path}, line {line}", path=path, line=site.line) if site.line else path


def relative(path: Path, exercise: Exercise) -> str:
    return path.relative_to(exercise.course).as_posix()


def line_of_typical(arguments: Mapping[str, Any]) -> int:
    """Return the line of the suite's function that gives the typical uses of a situation; 0 for any other test."""
    code = getattr(arguments.get("typical"), "__code__", None)
    return 0 if code is None else int(code.co_firstlineno)


def site_of(suite: Path, error: BaseException) -> Site | None:
    """Return the line of a suite, or of the helpers beside it, that raised an error; None if it was raised elsewhere."""
    files = {path.name: path for path in (suite, suite.with_name(f"{HELPERS}.py"))}
    places = [(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno or 0))
    return next((Site(files[name], line) for path, line in reversed(places) if (name := Path(path).name) in files), None)


def said_by(error: BaseException) -> str:
    """Return an error in words: its class, unless it is one of ours or of pytest's, and its message."""
    match error:
        case SyntaxError():
            return f"{type(error).__name__}: {error.msg}"
        case BrokenSuite() | CourseError() | pytest.fail.Exception() | pytest.UsageError():
            return str(error)
    return f"{type(error).__name__}: {error}"
