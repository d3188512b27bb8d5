"""The pytest plugin that plays the tests of one hidden suite on one submission, as the grader does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.grading.grading_options import Options
from normgrade.grading.opening import open_grader
from normgrade.grading.preparation import settle
from normgrade.grading.run import Run
from normgrade.inspection.inspection import Inspection, inspect_file
from normgrade.language import _
from normgrade.language.errors import UsageError
from normgrade.language.visible import visible
from normgrade.remarks.remarks import remarked
from normgrade.report.render.wording import difference_in_words, what_it_is
from normgrade.report.report import Check, Outcome
from normgrade.suite.collection import suite_of
from normgrade.suite.helpers import is_hidden
from normgrade.suite.suite import HiddenTest, Suite


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
            found = ", ".join(sorted(path.name for path in suites)) or _("none")
            raise pytest.UsageError(
                _("--submission plays one hidden suite, but pytest collected: {found}. Pass one tests/hidden/test_SLUG.py.", found=found)
            )
        exercise, suite, inspection = read_all(own, self.path)
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
            pytest.skip(_("it needs a definition that is missing in the file"))
        tell(item, self.run, test)
        return True

    def pytest_unconfigure(self) -> None:
        self.opened.close()


def read_all(items: Sequence[pytest.Item], submission: Path) -> tuple[Exercise, Suite, Inspection]:
    """Return the exercise of these items, its suite, and the inspection of the submission."""
    path = items[0].path
    try:
        exercise = Course.find(path.parents[2]).exercise(path.stem.removeprefix("test_"))
        return exercise, suite_of(exercise, items), inspect_file(submission, exercise, allow_stub=True)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from error


@contextmanager
def begun(exercise: Exercise, suite: Suite, inspection: Inspection, path: Path, seed: int) -> Iterator[Run | None]:
    """Open a run on the submission, with its own grader. Yield None if inspection found that nothing can be run."""
    if not inspection.runnable or inspection.source is None:
        yield None
        return
    with open_grader([exercise], Options(seed=seed), collect=lambda exercises: {exercise.slug: suite}) as grader:
        settle(grader, exercise, grader.reference_run(exercise))
        with grader.run(exercise, inspection.source, path.name) as run:
            yield run


def tell(item: pytest.Item, run: Run, test: HiddenTest) -> None:
    """Play a check, and raise the pytest exception that stands for its outcome."""
    result = run.result_of(test)
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
    lines = [check.claim, check.message]
    for each in check.differences:
        lines.append(f"{what_it_is(each)}: {difference_in_words(each)}")
        lines.append(f"  {_('looks like: {words}', words=each.looks_like)}" if each.looks_like else "")
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
