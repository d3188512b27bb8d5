"""Tests of a run: the interface checks come first, faults of submission and suite are told apart, and plays are kept."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hidden_suites import KEY, RIGHT, InThisProcess, RunSuite, changed, one, played, test_function

from normgrade.course.course import Course
from normgrade.course.files import read_text
from normgrade.grading.reference_run import ReferenceRun
from normgrade.grading.run import Run
from normgrade.language.errors import GraderError
from normgrade.oracle.cache import Cache
from normgrade.oracle.expected import Expectation
from normgrade.oracle.kept import decode, encode
from normgrade.oracle.oracle import Oracle
from normgrade.report.report import Outcome
from normgrade.suite.collection import collect
from normgrade.suite.vocabulary import playing
from normgrade.worker.wire.observation import Cause, Error, Observation, Playable
from normgrade.worker.wire.requests import TypedRequest


def test_results_come_one_by_one(tiny: Course, expectations: Path) -> None:
    """Play nothing beyond the results that were asked for."""
    exercise = tiny.exercise("centring")
    player, oracle = InThisProcess(RIGHT, exercise), Oracle(Cache(expectations, KEY))
    results = Run(player, ReferenceRun(oracle, exercise, read_text(exercise.reference))).results(collect([exercise])["centring"])
    asked = [len(player.asked) for _result in islice(results, 3)]
    assert asked == [2, 3, 4] == [*asked[:2], len(player.asked)]


@pytest.mark.parametrize(
    ("broken", "played"), [("raise RuntimeError('no')", [1, 1, 0, 0, 0, 0, 0]), ("super().__init__()", [2, 1, 1, 1, 1, 1, 2])]
)
def test_plays_stop_if_no_call_ever_completes(broken: str, played: list[int], tiny: Course, expectations: Path) -> None:
    exercise = tiny.exercise("centring")
    player, oracle = InThisProcess(RIGHT.replace("super().__init__()", broken), exercise), Oracle(Cache(expectations, KEY))
    reference_run = ReferenceRun(oracle, exercise, read_text(exercise.reference))
    results = list(Run(player, reference_run, hope=2).results(collect([exercise])["centring"]))
    assert [len(result.plays) for result in results] == played
    assert {result.check.outcome for result in results[2:]} == {Outcome.PASSED if played[2] else Outcome.SKIPPED}


def test_plays_are_kept_for_the_diagnosis(tiny: Course, expectations: Path) -> None:
    exercise = tiny.exercise("centring")
    player = InThisProcess(RIGHT, exercise)
    results = {result.check.name: result for result in played(collect([exercise])["centring"], player, expectations)}
    assert [play.refusal for play in results["test_rank"].plays] == [None, ("ValueError",)]
    assert [len(result.plays) for result in results.values()] == [2, 1, 1, 1, 1, 1, 2]
    assert [play.expectation.request for result in results.values() for play in result.plays] == player.asked


def test_printed_text_is_reported_once(tiny: Course, expectations: Path) -> None:
    exercise = tiny.exercise("centring")
    player = InThisProcess(RIGHT, exercise, prints="hello\n")
    results = played(collect([exercise])["centring"], player, expectations)
    assert {result.check.stdout for result in results} == {"hello\n"}


def test_failed_interface_check_skips_the_rest(run_suite: RunSuite) -> None:
    tests = test_function("agree(build(3), train(randn(4, 3)))")
    tests += test_function("observe(build(3))", "test_build", "interface") + test_function("observe(build(4))", "test_more", "interface")
    checks = run_suite(tests, changed("self.momentum = momentum", "self.momentum = momentum / (num_features - 3)"))
    assert {name: check.outcome for name, check in checks.items()} == {
        "test_build": Outcome.FAILED, "test_more": Outcome.PASSED, "test_it": Outcome.SKIPPED,
    }  # fmt: skip
    assert list(checks) == ["test_build", "test_more", "test_it"]
    assert (checks["test_it"].message, checks["test_it"].hint) == ("it depends on an interface check that failed", "")


@pytest.mark.parametrize(
    ("refused", "first", "second"),
    [("x.size(0) != 7", Outcome.FAILED, Outcome.PASSED), ("True", Outcome.SKIPPED, Outcome.SKIPPED)],
)
def test_checks_that_can_be_called_are_not_skipped(refused: str, first: Outcome, second: Outcome, run_suite: RunSuite) -> None:
    """If no call of an interface check completes, play the next tests, each once, until a call does."""
    tests = test_function("agree(build(3), train(randn(4, 3)))", "test_call", "interface")
    tests += test_function("agree(build(3), train(randn(4, 3)))", "test_first")
    tests += test_function("agree(build(3), train(randn(7, 3)))", "test_second")
    checks = run_suite(tests, changed("        mean = ", f"        if {refused}: raise ValueError('no')\n        mean = "))
    assert [check.outcome for check in checks.values()] == [Outcome.FAILED, first, second]


def test_completed_build_does_not_prevent_skips(run_suite: RunSuite) -> None:
    tests = test_function("agree(build(3), train(randn(4, 3)))", "test_call", "interface") + test_function("agree(build(3))")
    checks = run_suite(tests, changed("        mean = ", "        raise ValueError('no')\n        mean = "))
    assert [check.outcome for check in checks.values()] == [Outcome.FAILED, Outcome.SKIPPED]


def test_a_passed_interface_check_skips_nothing(run_suite: RunSuite) -> None:
    tests = test_function("agree(build(3))", kind="state") + test_function("observe(build(3))", "test_build", "interface")
    assert [check.outcome for check in run_suite(tests).values()] == [Outcome.PASSED, Outcome.PASSED]


def test_a_broken_interface_check_skips_nothing(run_suite: RunSuite) -> None:
    tests = test_function("agree(build(3))", kind="state") + test_function("observe(3)", "test_build", "interface")
    assert [check.outcome for check in run_suite(tests).values()] == [Outcome.ERROR, Outcome.PASSED]


def test_exception_after_a_difference_fails_the_submission(run_suite: RunSuite) -> None:
    test = test_function("observe(build(3), train(randn(4, 3)))['step 1 · output']\n    1 / 0")
    assert one(run_suite(test)).outcome is Outcome.ERROR
    check = one(run_suite(test, changed("(x - mean)", "(x + 1)")))
    assert check.outcome is Outcome.FAILED and check.differences
    assert check.message == "the observed result cannot be judged: ZeroDivisionError: division by zero"


@pytest.mark.parametrize("result", ["x[0]", "x[:, :2]", "x.sum()"])
def test_another_shape_fails_a_test_that_indexes_it(run_suite: RunSuite, result: str) -> None:
    body = "observe(build(3), train(ones(4, 3)))['step 1 · output'].values[3, 2].item()"
    check = one(run_suite(test_function(body), changed("return (x - mean) * self.weight", f"return {result}")))
    assert check.outcome is Outcome.FAILED and [difference.place for difference in check.differences] == ["step 1 · output"]


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("agree(build(3) + 1)", "TypeError: unsupported operand"),
        ("agree(build(3), build(3))", "TypeError: a story must be build(…) and its steps, or one call(…), or one probe(…)"),
        ("agree()", "TypeError: a story must be build(…) and its steps, or one call(…), or one probe(…)"),
        ("nonsense()", "NameError: name 'nonsense' is not defined"),
        ("observe(build(3))['output']", "KeyError: 'output'"),
        ("agree(build(3), train(randn(4, 4)))", "the reference itself raises step 1: RuntimeError: "),
        ("agree(build(3), train(randn(2, 4, 3)))", "the reference itself raises step 1: ValueError: "),
        ("agree(build(-1))", "the reference itself raises RuntimeError: "),
        ("agree(build(3), train(randn(4, 3) / zeros(4, 3)))", "the reference gives NaN or infinity at step 1 · output"),
        ("agree(build(3), train(zeros(0, 3)))", "the reference gives NaN or infinity at step 1 · running_mean"),
        (
            "refuses(ValueError, build(3), train(randn(4, 3)), legal=train(randn(4, 3)))",
            "the reference does not refuse the last step with ValueError, or refuses its legal twin too",
        ),
        (
            "refuses(TypeError, build(3), train(randn(2, 4, 3)), legal=train(randn(4, 3)))",
            "the reference does not refuse the last step with TypeError, or refuses its legal twin too",
        ),
        (
            "refuses(ValueError, build(3), train(randn(2, 4, 3)), legal=train(randn(3)))",
            "the reference does not refuse the last step with ValueError, or refuses its legal twin too",
        ),
        (
            "agree(build(3).filled(weigth=1.0), train(randn(4, 3)))",
            'ValueError: the reference has no "weigth" to fill or watch; it has weight, running_mean, steps',
        ),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
def test_broken_test_blames_the_suite(body: str, says: str, run_suite: RunSuite) -> None:
    tests = test_function(body) + test_function("agree(build(3))", "test_other")
    broken, other = run_suite(tests).values()
    assert broken.outcome is Outcome.ERROR and other.outcome is Outcome.PASSED
    assert broken.message.startswith(f"the suite is broken, not your code: {says}")
    assert (broken.earned, broken.hint, broken.differences) == (0, "", ())


def test_a_reference_that_raises_is_the_courses_fault(run_suite: RunSuite) -> None:
    check = one(run_suite(test_function("agree(build(3), train(randn(4, 3)))"), reference=("x.mean(dim=0)", "x.mean(dim=7)")))
    assert check.outcome is Outcome.ERROR
    assert check.message.startswith("the suite is broken, not your code: the reference itself raises step 1: IndexError: ")
    assert "line" not in check.message  # of the reference, which learners do not see


def test_a_skipped_test_is_skipped(run_suite: RunSuite) -> None:
    check = one(run_suite(test_function("pytest.skip('not today')")))
    assert (check.outcome, check.message) == (Outcome.SKIPPED, "not today")


@pytest.mark.parametrize("error", [GraderError("no process"), KeyboardInterrupt(), SystemExit(), MemoryError()])
def test_errors_of_the_grader_end_the_run(error: BaseException, tiny: Course, expectations: Path) -> None:
    class Broken:
        def play(self, request: Playable, size_limit_bytes: int) -> Observation:
            raise error

    with pytest.raises(type(error)):
        played(collect([tiny.exercise("centring")])["centring"], Broken(), expectations)
    assert playing.get(None) is None


@pytest.mark.parametrize("spoil", ["spread", "error"])
def test_useless_cached_expectation_is_computed_again(spoil: str, tiny: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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

    def counted(oracle: Oracle, source: str, request: TypedRequest, others: tuple[str, ...] = ()) -> Expectation:
        computed.append(request.probe)
        return compute(oracle, source, request, others)

    monkeypatch.setattr(Oracle, "compute", counted)
    assert grade() == right and Outcome.PASSED in right
    assert 0 < len(computed) <= len(names)
    computed.clear()
    assert grade() == right and computed == []
