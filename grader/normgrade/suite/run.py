"""The pytest plugin that runs hidden suites: fixtures, markers, outcomes, and the words that suites use.

A suite is collected once and may then be run on any number of submissions: starting pytest costs more than all checks together.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
import pytest

from normgrade.compare.context import setting_of
from normgrade.compare.differences import described, differences, unsound
from normgrade.compare.trends import Step, by_size, pattern, steps_of
from normgrade.course.course import Exercise
from normgrade.language import ENGLISH, _, spoken
from normgrade.language.docstring import first_paragraph
from normgrade.language.errors import CourseError, GraderError
from normgrade.oracle.draws import generator
from normgrade.oracle.expectation import Expectation, Oracle
from normgrade.report.place_names import place_in_words
from normgrade.report.report import Check, Difference, Outcome
from normgrade.suite.story import Story, build, call, evaluate, probe, reload, request, train
from normgrade.worker import interrupts
from normgrade.worker.observation import Array, Error, Observation, Request, Value

__all__ = ["build", "call", "evaluate", "ones", "probe", "randn", "reload", "train", "uniform", "words", "zeros"]

KINDS = ("interface", "formula", "state", "gradient", "edge", "stability", "precision")
T = TypeVar("T")


class Player(Protocol):
    """Plays a request on one submission: a worker, or whatever stands in for one."""

    def play(self, request: Request, size_limit_bytes: int) -> Observation: ...


@dataclass(frozen=True, slots=True)
class Play:
    """One request of a check, with what was observed and what was expected; `refusal` names what should have been raised."""

    observation: Observation
    expectation: Expectation
    refusal: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A check, and what was played for it."""

    check: Check
    plays: tuple[Play, ...]


class Disagreement(Exception):
    """The submission is wrong here: a message, and the differences."""

    def __init__(self, message: str, found: tuple[Difference, ...] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.differences = found


class BrokenSuite(Exception):
    """The suite asks for something that cannot be graded; never the submission's fault."""


@dataclass
class Run:
    """One submission on its way through one suite. The fixtures and the random inputs of a check belong to it."""

    player: Player
    oracle: Oracle
    exercise: Exercise
    reference: str
    seed: int
    results: list[Result] = field(default_factory=list)
    check: str = ""
    draws: int = 0
    plays: list[Play] = field(default_factory=list)
    outcome: tuple[Outcome, str, tuple[Difference, ...]] = (Outcome.PASSED, "", ())
    unusable: bool = False  # an interface check failed
    hasty: bool = False  # one failure is enough, and nothing is worded
    decided: bool = False

    def begin(self, check: str) -> None:
        self.check, self.draws, self.plays, self.outcome = check, 0, [], (Outcome.PASSED, "", ())

    def random(self) -> np.random.Generator:
        self.draws += 1
        return generator(self.seed, self.check, "input", self.draws)

    def expectation(self, story: Sequence[Story], refusal: type[Exception] | None = None) -> Expectation:
        """What the reference observes. One that is kept, and of no use, is computed once more before anybody hears of it."""
        asked = request(story, self.exercise.defines[0].name, [self.seed, self.check, len(self.plays)])
        expectation = self.oracle.expectation(self.reference, asked)
        if unsound(expectation) or not raises(expectation, refusal):
            expectation = self.oracle.expectation(self.reference, asked, anew=True)
        if why := unsound(expectation):
            raise BrokenSuite(why)
        return expectation

    def differences(self, observation: Observation, expectation: Expectation) -> tuple[Difference, ...]:
        """With words on what they look like, where there are any and there is no haste."""
        found = differences(observation, expectation)
        if self.hasty or not found:
            return found
        return differences(observation, expectation, setting_of(expectation.request, self.exercise.defines))

    def play(self, expectation: Expectation, refusal: tuple[str, ...] | None = None) -> Observation:
        observation = self.player.play(expectation.request, expectation.size_bytes)
        self.plays.append(Play(observation, expectation, refusal))
        return observation


running: list[Run] = []  # the run in progress, if any


def current() -> Run:
    if not running or not running[-1].check:
        raise BrokenSuite(_("random inputs can only be drawn inside a test, not while the suite is imported"))
    return running[-1]


def randn(*shape: int) -> np.ndarray:
    """Standard normal float32 numbers that depend on seed, test and call alone."""
    return current().random().standard_normal(shape, dtype=np.float32)


def uniform(low: float, high: float, *shape: int) -> np.ndarray:
    """Uniform float32 numbers between `low` and `high`."""
    return current().random().uniform(low, high, shape).astype(np.float32)


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, dtype=np.float32)


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, dtype=np.float32)


def words(english: str, **others: str) -> str:
    """What an assertion tells the learner, in the language that is spoken: words("…", zh="…")."""
    return others.get(spoken(), english)


def agree(*story: Story) -> None:
    """The submission observes what the reference observes, place by place, within the spread."""
    run = current()
    expectation = run.expectation(story)
    if expectation.error:
        raise BrokenSuite(_("the reference itself raises {error}", error=raised(expectation.error)))
    observation = run.play(expectation)
    found = run.differences(observation, expectation)
    if observation.error:
        raise Disagreement(raised(observation.error), found)
    if found:
        raise Disagreement(pattern(expectation.request, expectation.places, found), found)


def observe(*story: Story) -> Mapping[str, Value]:
    """What the submission observes, for a test to assert on."""
    run = current()
    expectation = run.expectation(story)
    observation = run.play(expectation)
    if observation.error:
        raise Disagreement(raised(observation.error))
    return Seen(observation, expectation)


class Seen(Mapping[str, Value]):
    """What was observed, by place: a value of the form that the reference gives there, whatever its numbers. Anything else fails."""

    def __init__(self, observation: Observation, expectation: Expectation) -> None:
        self.observation, self.expectation = observation, expectation

    def __getitem__(self, place: str) -> Value:
        value, expected = self.observation.values.get(place), self.expectation.places[place]
        if form(value) != form(expected.value):
            raise Disagreement("", (described(place, value, expected),))
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self.expectation.places)

    def __len__(self) -> int:
        return len(self.expectation.places)


def form(value: Value) -> tuple[object, ...]:
    """All that a test may rely on where it asserts on a value: its type, and the shape of an array. Its numbers may be of any dtype."""
    return (Array, value.values.shape) if isinstance(value, Array) else (type(value),)


def refuses(error: type[Exception], *story: Story, legal: Story | Sequence[Story]) -> None:
    """The last step raises `error`, the steps before it agree, and with `legal` in the last one's place nothing is raised.

    The legal twin keeps an accidental error from passing for a refusal.
    """
    run = current()
    twin = run.expectation((*story[:-1], *(legal if isinstance(legal, Sequence) else (legal,))))
    expectation = run.expectation(story, error)
    if twin.error or expectation.error is None or not raises(expectation, error):
        why = _("the reference does not refuse the last step with a {error}, or refuses its legal twin too", error=error.__name__)
        raise BrokenSuite(why)
    allowed = run.play(twin)
    if allowed.error:
        raise Disagreement(_("a legal call is refused: {error}", error=raised(allowed.error)))
    observation = run.play(expectation, (error.__name__,))
    before, wanted = run.differences(observation, expectation), refusal(error.__name__, expectation.error.step)
    if observation.error is None:
        raise Disagreement(_("nothing was raised; {wanted}", wanted=wanted), before)
    if error.__name__ not in observation.error.types or observation.error.step != expectation.error.step:
        raise Disagreement(_("{wanted}, but came {error}", wanted=wanted, error=raised(observation.error)), before)
    if before:
        raise Disagreement("", before)


def raises(expectation: Expectation, error: type[Exception] | None) -> bool:
    """Whether the reference raises such an error, or none where None is named."""
    found = expectation.error
    return found is None if error is None else found is not None and error.__name__ in found.types


def refusal(error: str, step: str | None) -> str:
    """What is expected where a step is to be refused."""
    if step is None:
        return _("a {error} is expected", error=error)
    return _("a {error} is expected at {step}", error=error, step=place_in_words(step))


def raised(error: Error) -> str:
    """An error in words, with the learner's line where there is one."""
    name = f"{error.types[0]}: " if error.types else ""
    where = place_in_words(error.step) + _(": ") if error.step else ""
    lines = [_("line {line}, in {function}: {text}", line=frame.line, function=frame.function, text=frame.text) for frame in error.frames]
    return "\n  ".join((f"{where}{name}{error.message}", *lines))


@dataclass(frozen=True)
class Suite:
    """The checks of one exercise, collected and ready to be run any number of times."""

    exercise: Exercise
    items: tuple[pytest.Item, ...]

    @property
    def points(self) -> int:
        return sum(mark(item, "points", 1) for item in self.items)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(item.name for item in self.items)

    @property
    def claims(self) -> Mapping[str, tuple[str, ...]]:
        """The checks of each claim, by name."""
        found: dict[str, tuple[str, ...]] = {}
        for item in self.items:
            found[claim(item)] = (*found.get(claim(item), ()), item.name)
        return found

    def run(
        self,
        player: Player,
        oracle: Oracle,
        reference: str,
        seed: int = 0,
        ended: Callable[[Check], None] = lambda check: None,
        hasty: bool = False,
    ) -> tuple[Result, ...]:
        """Every check on one submission; `ended` is called after each. In haste, all that follow a failure are skipped."""
        run = Run(player, oracle, self.exercise, reference, seed, hasty=hasty)
        running.append(run)
        try:
            for item, following in zip(self.items, (*self.items[1:], None), strict=True):
                interrupts.raise_again()
                run.begin(item.name)
                started = time.perf_counter()
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                run.results.append(result(item, run, time.perf_counter() - started))
                ended(run.results[-1].check)
        finally:
            running.remove(run)
        return tuple(run.results if hasty else with_sizes(run.results))


def with_sizes(results: Sequence[Result]) -> Iterator[Result]:
    """The results; where all that failed did so for large inputs alone, or for small ones, with a word on it."""
    failed = [result for result in results if result.check.outcome is Outcome.FAILED]
    steps = {result.check.name: steps_taken(result) for result in results} if failed else {}
    explained = all(any(not step.right for step in steps[result.check.name]) for result in failed)
    words = by_size([step for taken in steps.values() for step in taken]) if explained else ""
    for result in results:
        told = result.check.message or result not in failed
        yield result if told else replace(result, check=replace(result.check, message=words))


def steps_taken(result: Result) -> list[Step]:
    """All steps of a check's plays that came to their end."""
    whole = [play for play in result.plays if play.refusal is None and play.observation.error is None]
    return [step for play in whole for step in steps_of(play.expectation.request, differences(play.observation, play.expectation))]


def result(item: pytest.Item, run: Run, duration_s: float) -> Result:
    outcome, message, found = run.outcome
    kind = mark(item, "kind", "formula")
    run.unusable |= kind == "interface" and outcome is Outcome.FAILED
    run.decided |= run.hasty and outcome is Outcome.FAILED
    check = Check(
        name=item.name,
        claim=claim(item),
        kind=kind,
        outcome=outcome,
        points=mark(item, "points", 1),
        duration_s=duration_s,
        message=message,
        hint=hint(item) if outcome is Outcome.FAILED else "",
        stdout="".join(dict.fromkeys(play.observation.stdout for play in run.plays)),
        differences=found,
        lines=lines_raised(run.plays) if outcome is Outcome.FAILED else (),
    )
    return Result(check, tuple(run.plays))


def lines_raised(plays: Sequence[Play]) -> tuple[int, ...]:
    """The lines of the submission in which it raised what it should not have."""
    unexpected = [play.observation.error for play in plays if play.refusal is None and play.observation.error is not None]
    return tuple(dict.fromkeys(frame.line for error in unexpected for frame in error.frames))


def mark(item: pytest.Item, name: str, default: Any) -> Any:
    found = item.get_closest_marker(name)
    return found.args[0] if found else default


def claim(item: pytest.Item) -> str:
    return first_paragraph(docstring(item))


def docstring(item: pytest.Item) -> str | None:
    """It begins with the claim, in each language of the course."""
    assert isinstance(item, pytest.Function)
    text: str | None = item.obj.__doc__
    return text


def hint(item: pytest.Item) -> str:
    return hint_in(item, spoken()) or hint_in(item, ENGLISH)


def hint_in(item: pytest.Item, language: str) -> str:
    """What the marker hint("…", zh="…") says in a language; nothing where there is none."""
    found = item.get_closest_marker("hint")
    if found is None:
        return ""
    return str(found.args[0] if language == ENGLISH else found.kwargs.get(language, ""))


class Plugin:
    """What pytest needs to know of normgrade: the fixtures, and what to do with the collected suites."""

    def __init__(self, use: Callable[[Sequence[pytest.Item]], None]) -> None:
        self.use = use
        self.broken: list[str] = []
        self.raised: BaseException | None = None

    @pytest.fixture(name="agree")
    @staticmethod
    def fixture_agree() -> Callable[..., Any]:
        return agree

    @pytest.fixture(name="observe")
    @staticmethod
    def fixture_observe() -> Callable[..., Any]:
        return observe

    @pytest.fixture(name="refuses")
    @staticmethod
    def fixture_refuses() -> Callable[..., Any]:
        return refuses

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.broken.append(str(report.longrepr))

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self.raised = excinfo.value

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        try:
            if not self.broken:
                self.use(session.items)
        except BaseException as error:  # pytest would swallow it, or call it its own
            self.raised = error
        return True

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if running[-1].decided:
            pytest.skip(_("an earlier check has decided"))
        if running[-1].unusable and mark(item, "kind", "formula") != "interface":
            pytest.skip(_("it needs what an interface check found broken"))

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        """A report without pytest's own rendering of the traceback, which nobody reads and which takes 10 ms per failed check."""
        assert call.when != "collect"
        outcome: Literal["passed", "failed", "skipped"] = "passed"
        if call.excinfo is not None:
            running[-1].outcome = judged(call.excinfo.value, running[-1].plays)
            outcome = "skipped" if running[-1].outcome[0] is Outcome.SKIPPED else "failed"
        return pytest.TestReport(item.nodeid, item.location, {}, outcome, None, call.when, duration=call.duration)


def judged(error: BaseException, plays: Sequence[Play]) -> tuple[Outcome, str, tuple[Difference, ...]]:
    """What an exception in a test says: of the submission, or of the suite. A test that stumbles over what differs speaks of the former."""
    what = f"{type(error).__name__}: {error}"
    match error:
        case Disagreement():
            return Outcome.FAILED, error.message, error.differences
        case AssertionError() | pytest.fail.Exception():
            return Outcome.FAILED, str(error) or _("the claim does not hold"), ()
        case pytest.skip.Exception():
            return Outcome.SKIPPED, str(error), ()
        case GraderError() | MemoryError():
            raise error
        case _ if not isinstance(error, Exception):  # an interrupt, or an exit: the grader's own
            raise error
        case CourseError():
            return Outcome.ERROR, str(error), ()
        case Exception() if not isinstance(error, BrokenSuite) and (found := wrong_in(plays)):
            return Outcome.FAILED, _("what was observed cannot be judged: {error}", error=what), found
        case _:
            return Outcome.ERROR, _("the suite is broken, not your code: {error}", error=what), ()


def wrong_in(plays: Sequence[Play]) -> tuple[Difference, ...]:
    """The differences of the first play that has any."""
    return next(filter(None, (differences(play.observation, play.expectation) for play in plays)), ())


def with_suites(exercises: Sequence[Exercise], use: Callable[[Mapping[str, Suite]], T]) -> T:
    """Collect the suites of the exercises once, in this process, and hand them to `use`, by slug."""
    results: list[T] = []

    def ready(items: Sequence[pytest.Item]) -> None:
        suites = {exercise.slug: Suite(exercise, in_order(exercise, items)) for exercise in exercises}
        results.append(use(suites))

    plugin = Plugin(ready)
    with nothing_leaking_in():
        code = pytest.main([*OPTIONS, *(str(exercise.suite) for exercise in exercises)], plugins=[plugin])
    if plugin.raised is not None:
        raise plugin.raised
    if not results:
        said = plugin.broken[0].strip().splitlines()[-1].removeprefix("E").strip() if plugin.broken else ""
        why = said or _("pytest ended with {code!r}", code=code)
        suites = ", ".join(str(exercise.suite) for exercise in exercises)
        raise CourseError(_("{suites}: the hidden suite cannot be collected: {why}", suites=suites, why=why))
    return results[0]


BLOCKED = """
    cacheprovider debugging doctest faulthandler junitxml legacypath logging monkeypatch nose pastebin recwarn reports setuponly setupplan
    stepwise terminal threadexception tmpdir unittest unraisableexception warnings
""".split()
OPTIONS = (
    "-c", str(Path(__file__).with_name("suite.ini")), "--rootdir", str(Path(__file__).parent), "--noconftest", "--import-mode=importlib",
    "--strict-markers", "--assert=plain", "--capture=no", *(f"-pno:{name}" for name in BLOCKED),
)  # fmt: skip


@contextmanager
def nothing_leaking_in() -> Iterator[None]:
    """Neither the user's pytest settings nor plugins that happen to be installed have a say in a grading."""
    kept = {name: os.environ.pop(name, None) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")}
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        del os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"]
        os.environ.update({name: value for name, value in kept.items() if value is not None})


def in_order(exercise: Exercise, items: Sequence[pytest.Item]) -> tuple[pytest.Item, ...]:
    """The exercise's checks, those of the interface first; every one states a claim, and a kind that is known."""
    own = [item for item in items if item.path.name == exercise.suite.name]  # pytest has its own way of writing the folder
    for item in own:
        test = f"{exercise.suite}: {item.name}"
        if not claim(item):
            raise CourseError(_("{test} has no docstring; it is the claim that learners read.", test=test))
        if mark(item, "kind", None) not in KINDS:
            raise CourseError(_('{test} needs a marker kind("…") with one of {kinds}.', test=test, kinds=", ".join(KINDS)))
        points = mark(item, "points", 1)
        if not isinstance(points, int) or points < 0:
            raise CourseError(_("{test}: points({points!r}) must be a whole number of points.", test=test, points=points))
    if not own:
        raise CourseError(_("{suite}: no tests found; a hidden suite needs at least one.", suite=exercise.suite))
    return tuple(sorted(own, key=lambda item: mark(item, "kind", "") != "interface"))
