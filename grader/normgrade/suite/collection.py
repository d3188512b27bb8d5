"""The collection of hidden suites: pytest finds the tests, and the grader reads their claims and arguments."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from normgrade.course.exercise import Exercise
from normgrade.course.translations import translated
from normgrade.language import ENGLISH, _
from normgrade.language.docstring import first_paragraph_in
from normgrade.language.errors import CourseError
from normgrade.report.report import Kind
from normgrade.suite.blame import said_by, site_of
from normgrade.suite.claims import KINDS, Claim
from normgrade.suite.helpers import found_in
from normgrade.suite.situations import GROUPS, PREFIX, SITUATIONS, Situation
from normgrade.suite.suite import HiddenTest, Suite
from normgrade.suite.vocabulary import agree, observe, refuses

FIXTURES: Mapping[str, Callable[..., Any]] = {"agree": agree, "observe": observe, "refuses": refuses}
MARKERS_OF_PYTEST = ("skip", "skipif", "xfail", "usefixtures")
INI = Path(__file__).with_name("suite.ini")
BLOCKED = """
    cacheprovider debugging doctest faulthandler junitxml legacypath logging monkeypatch nose pastebin recwarn reports setuponly setupplan
    stepwise terminal threadexception tmpdir unittest unraisableexception warnings
""".split()
OPTIONS = (
    "-c", str(INI), "--rootdir", str(INI.parent), "--noconftest", "--import-mode=importlib", "--strict-markers", "--assert=plain",
    "--capture=no", *(f"-pno:{name}" for name in BLOCKED),
)  # fmt: skip


def collect(exercises: Iterable[Exercise]) -> Mapping[str, Suite]:
    """Return the suites of the exercises by slug. Each file is imported once. Raises CourseError if a suite cannot be collected."""
    exercises = tuple(exercises)
    collector = Collector()
    with nothing_leaking_in():
        code = pytest.main([*OPTIONS, *(str(exercise.suite) for exercise in exercises)], plugins=[collector])
    if collector.interrupted is not None:
        raise collector.interrupted
    if collector.broken or not collector.finished:
        forget({str(exercise.suite) for exercise in exercises})
    if collector.broken:
        raise collector.broken[0]
    if not collector.finished:
        suites, why = ", ".join(str(exercise.suite) for exercise in exercises), _("pytest ended with {code!r}", code=code)
        raise CourseError(_("{suites}: the hidden suite cannot be collected: {why}", suites=suites, why=why))
    return {exercise.slug: suite_of(exercise, collector.items) for exercise in exercises}


def forget(paths: Collection[str]) -> None:
    """Remove the modules of these files from `sys.modules`. Pytest leaves one there whose import failed, and would use it next time."""
    for name, module in [*sys.modules.items()]:
        if getattr(module, "__file__", None) in paths:
            del sys.modules[name]


class Collector:
    """A plugin that keeps the items that pytest collects, and runs nothing."""

    def __init__(self) -> None:
        self.items: Sequence[pytest.Item] = ()
        self.finished = False
        self.broken: list[CourseError] = []
        self.interrupted: BaseException | None = None

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        with found_in(collector.path.parent):
            return (yield)

    def pytest_exception_interact(self, node: pytest.Item | pytest.Collector, call: pytest.CallInfo[object]) -> None:
        if call.excinfo is not None:
            self.broken.append(cannot_be_collected(node.path, call.excinfo.value))

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self.interrupted = excinfo.value

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items, self.finished = session.items, True
        return True


def cannot_be_collected(suite: Path, error: BaseException) -> CourseError:
    """Return the error about a suite that cannot be imported, with the line that failed."""
    cause = error.__cause__ or error  # pytest wraps Python's errors
    site = site_of(suite, cause)
    where = suite if site is None else _("{path}, line {line}", path=site.path, line=site.line)
    return CourseError(_("{suites}: the hidden suite cannot be collected: {why}", suites=where, why=said_by(cause)))


@contextmanager
def nothing_leaking_in() -> Iterator[None]:
    """Keep the user's pytest settings and installed plugins out of a grading."""
    kept = {name: os.environ.pop(name, None) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")}
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        os.environ.update({name: value for name, value in kept.items() if value is not None})


def suite_of(exercise: Exercise, items: Iterable[pytest.Item]) -> Suite:
    """Return the suite of the exercise, from these items. Raises CourseError if none of them is its test."""
    tests = [test_of(exercise, item) for item in items if is_of(exercise, item)]
    if not tests:
        raise CourseError(_("{suite}: no tests found; a hidden suite needs at least one.", suite=exercise.suite))
    tests += derived(exercise, tests[0].function.__globals__)
    return Suite(exercise, tuple(sorted(tests, key=lambda test: test.kind is not Kind.INTERFACE)))


def derived(exercise: Exercise, names: Mapping[str, Any]) -> list[HiddenTest]:
    """Return the situations of an exercise as tests, except for those that it leaves out.

    A situation needs a function of the suite, among its `names`, that gives its uses. Raises CourseError if the exercise names an unknown
    situation.
    """
    refuse_unknown_situations(exercise, exercise.courtesy, SITUATIONS)
    refuse_unknown_situations(exercise, exercise.left_out, (*SITUATIONS, *GROUPS))

    def test_of_situation(each: Situation) -> HiddenTest:
        name, arguments, courtesy = f"{PREFIX}{each.name}", {"typical": names[each.uses]}, each.courtesy or each.name in exercise.courtesy
        return HiddenTest(name, each.claim, each.kind, each.points, each.hint, each.play, arguments, _, courtesy)

    return [test_of_situation(each) for each in SITUATIONS.values() if each.uses in names and not exercise.leaves_out(*each.called)]


def refuse_unknown_situations(exercise: Exercise, names: Iterable[str], known: Collection[str]) -> None:
    """Raise CourseError about the first of the names in exercise.toml that is not a known one."""
    if unknown := next((name for name in names if name not in known), None):
        there_is = ", ".join(known)
        why = _('{exercise}: there is no situation "{name}"; there is {known}.', exercise=exercise.slug, name=unknown, known=there_is)
        raise CourseError(why)


def is_of(exercise: Exercise, item: pytest.Item) -> bool:
    return item.path.name == exercise.suite.name  # pytest may write the folder differently


def test_of(exercise: Exercise, item: pytest.Item) -> HiddenTest:
    """Return a pytest item as a hidden test.

    Raises CourseError if it has no claim, or if it asks for a fixture or a marker that a grading does not have.
    """
    assert isinstance(item, pytest.Function)
    where, english = f"{exercise.suite}: {item.name}", first_paragraph_in(item.obj.__doc__, ENGLISH)
    claim: Claim | None = getattr(item.obj, "claim", None)
    if not english:
        raise CourseError(_("{test} has no docstring; it is the claim that learners read.", test=where))
    if claim is None:
        raise CourseError(_('{test} needs `@claim("…")` with one of {kinds}.', test=where, kinds=", ".join(KINDS)))
    return HiddenTest(
        item.name,
        english,
        claim.kind,
        claim.points,
        claim.hint,
        item.obj,
        arguments_of(item, where),
        partial(translated, folder=exercise.solutions),
        claim.courtesy,
    )


test_of.__test__ = False  # type: ignore[attr-defined]  # pytest would take it for a test


def arguments_of(item: pytest.Function, where: str) -> Mapping[str, Any]:
    """Return the arguments of a test: the values of its case, and the fixtures that it asks for."""
    case = item.callspec.params if hasattr(item, "callspec") else {}
    asked = [name for name in signature(item.obj).parameters if name not in case]
    strange = [name for name in (*asked, *imposed(item)) if name not in FIXTURES]
    if strange:
        known = ", ".join(FIXTURES)
        why = _('{test} asks for "{name}", which a hidden suite does not have; it has {known}.', test=where, name=strange[0], known=known)
        raise CourseError(why)
    return {**case, **{name: FIXTURES[name] for name in asked}}


def imposed(item: pytest.Function) -> Iterator[str]:
    """Yield the names of pytest's own markers on a test, and of fixtures that the suite defines for it: a grading has neither."""
    yield from (name for name in MARKERS_OF_PYTEST if item.get_closest_marker(name))
    for name in item.fixturenames:
        known = item._fixtureinfo.name2fixturedefs.get(name, ())
        if any(each.func.__module__ == item.obj.__module__ for each in known):
            yield name
