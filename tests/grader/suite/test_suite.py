"""Hidden suites: what their words and fixtures do, what is the submission's fault and what the suite's, and that nothing else has a say."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from normgrade.compare.played import Result
from normgrade.compare.remarks import remarked
from normgrade.course.course import Course, Exercise
from normgrade.course.files import read_text
from normgrade.language.errors import CourseError, GraderError
from normgrade.oracle.cache import Cache
from normgrade.oracle.expectation import Expectation, Oracle, module
from normgrade.oracle.kept import decode, encode
from normgrade.report.report import Check, Outcome
from normgrade.suite.collection import Suite, collect
from normgrade.suite.run import Run
from normgrade.suite.vocabulary import BrokenSuite, Player, current, ones, playing, randn, zeros
from normgrade.worker.observation import Array, Cause, Error, Observation, Playable
from normgrade.worker.play import load, play
from normgrade.worker.requests import LayerStory, TypedRequest, typed

KEY = bytes(32)  # of a user

EditedCourse = Callable[..., Course]
Checks = Mapping[str, Check]
RunSuite = Callable[..., Checks]
HEAD = "import pytest\nfrom normgrade.suite import build, call, evaluate, ones, probe, randn, reload, train, uniform, zeros\n"
RIGHT = (Path(__file__).parents[1] / "fixtures/submissions/right_centring/centring.py").read_text(encoding="utf-8")
REFUSAL = 'raise ValueError("two dimensions, please")'
EARLY = f"{REFUSAL}\n        CALLS.append(1)\n        if len(CALLS) == 3:\n            raise ValueError('early')"
RANK = "refuses(ValueError, build(3), train(randn(4, 3)), train(randn(2, 4, 3)), legal=train(randn(4, 3)))"


def changed(old: str, new: str) -> str:
    assert RIGHT.count(old) == 1
    return RIGHT.replace(old, new)


def test_function(body: str, name: str = "test_it", kind: str = "formula", marks: str = "", doc: str = "It holds.") -> str:
    """The source of one check."""
    return f'@pytest.mark.kind("{kind}")\n{marks}\ndef {name}(agree, refuses, observe):\n    """{doc}"""\n    {body}\n\n'


test_function.__test__ = False  # type: ignore[attr-defined]  # it makes tests, and is none


@dataclass
class InThisProcess:
    """Plays a source here, and remembers what it was asked. Fast, and as good as a worker for a source that means no harm."""

    source: str
    exercise: Exercise
    prints: str = ""
    asked: list[Playable] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.implementation = load(self.source, "mine.py")

    def play(self, request: Playable, size_limit_bytes: int) -> Observation:
        self.asked.append(request)
        probes = None if self.exercise.probes is None else module(read_text(self.exercise.probes), "probes")
        return replace(play(self.implementation, request, probes, size_limit_bytes), stdout=self.prints)


def played(suite: Suite, player: Player, folder: Path, seed: int = 0) -> list[Result]:
    exercise = suite.exercise
    oracle = Oracle(Cache(folder, KEY), None if exercise.probes is None else read_text(exercise.probes))
    return list(Run(player, oracle, exercise, read_text(exercise.reference), seed).results(suite))


@pytest.fixture
def run_suite(edited_course: EditedCourse, expectations: Path) -> RunSuite:
    """Run these tests as the hidden suite of `centring` on a source; its checks by name."""

    def ran(tests: str, source: str = RIGHT, reference: tuple[str, str] | None = None) -> Checks:
        edits = {"solutions/centring/reference.py": [reference]} if reference else {}
        exercise = edited_course({"tests/hidden/test_centring.py": HEAD + tests, **edits}).exercise("centring")
        player = InThisProcess(source, exercise)
        results = played(collect([exercise])["centring"], player, expectations)
        return {check.name: check for check in remarked(results, exercise)}

    return ran


def one(checks: Checks) -> Check:
    [check] = checks.values()
    return check


# Collecting


def test_suites_are_collected_once_and_run_many_times(edited_course: EditedCourse, expectations: Path, tmp_path: Path) -> None:
    log = tmp_path / "collected"
    note = f"import pytest\nwith open({str(log)!r}, 'a') as log:\n    log.write(__file__[-6:])\n"
    course = edited_course({f"tests/hidden/test_{slug}.py": [("import pytest\n", note)] for slug in ("rms", "centring")})
    exercises = list(course)

    suites = collect(exercises)
    assert [suites[slug].points for slug in ("rms", "centring")] == [8, 10]
    players = [InThisProcess(read_text(exercise.reference), exercise) for exercise in exercises] * 2
    outcomes = [[result.check.outcome for result in played(suites[player.exercise.slug], player, expectations)] for player in players]
    assert outcomes == [[Outcome.PASSED] * 5, [Outcome.PASSED] * 7] * 2
    assert sorted([log.read_text()[:6], log.read_text()[6:]]) == ["ing.py", "rms.py"]


def test_a_check_carries_what_its_markers_say(run_suite: RunSuite) -> None:
    doc = "It holds,\n    and well.\n\n    This is not told."
    marks = '@pytest.mark.points(3)\n@pytest.mark.hint("Look again.")\n@pytest.mark.parametrize("size", [4, 5])'
    tests = test_function("agree(build(3), train(randn(size, 3)))", doc=doc, marks=marks).replace("(agree,", "(size, agree,")
    tests += test_function("observe(build(3))", "test_other", "state")
    checks = run_suite(tests, changed("(x - mean)", "(x + mean)"))
    four, other = checks["test_it[4]"], checks["test_other"]
    assert list(checks) == ["test_it[4]", "test_it[5]", "test_other"]
    assert (four.claim, four.kind, four.points, four.earned, four.hint) == ("It holds, and well.", "formula", 3, 0, "Look again.")
    assert (other.claim, other.kind, other.points, other.earned, other.hint) == ("It holds.", "state", 1, 1, "")


def test_a_hint_is_kept_for_failures(run_suite: RunSuite) -> None:
    check = one(run_suite(test_function("agree(build(3))", marks='@pytest.mark.hint("Look again.")')))
    assert (check.outcome, check.hint) == (Outcome.PASSED, "")


def test_results_come_one_by_one(tiny: Course, expectations: Path) -> None:
    """Whoever has seen enough stops, and nothing more is played."""
    exercise = tiny.exercise("centring")
    player, oracle = InThisProcess(RIGHT, exercise), Oracle(Cache(expectations, KEY))
    results = Run(player, oracle, exercise, read_text(exercise.reference)).results(collect([exercise])["centring"])
    asked = [len(player.asked) for _result in islice(results, 3)]
    assert asked == [2, 3, 4] == [*asked[:2], len(player.asked)]


@pytest.mark.parametrize(
    ("marks", "asks", "name"),
    [
        ("", "tmp_path, agree", "tmp_path"), ("", "agre", "agre"), ("@pytest.mark.skip", "agree", "skip"),
        ("@pytest.mark.xfail(strict=False)", "agree", "xfail"),
        ("@pytest.mark.skipif(True, reason='so')", "agree", "skipif"), ("@pytest.mark.usefixtures('observe')", "agree", "usefixtures"),
    ],
)  # fmt: skip
def test_a_test_that_asks_for_what_only_pytest_has_is_refused(marks: str, asks: str, name: str, run_suite: RunSuite) -> None:
    test = test_function("agree(build(3))", marks=marks).replace("(agree, refuses, observe)", f"({asks})")
    with pytest.raises(CourseError) as caught:
        run_suite(test)
    assert f'test_it asks for "{name}", which a hidden suite does not have; it has agree, observe, refuses.' in str(caught.value)


def test_a_fixture_that_every_test_would_get_is_refused(run_suite: RunSuite) -> None:
    fixture = "@pytest.fixture(autouse=True)\ndef before():\n    raise ValueError\n\n"
    with pytest.raises(CourseError, match='test_it asks for "before"'):
        run_suite(fixture + test_function("agree(build(3))"))


# The fixtures


def test_agreement_passes(run_suite: RunSuite) -> None:
    check = one(run_suite(test_function("agree(build(3), train(randn(4, 3)), evaluate(randn(2, 3)), reload(), evaluate(randn(2, 3)))")))
    assert (check.outcome, check.message, check.differences) == (Outcome.PASSED, "", ())


def test_disagreement_fails_with_its_places(run_suite: RunSuite) -> None:
    check = one(run_suite(test_function("agree(build(3), train(randn(4, 3)))"), changed("self.momentum * (", "0.5 * (")))
    assert (check.outcome, check.message, [found.place for found in check.differences]) == (
        Outcome.FAILED, "", ["step 1 · running_mean"],
    )  # fmt: skip


def test_an_error_fails_with_its_step_and_line(run_suite: RunSuite) -> None:
    check = one(
        run_suite(test_function("agree(build(3), train(randn(4, 3)), evaluate(randn(4, 3)))"), changed("self.running_mean\n", "x[9]\n"))
    )
    assert (check.outcome, check.differences) == (Outcome.FAILED, ())
    message = "step 2: IndexError: index 9 is out of bounds for dimension 0 with size 4\n  line 16, in forward: "
    assert check.message == f"{message}mean = x.mean(0) if self.training else x[9]"


def test_after_a_disagreement_nothing_more_is_played(edited_course: EditedCourse, expectations: Path) -> None:
    tests = test_function("agree(build(3), train(randn(4, 3)))\n    agree(build(3), train(randn(5, 3)))")
    exercise = edited_course({"tests/hidden/test_centring.py": HEAD + tests}).exercise("centring")
    wrong, right = (InThisProcess(source, exercise) for source in (changed("(x - mean)", "(mean - x)"), RIGHT))
    for player in (wrong, right):
        played(collect([exercise])["centring"], player, expectations)
    assert (len(wrong.asked), len(right.asked)) == (1, 2)


def test_observed_values_can_be_asserted_on(run_suite: RunSuite) -> None:
    body = "seen = observe(build(3), train(ones(4, 3)))\n    shape = seen['step 1 · output'].values.shape\n    "
    tests = test_function(body + "assert shape == (4, 3)")
    tests += test_function(body + "assert shape == (3, 4), f'the shape is {shape}'", "test_other")
    tests += test_function(body + "pytest.fail('on purpose')", "test_fail")
    checks = run_suite(tests)
    assert [check.outcome for check in checks.values()] == [Outcome.PASSED, Outcome.FAILED, Outcome.FAILED]
    assert checks["test_other"].message.splitlines()[0] == "the shape is (4, 3)"  # the pytest around this one may add lines
    assert checks["test_fail"].message == "on purpose"


def test_an_observed_error_fails(run_suite: RunSuite) -> None:
    check = one(run_suite(test_function("observe(build(3))"), changed("self.momentum = momentum", "1 / 0")))
    assert check.outcome is Outcome.FAILED
    assert check.message == "ZeroDivisionError: division by zero\n  line 8, in __init__: 1 / 0"


def test_a_refusal_passes(run_suite: RunSuite) -> None:
    named = changed(REFUSAL, 'raise type("MyError", (ValueError,), {})')
    assert one(run_suite(test_function(RANK))).outcome is Outcome.PASSED
    assert one(run_suite(test_function(RANK), named)).outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("source", "message", "places"),
    [
        pytest.param(
            changed(REFUSAL, "x = x[0]"), "nothing was raised; a ValueError is expected at step 2", [],
            id="not raised",
        ),
        pytest.param(
            changed(REFUSAL, 'raise TypeError("no")'),
            'a ValueError is expected at step 2, but came step 2: TypeError: no\n  line 15, in forward: raise TypeError("no")', [],
            id="of the wrong type",
        ),
        pytest.param(
            f"CALLS = []{changed(REFUSAL, EARLY)}",
            "a ValueError is expected at step 2, but came step 1: ValueError: early\n  line 18, in forward: raise ValueError('early')", [],
            id="at the wrong step",
        ),
        pytest.param(
            changed("x.dim() != 2", "True"),
            f"a legal call is refused: step 1: ValueError: two dimensions, please\n  line 15, in forward: {REFUSAL}", [],
            id="by accident",
        ),
        pytest.param(changed("(x - mean)", "(mean - x)"), "", ["step 1 · output", "step 1 · gradient of input"], id="after a wrong step"),
    ],
)  # fmt: skip
def test_what_is_no_refusal_fails(source: str, message: str, places: list[str], run_suite: RunSuite) -> None:
    check = one(run_suite(test_function(RANK), source))
    assert (check.outcome, check.message) == (Outcome.FAILED, message)
    assert [found.place for found in check.differences][:2] == places


def test_functions_and_probes_are_played_too(tiny: Course, expectations: Path) -> None:
    exercise = tiny.exercise("rms")
    source = read_text(exercise.reference).replace("dim=-1", "dim=0")
    player = InThisProcess(source, exercise)
    results = played(collect([exercise])["rms"], player, expectations)
    outcomes = {result.check.name: result.check.outcome for result in results}
    assert [request.probe for request in player.asked] == ["function_call"] * 3 + ["row_by_row", "function_call"]
    assert [outcome is Outcome.PASSED for outcome in outcomes.values()] == [True, False, False, True, False]
    assert results[1].check.differences[0].place == "result"


def test_plays_are_kept_for_the_diagnosis(tiny: Course, expectations: Path) -> None:
    exercise = tiny.exercise("centring")
    player = InThisProcess(RIGHT, exercise)
    results = {result.check.name: result for result in played(collect([exercise])["centring"], player, expectations)}
    assert [play.refusal for play in results["test_rank"].plays] == [None, ("ValueError",)]
    assert [len(result.plays) for result in results.values()] == [2, 1, 1, 1, 1, 1, 2]
    assert [play.expectation.request for result in results.values() for play in result.plays] == player.asked


def test_what_was_printed_is_told_once(tiny: Course, expectations: Path) -> None:
    exercise = tiny.exercise("centring")
    player = InThisProcess(RIGHT, exercise, prints="hello\n")
    results = played(collect([exercise])["centring"], player, expectations)
    assert {result.check.stdout for result in results} == {"hello\n"}


# The interface


def test_a_failed_interface_check_comes_first_and_skips_the_rest(run_suite: RunSuite) -> None:
    tests = test_function("agree(build(3), train(randn(4, 3)))")
    tests += test_function("observe(build(3))", "test_build", "interface") + test_function("observe(build(4))", "test_more", "interface")
    checks = run_suite(tests, changed("self.momentum = momentum", "self.momentum = momentum / (num_features - 3)"))
    assert {name: check.outcome for name, check in checks.items()} == {
        "test_build": Outcome.FAILED, "test_more": Outcome.PASSED, "test_it": Outcome.SKIPPED,
    }  # fmt: skip
    assert list(checks) == ["test_build", "test_more", "test_it"]
    assert (checks["test_it"].message, checks["test_it"].hint) == ("it needs what an interface check found broken", "")


def test_a_passed_interface_check_skips_nothing(run_suite: RunSuite) -> None:
    tests = test_function("agree(build(3))", kind="state") + test_function("observe(build(3))", "test_build", "interface")
    assert [check.outcome for check in run_suite(tests).values()] == [Outcome.PASSED, Outcome.PASSED]


def test_a_broken_interface_check_skips_nothing(run_suite: RunSuite) -> None:
    tests = test_function("agree(build(3))", kind="state") + test_function("observe(3)", "test_build", "interface")
    assert [check.outcome for check in run_suite(tests).values()] == [Outcome.ERROR, Outcome.PASSED]


def test_a_test_that_stumbles_over_what_differs_fails_the_submission(run_suite: RunSuite) -> None:
    test = test_function("observe(build(3), train(randn(4, 3)))['step 1 · output']\n    1 / 0")
    assert one(run_suite(test)).outcome is Outcome.ERROR
    check = one(run_suite(test, changed("(x - mean)", "(x + 1)")))
    assert check.outcome is Outcome.FAILED and check.differences
    assert check.message == "what was observed cannot be judged: ZeroDivisionError: division by zero"


@pytest.mark.parametrize("result", ["x[0]", "x[:, :2]", "x.sum()"])
def test_what_has_another_shape_fails_where_a_test_looks_at_it(run_suite: RunSuite, result: str) -> None:
    body = "observe(build(3), train(ones(4, 3)))['step 1 · output'].values[3, 2].item()"
    check = one(run_suite(test_function(body), changed("return (x - mean) * self.weight", f"return {result}")))
    assert check.outcome is Outcome.FAILED and [difference.place for difference in check.differences] == ["step 1 · output"]


# Broken suites


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("agree(build(3) + 1)", "TypeError: unsupported operand"),
        ("agree(build(3), build(3))", "TypeError: a story is build(…) and steps, or one call(…) or probe(…)"),
        ("agree()", "TypeError: a story is build(…) and steps, or one call(…) or probe(…)"),
        ("nonsense()", "NameError: name 'nonsense' is not defined"),
        ("observe(build(3))['output']", "KeyError: 'output'"),
        ("agree(build(3), train(randn(4, 4)))", "BrokenSuite: the reference itself raises step 1: RuntimeError: "),
        ("agree(build(3), train(randn(2, 4, 3)))", "BrokenSuite: the reference itself raises step 1: ValueError: "),
        ("agree(build(-1))", "BrokenSuite: the reference itself raises RuntimeError: "),
        ("agree(build(3), train(randn(4, 3) / zeros(4, 3)))", "BrokenSuite: the reference is not finite at step 1 · output"),
        ("agree(build(3), train(zeros(0, 3)))", "BrokenSuite: the reference is not finite at step 1 · running_mean"),
        (
            "refuses(ValueError, build(3), train(randn(4, 3)), legal=train(randn(4, 3)))",
            "BrokenSuite: the reference does not refuse the last step with a ValueError, or refuses its legal twin too",
        ),
        (
            "refuses(TypeError, build(3), train(randn(2, 4, 3)), legal=train(randn(4, 3)))",
            "BrokenSuite: the reference does not refuse the last step with a TypeError, or refuses its legal twin too",
        ),
        (
            "refuses(ValueError, build(3), train(randn(2, 4, 3)), legal=train(randn(3)))",
            "BrokenSuite: the reference does not refuse the last step with a ValueError, or refuses its legal twin too",
        ),
        (
            "agree(build(3).filled(weigth=1.0), train(randn(4, 3)))",
            'ValueError: the reference has no "weigth" to fill or watch; it has weight, running_mean, steps',
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_a_broken_test_is_an_error_that_blames_the_suite(body: str, says: str, run_suite: RunSuite) -> None:
    tests = test_function(body) + test_function("agree(build(3))", "test_other")
    broken, other = run_suite(tests).values()
    assert broken.outcome is Outcome.ERROR and other.outcome is Outcome.PASSED
    assert broken.message.startswith(f"the suite is broken, not your code: {says}")
    assert (broken.earned, broken.hint, broken.differences) == (0, "", ())


def test_a_reference_that_raises_is_the_courses_fault(run_suite: RunSuite) -> None:
    check = one(run_suite(test_function("agree(build(3), train(randn(4, 3)))"), reference=("x.mean(dim=0)", "x.mean(dim=7)")))
    assert check.outcome is Outcome.ERROR
    assert check.message.startswith("the suite is broken, not your code: BrokenSuite: the reference itself raises step 1: IndexError: ")


def test_a_skipped_test_is_skipped(run_suite: RunSuite) -> None:
    check = one(run_suite(test_function("pytest.skip('not today')")))
    assert (check.outcome, check.message) == (Outcome.SKIPPED, "not today")


@pytest.mark.parametrize(
    ("tests", "says"),
    [
        ("x = randn(3)\n", "random inputs can only be drawn inside a test, not while the suite is imported"),
        ("x = 1 / 0\n", "ZeroDivisionError: division by zero"),
        ("from normgrade.suite import rand\n", "cannot import name 'rand'"),
        ("def test_it(agree:\n", "cannot be collected: SyntaxError: '(' was never closed"),
        ("", "no tests found; a hidden suite needs at least one."),
        ("def check_it(agree):\n    pass\n", "no tests found; a hidden suite needs at least one."),
        ('@pytest.mark.kind("state")\ndef test_it(agree):\n    pass\n', "test_it has no docstring; it is the claim that learners read."),
        (test_function("pass", doc=" "), "test_it has no docstring; it is the claim that learners read."),
        (
            test_function("pass", kind="stat"),
            'test_it needs a marker kind("…") with one of interface, formula, state, gradient, edge, stability, precision.',
        ),
        ('def test_it():\n    """It holds."""\n', 'test_it needs a marker kind("…") with one of interface, '),
        (test_function("pass", marks="@pytest.mark.points(-1)"), "test_it: points(-1) must be a whole number of points."),
        (test_function("pass", marks="@pytest.mark.points(1.5)"), "test_it: points(1.5) must be a whole number of points."),
        (test_function("pass", marks="@pytest.mark.pionts(1)"), "'pionts' not found in `markers` configuration option"),
    ],
)
def test_a_suite_that_cannot_be_used_is_named(tests: str, says: str, run_suite: RunSuite) -> None:
    with pytest.raises(CourseError) as caught:
        run_suite(tests)
    message = str(caught.value)
    assert says in message and message.partition(": ")[0].endswith("tests/hidden/test_centring.py")


@pytest.mark.parametrize("error", [GraderError("no process"), KeyboardInterrupt(), SystemExit(), MemoryError()])
def test_what_is_neither_suites_nor_submissions_fault_ends_the_run(error: BaseException, tiny: Course, expectations: Path) -> None:
    class Broken:
        def play(self, request: Playable, size_limit_bytes: int) -> Observation:
            raise error

    with pytest.raises(type(error)):
        played(collect([tiny.exercise("centring")])["centring"], Broken(), expectations)
    assert playing.get(None) is None


@pytest.mark.parametrize("spoil", ["spread", "error"])
def test_an_expectation_that_is_kept_and_of_no_use_is_computed_once_more(
    spoil: str, tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exercise, cache = tiny.exercise("centring"), Cache(tmp_path, KEY)
    computed = list[str]()

    def grade() -> list[Outcome]:
        results = played(collect([exercise])["centring"], InThisProcess(RIGHT, exercise), tmp_path)
        return [result.check.outcome for result in results]

    right = grade()
    names = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    for name in names:
        known = decode(cache.get(name) or b"")
        endless = {place: replace(each, spread=each.spread + np.inf) for place, each in known.places.items() if each.spread is not None}
        error = Error(Cause.RAISED, "", ("KeyboardInterrupt", "BaseException"))
        cache.put(name, encode(replace(known, places={**known.places, **endless}) if spoil == "spread" else replace(known, error=error)))
    compute = Oracle.compute

    def counted(oracle: Oracle, source: str, request: TypedRequest) -> Expectation:
        computed.append(request.probe)
        return compute(oracle, source, request)

    monkeypatch.setattr(Oracle, "compute", counted)
    assert grade() == right and Outcome.PASSED in right
    assert 0 < len(computed) <= len(names)
    computed.clear()
    assert grade() == right and computed == []


# Nothing leaks in


def test_the_settings_around_a_suite_have_no_say(
    edited_course: EditedCourse, expectations: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = edited_course({})
    raising, refusing = "raise RuntimeError('a conftest was read')\n", "[pytest]\naddopts = --nonsense\nfilterwarnings = nonsense\n"
    for folder in (tmp_path, course.root, course.root / "tests", course.root / "tests/hidden"):
        (folder / "conftest.py").write_text(raising, encoding="utf-8")
        (folder / "pytest.ini").write_text(refusing, encoding="utf-8")
        (folder / "tox.ini").write_text(refusing, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    leaks = {"PYTEST_ADDOPTS": "--nonsense", "PYTEST_PLUGINS": "nonsense", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "0"}
    for name, value in leaks.items():
        monkeypatch.setenv(name, value)
    exercise = course.exercise("centring")
    results = played(collect([exercise])["centring"], InThisProcess(RIGHT, exercise), expectations)
    assert {result.check.outcome for result in results} == {Outcome.PASSED}
    assert {name: os.environ.get(name) for name in leaks} == leaks


def test_nothing_is_left_in_the_environment(tiny: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-x")
    assert collect([tiny.exercise("rms")]).keys() == {"rms"}
    assert os.environ["PYTEST_ADDOPTS"] == "-x" and "PYTEST_DISABLE_PLUGIN_AUTOLOAD" not in os.environ


def test_a_file_of_the_same_name_is_another_suite(tiny: Course, edited_course: EditedCourse) -> None:
    """Two courses in one process, each with a suite test_rms.py of its own."""
    other = edited_course({"tests/hidden/test_rms.py": HEAD + test_function("pass", "test_mine")})
    names = [collect([course.exercise("rms")])["rms"].names for course in (tiny, other, tiny)]
    assert names[0] == names[2] != names[1] == ("test_mine",)


# Inputs

DRAWING = {
    "test_a": test_function("observe(build(3), train(randn(4, 3)), train(randn(4, 3)))", "test_a"),
    "test_b": test_function("observe(build(3), train(randn(4, 3)), train(uniform(2.0, 3.0, 5, 3)))", "test_b"),
}


def drawn(exercise: Exercise, folder: Path, seed: int) -> dict[str, list[np.ndarray]]:
    """The inputs of every step, by check."""
    player = InThisProcess(RIGHT, exercise)
    results = played(collect([exercise])["centring"], player, folder, seed)
    requests = {result.check.name: result.plays[0].expectation.request for result in results}
    stories = {name: request for name, request in requests.items() if isinstance(request, LayerStory)}
    return {name: [step.x.values for step in story.steps if step.x is not None] for name, story in stories.items()}


def test_inputs_depend_on_seed_test_and_call_alone(edited_course: EditedCourse, expectations: Path) -> None:
    course = edited_course({})
    exercise = course.exercise("centring")
    seen = []
    for order, seed in ((("test_a", "test_b"), 0), (("test_b", "test_a"), 0), (("test_b",), 0), (("test_a", "test_b"), 1)):
        exercise.suite.write_text(HEAD + "".join(DRAWING[name] for name in order), encoding="utf-8")
        seen.append(drawn(exercise, expectations, seed))
    first, turned, alone, other = seen
    assert all((mine == theirs).all() for name in DRAWING for mine, theirs in zip(first[name], turned[name], strict=True))
    assert all((mine == theirs).all() for mine, theirs in zip(first["test_b"], alone["test_b"], strict=True))
    assert not any((mine == theirs).any() for name in DRAWING for mine, theirs in zip(first[name], other[name], strict=True))
    assert not (first["test_a"][0] == first["test_a"][1]).any() and not (first["test_a"][0] == first["test_b"][0]).any()


def test_inputs_are_float32_of_the_distribution_that_was_asked_for(edited_course: EditedCourse, expectations: Path) -> None:
    exercise = edited_course({"tests/hidden/test_centring.py": HEAD + "".join(DRAWING.values())}).exercise("centring")
    inputs = drawn(exercise, expectations, 0)
    normal, between = inputs["test_a"][0], inputs["test_b"][1]
    assert normal.dtype == between.dtype == np.float32
    assert (normal < 0).any() and (between >= 2.0).all() and (between < 3.0).all()
    assert (ones(2, 3) == 1).all() and (zeros(2, 3) == 0).all() and ones(2).dtype == zeros(2).dtype == np.float32


def test_state_and_upstream_are_drawn_anew_for_every_seed(edited_course: EditedCourse, expectations: Path) -> None:
    exercise = edited_course({"tests/hidden/test_centring.py": HEAD + DRAWING["test_a"]}).exercise("centring")
    weights, upstreams = [], []
    for seed in (0, 0, 1):
        player = InThisProcess(RIGHT, exercise)
        played(collect([exercise])["centring"], player, expectations, seed)
        story = typed(*player.asked)
        assert isinstance(story, LayerStory)
        upstream = story.steps[0].upstream
        assert isinstance(upstream, Array)
        weights.append(story.state["weight"])
        upstreams.append(upstream)
    for first, same, other in (weights, upstreams):
        assert isinstance(first, Array) and (first.values == same.values).all() and not (first.values == other.values).any()


def test_nothing_is_drawn_outside_of_a_run() -> None:
    for draw in (lambda: randn(3), current):
        with pytest.raises(BrokenSuite, match="random inputs can only be drawn inside a test"):
            draw()
