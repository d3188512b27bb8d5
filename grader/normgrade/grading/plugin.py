"""A pytest plugin that plays hidden suites: `pytest tests/hidden/test_layer_norm.py --submission layer_norm.py`.

It leaves all other tests as they are: without --submission it only registers two options and three fixtures. With it, the checks of one
suite are played as the grader plays them, in a worker within walls, and pytest's own options work: -k, -x, --junitxml.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from normgrade.language.visible import visible
from normgrade.suite.helpers import found_in

if TYPE_CHECKING:
    from normgrade.course.course import Exercise
    from normgrade.grading.run import Run
    from normgrade.inspection.inspection import Inspection
    from normgrade.report.report import Check
    from normgrade.suite.suite import HiddenTest, Suite


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("normgrade", "hidden suites of normgrade")
    group.addoption("--submission", type=Path, metavar="FILE", help="play the hidden suite that is collected on this file")
    group.addoption("--submission-seed", type=int, default=0, metavar="N", help="seed of the inputs (default: 0)")


def pytest_configure(config: pytest.Config) -> None:
    path = config.getoption("--submission")
    if path is not None:
        config.pluginmanager.register(Examiner(path.absolute(), config.getoption("--submission-seed")), "normgrade.examiner")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let a hidden suite find the helpers of its course while it is imported."""
    with found_in(collector.path.parent) if is_hidden(collector.path) else nullcontext():
        return (yield)


@pytest.fixture
def agree(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Check that the submission and the reference make the same observations."""
    return the_word("agree", request.config)


@pytest.fixture
def observe(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Return the observations of the submission."""
    return the_word("observe", request.config)


@pytest.fixture
def refuses(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Check that the submission refuses the same calls as the reference."""
    return the_word("refuses", request.config)


def the_word(name: str, config: pytest.Config) -> Callable[..., Any]:
    """Return the function that a fixture gives to a test. Without a submission, the test fails before it begins."""
    from normgrade.language import _
    from normgrade.suite.collection import FIXTURES

    if config.getoption("--submission") is None:
        pytest.fail(_("This test of a hidden suite plays a submission. Name its file: pytest … --submission FILE."), pytrace=False)
    return FIXTURES[name]


class Examiner:
    """The plugin that plays the tests of one hidden suite on one submission. Pytest itself runs all other tests."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.seed = seed
        self.tests: dict[str, HiddenTest] = {}  # by node ID
        self.begun: AbstractContextManager[Run | None] = nullcontext()
        self.opened = ExitStack()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Find the one hidden suite among the items. Findings of the inspection come first, then the interface, as in every grading."""
        own = [item for item in items if is_hidden(item.path)]
        if len(suites := {item.path for item in own}) != 1:
            found = ", ".join(sorted(path.name for path in suites)) or "none"
            raise pytest.UsageError(f"--submission plays one hidden suite; collected: {found}. Name one tests/hidden/test_SLUG.py.")
        exercise, suite, inspection = prepared(own, self.path)
        nodes = {item.name: item for item in own}
        situations = {name: Derived.from_parent(session, name=name, examiner=self) for name in suite.names if name not in nodes}
        nodes |= situations
        self.tests = {nodes[test.name].nodeid: test for test in suite.tests}
        self.begun = begun(exercise, suite, inspection, self.path, self.seed)
        in_order = [nodes[test.name] for test in suite.tests]
        findings = [Findings.from_parent(session, name="inspection", findings=inspection.findings)] if inspection.findings else []
        items[:] = [*findings, *in_order, *(item for item in items if item not in own)]

    @cached_property
    def run(self) -> Run | None:
        """The run that plays the checks, opened for the first of them; None if inspection found that nothing can be run."""
        return self.opened.enter_context(self.begun)

    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Play the check in place of pytest, and tell pytest its outcome."""
        return self.plays(pyfuncitem) or None

    def plays(self, item: pytest.Item) -> bool:
        """Play the check of this item. Return False if it has none."""
        test = self.tests.get(item.nodeid)
        if test is None:
            return False
        if self.run is None:
            pytest.skip("it needs what inspection found missing")
        tell(item, self.run, test)
        return True

    def pytest_unconfigure(self) -> None:
        self.opened.close()


def is_hidden(path: Path) -> bool:
    """Return True if this is the hidden suite of a course: <course>/tests/hidden/test_<slug>.py."""
    return path.parent.parts[-2:] == ("tests", "hidden") and (path.parents[2] / "exercises" / path.stem.removeprefix("test_")).is_dir()


def prepared(items: Sequence[pytest.Item], submission: Path) -> tuple[Exercise, Suite, Inspection]:
    """Return the exercise of these items, its suite, and the inspection of the submission."""
    from normgrade.course.course import Course
    from normgrade.inspection.inspection import inspect_file
    from normgrade.language.errors import UsageError
    from normgrade.suite.collection import suite_of

    path = items[0].path
    try:
        exercise = Course.find(path.parents[2]).exercise(path.stem.removeprefix("test_"))
        return exercise, suite_of(exercise, items), inspect_file(submission, exercise, allow_stub=True)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error


@contextmanager
def begun(exercise: Exercise, suite: Suite, inspection: Inspection, path: Path, seed: int) -> Iterator[Run | None]:
    """Open a run on the submission, with its own grader. Yield None if inspection found that nothing can be run."""
    from normgrade.grading.grader import open_grader
    from normgrade.grading.grading_options import Options

    if not inspection.runnable or inspection.source is None:
        yield None
        return
    with (
        open_grader([exercise], Options(seed=seed), collect=lambda exercises: {exercise.slug: suite}) as grader,
        grader.run(exercise, inspection.source, path.name) as run,
    ):
        yield run


def tell(item: pytest.Item, run: Run, test: HiddenTest) -> None:
    """Play a check, and raise the pytest exception that stands for its outcome."""
    from normgrade.remarks.remarks import remarked
    from normgrade.report.report import Outcome

    result = run.play(test)
    [check] = remarked([result], run.exercise)
    if check.stdout:
        item.add_report_section("call", "stdout", visible(check.stdout))
    if died := [why for play in result.plays for why in play.observation.deaths]:
        item.add_report_section("call", "process that died", "\n".join(died))
    if check.outcome is Outcome.SKIPPED:
        pytest.skip(visible(check.message))
    if check.asked_in_vain:
        pytest.skip(in_words(check))
    if check.outcome is not Outcome.PASSED:
        pytest.fail(in_words(check), pytrace=False)


def in_words(check: Check) -> str:
    """Return the claim, the message, every place that differs, and the hint, as one text."""
    from normgrade.report.render.wording import difference_in_words, what_it_is

    lines = [check.claim, check.message]
    for each in check.differences:
        lines.append(f"{what_it_is(each)}: {difference_in_words(each)}")
        lines.append(f"  looks like: {each.looks_like}" if each.looks_like else "")
    return visible("\n".join(filter(None, (*lines, check.hint))))


class Derived(pytest.Item):
    """A check that is derived from the typical uses of the exercise. It has no function in the suite."""

    def __init__(self, *, examiner: Examiner, **more: Any) -> None:
        super().__init__(**more)
        self.examiner = examiner

    def runtest(self) -> None:
        self.examiner.plays(self)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


class Findings(pytest.Item):
    """The findings of the inspection, as a test that fails."""

    def __init__(self, *, findings: Sequence[Any], **more: Any) -> None:
        super().__init__(**more)
        self.findings = findings

    def runtest(self) -> None:
        pytest.fail(visible("\n".join(f"line {each.line}: {each.text}" for each in self.findings)), pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name
