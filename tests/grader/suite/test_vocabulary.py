"""Tests of the words of suites: the fixtures, the inputs, and the examples in their docstrings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from chinese import in_chinese
from hidden_suites import HEAD, RIGHT, EditedCourse, InThisProcess, RunSuite, changed, one, played, test_function

from normgrade import suite
from normgrade.course.course import Course
from normgrade.course.exercise import Exercise
from normgrade.course.files import read_text
from normgrade.language import speak
from normgrade.report.report import Outcome
from normgrade.suite.blame import BrokenSuite
from normgrade.suite.collection import collect
from normgrade.suite.vocabulary import current, ones, playing, randn, refusal, words, zeros
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import LayerStory, typed

REFUSAL = 'raise ValueError("two dimensions, please")'
EARLY = f"{REFUSAL}\n        CALLS.append(1)\n        if len(CALLS) == 3:\n            raise ValueError('early')"
RANK = "refuses(ValueError, build(3), train(randn(4, 3)), train(randn(2, 4, 3)), legal=train(randn(4, 3)))"


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


def test_plays_continue_after_a_disagreement(edited_course: EditedCourse, expectations: Path) -> None:
    tests = test_function("agree(build(3), train(randn(4, 3)))\n    agree(build(3), train(randn(5, 3)))")
    exercise = edited_course({"tests/hidden/test_centring.py": HEAD + tests}).exercise("centring")
    wrong, right = (InThisProcess(source, exercise) for source in (changed("(x - mean)", "(mean - x)"), RIGHT))
    for player in (wrong, right):
        [result] = played(collect([exercise])["centring"], player, expectations)
        assert len(player.asked) == len(result.plays) == 2


def test_observed_values_can_be_asserted_on(run_suite: RunSuite) -> None:
    body = "seen = observe(build(3), train(ones(4, 3)))\n    shape = seen['step 1 · output'].values.shape\n    "
    tests = test_function(body + "assert shape == (4, 3)")
    tests += test_function(body + "assert shape == (3, 4), f'the shape is {shape}'", "test_other")
    tests += test_function(body + "pytest.fail('on purpose')", "test_fail")
    checks = run_suite(tests)
    assert [check.outcome for check in checks.values()] == [Outcome.PASSED, Outcome.FAILED, Outcome.FAILED]
    assert checks["test_other"].message.splitlines()[0] == "the shape is (4, 3)"  # the pytest around this one may add lines
    assert checks["test_fail"].message == "on purpose"


@pytest.mark.parametrize("surplus", ["self.more = nn.Parameter(torch.ones(2))", "self.register_buffer('more', torch.ones(2))"])
def test_iterating_an_observation_reports_surplus_names(surplus: str, run_suite: RunSuite) -> None:
    source = changed("self.momentum = momentum", f"self.momentum = momentum\n        {surplus}")
    assert one(run_suite(test_function("dict(observe(build(3)))"))).outcome is Outcome.PASSED
    assert one(run_suite(test_function("observe(build(3))['key of weight']"), source)).outcome is Outcome.PASSED
    check = one(run_suite(test_function("dict(observe(build(3)))"), source))
    assert check.outcome is Outcome.FAILED
    assert {found.place for found in check.differences} <= {"further keys of the state dict", "further parameters"}
    assert {found.actual for found in check.differences} == {"more"}


@pytest.mark.parametrize(
    ("first", "places"),
    [
        ("torch.rand(num_features)", []),
        ("torch.ones(num_features)", []),
        ("torch.rand(num_features).double()", ["state_dict · weight"]),
        ("torch.rand(1, num_features)", ["state_dict · weight"]),
    ],
)
def test_random_first_numbers_are_compared_by_their_form(first: str, places: list[str], run_suite: RunSuite) -> None:
    random = ("nn.Parameter(torch.ones(num_features))", "nn.Parameter(torch.randn(num_features))")
    source = changed("torch.ones(num_features)", first)
    check = one(run_suite(test_function("agree(build(3).drawn('weight'))"), source, reference=random))
    assert [found.place for found in check.differences] == places
    assert check.outcome is (Outcome.FAILED if places else Outcome.PASSED)


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
            changed(REFUSAL, "x = x[0]"), "no exception was raised; expected ValueError at step 2", [],
            id="not raised",
        ),
        pytest.param(
            changed(REFUSAL, 'raise TypeError("no")'),
            'expected ValueError at step 2, got step 2: TypeError: no\n  line 15, in forward: raise TypeError("no")', [],
            id="of the wrong type",
        ),
        pytest.param(
            f"CALLS = []{changed(REFUSAL, EARLY)}",
            "expected ValueError at step 2, got step 1: ValueError: early\n  line 18, in forward: raise ValueError('early')", [],
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
def test_missing_or_wrong_refusal_fails(source: str, message: str, places: list[str], run_suite: RunSuite) -> None:
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


@pytest.mark.parametrize(
    ("returned", "outcome", "places"),
    [
        ("2 * x", Outcome.PASSED, []),
        ("x.double()", Outcome.FAILED, ["step 1 · output"]),
        ("x.t()", Outcome.FAILED, ["step 1 · output"]),
        ("[x]", Outcome.FAILED, ["step 1 · output"]),
        ("x[9]", Outcome.FAILED, []),
    ],
)
def test_returns_looks_at_the_form_alone(returned: str, outcome: Outcome, places: list[str], run_suite: RunSuite) -> None:
    body = "from normgrade.suite.vocabulary import returns\n    returns(build(3), train(randn(4, 3), backward=False))"
    check = one(run_suite(test_function(body), changed("(x - mean) * self.weight", returned)))
    assert (check.outcome, [found.place for found in check.differences]) == (outcome, places)


# Words


def test_words_are_translated_in_a_check(edited_course: EditedCourse, expectations: Path) -> None:
    body = "from normgrade.suite import words\n    observe(build(3))\n    assert False, words('It is {what}.', what='{1}') + words('{}')"
    edits = {
        "tests/hidden/test_centring.py": HEAD + test_function(body),
        "solutions/centring/zh.toml": in_chinese("suite", {"It is {what}.": "是 {what}。"}),
    }
    exercise = edited_course(edits).exercise("centring")
    for language, said in (("en", "It is {1}.{}"), ("zh", "是 {1}。{}")):
        speak(language)
        [result] = played(collect([exercise])["centring"], InThisProcess(RIGHT, exercise), expectations)
        assert result.check.message.splitlines()[0] == said


def test_words_are_english_outside_of_a_check() -> None:
    speak("zh")
    assert words("It is {what:.1f}.", what=0.25) == "It is 0.2."


# Inputs

DRAWING = {
    "test_a": test_function("observe(build(3), train(randn(4, 3)), train(randn(4, 3)))", "test_a"),
    "test_b": test_function("observe(build(3), train(randn(4, 3)), train(uniform(2.0, 3.0, 5, 3)))", "test_b"),
}


def drawn(exercise: Exercise, folder: Path, seed: int) -> dict[str, list[np.ndarray]]:
    """Return the inputs of every step, by check."""
    player = InThisProcess(RIGHT, exercise)
    results = played(collect([exercise])["centring"], player, folder, seed)
    requests = {result.check.name: result.plays[0].expectation.request for result in results}
    stories = {name: request for name, request in requests.items() if isinstance(request, LayerStory)}
    return {name: [step.x.values for step in story.steps if step.x is not None] for name, story in stories.items()}


def test_inputs_depend_only_on_seed_test_and_call(edited_course: EditedCourse, expectations: Path) -> None:
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


def test_inputs_are_float32_of_the_requested_distribution(edited_course: EditedCourse, expectations: Path) -> None:
    exercise = edited_course({"tests/hidden/test_centring.py": HEAD + "".join(DRAWING.values())}).exercise("centring")
    inputs = drawn(exercise, expectations, 0)
    normal, between = inputs["test_a"][0], inputs["test_b"][1]
    assert normal.dtype == between.dtype == np.float32
    assert (normal < 0).any() and (between >= 2.0).all() and (between < 3.0).all()
    assert (ones(2, 3) == 1).all() and (zeros(2, 3) == 0).all() and ones(2).dtype == zeros(2).dtype == np.float32


def test_state_and_upstream_depend_on_the_seed(edited_course: EditedCourse, expectations: Path) -> None:
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


# Examples


@pytest.mark.parametrize("name", suite.__all__)  # type: ignore[attr-defined]
def test_every_word_is_explained_with_an_example(name: str) -> None:
    told = getattr(suite, name).__doc__
    assert told and (">>> " in told or "::\n" in told)


def test_no_check_is_played_outside_of_a_run() -> None:
    assert playing.get(None) is None
    with pytest.raises(BrokenSuite, match="can only be drawn inside a test"):
        current()


def test_unknown_word_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'normgrade\.suite' has no attribute 'rand'"):
        _ = suite.rand  # type: ignore[attr-defined]


@pytest.mark.parametrize(("error", "step", "words"), [("IndexError", None, "IndexError"), ("ValueError", 2, "ValueError at step 2")])
def test_a_due_exception_in_words(error: str, step: int | None, words: str) -> None:
    assert refusal(error, step) == f"expected {words}"
