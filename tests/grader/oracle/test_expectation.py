"""Tests of the oracle: right numbers in float64, how well they are determined in float32, and the cache on disk."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from normgrade.compare.differences import allowed, differences, unsound
from normgrade.course.library import Library
from normgrade.language.errors import CourseError
from normgrade.language.places import Place, gradient_of
from normgrade.oracle.cache import Cache
from normgrade.oracle.expectation import Oracle, fingerprint, movement, perturbed, widened, with_rounded_state, with_spread_of
from normgrade.oracle.expected import Expectation, Expected
from normgrade.oracle.kept import encode, request_key
from normgrade.suite.story import Part, Story, build, call, evaluate, forward_backward, probe, request, train
from normgrade.worker import interrupts
from normgrade.worker.wire.observation import Array, Cause, Foreign, Observation, Playable, Reason, Value
from normgrade.worker.wire.requests import Action, FunctionCall, LayerStep, LayerStory, OwnProbe, TypedRequest, typed

MINE = bytes(32)  # the key of a user

U = 2.0**-24
KEY = [0, "test_output", 0]
X = np.random.default_rng(0).standard_normal((5, 8), dtype=np.float32)
NORM = """
import torch
from torch import nn

class Norm(nn.Module):
    def __init__(self, size, eps=1e-5):
        super().__init__()
        if size < 2:
            raise ValueError("too small")
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(size))
        self.register_buffer("calls", torch.tensor(0))

    def forward(self, x):
        if x.dim() == 1:
            raise ValueError("too few dimensions")
        self.calls += 1
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        mean, var = wide.mean(-1, keepdim=True), wide.var(-1, keepdim=True, correction=0)
        return ((wide - mean) / torch.sqrt(var + self.eps) * self.weight).to(x.dtype)
"""
FUNCTIONS = """
import torch

def mean(x): return x.mean(-1)
def same(x): return x.clone()
def shifted(x): return (x + 1e4) - 1e4
def constant(x): return torch.tensor([1.0, 3.0])
def zero(x): return x - x
def positive(x): return x > 0
def rank(x): return x.dim()
def nothing(x): return None
def listed(x): return [x]
def over_zero(x): return x / 0
def dtype(x): return str(x.dtype)
def odd(x): return x / (1.0 if x.dtype is torch.float32 or x[0].item() == 1.0 else 0.0)
"""
SWALLOWS = """
import os, signal

def mean(x):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:
        return x
"""
BROKEN = "raise AssertionError('this source must not be executed')\n"


@pytest.fixture
def oracle(tmp_path: Path) -> Oracle:
    return Oracle(Cache(tmp_path, MINE))


def asked(*story: Part) -> TypedRequest:
    return request(story, "Norm", KEY)


def called(oracle: Oracle, function: str, x: np.ndarray = X) -> Expected:
    """Return the expected result of one of the functions."""
    return oracle.expectation(FUNCTIONS, asked(call(function, x))).places[Place("result")]


def numbers(value: Value) -> np.ndarray:
    assert isinstance(value, Array)
    return value.values


def spread(place: Expected) -> np.ndarray:
    assert place.spread is not None
    return place.spread


def key_of(source: str, wanted: TypedRequest, probes: str = "") -> str:
    return fingerprint(source, probes, request_key(wanted))


# The numbers


def test_numbers_are_those_of_float64_on_the_exact_input(oracle: Oracle) -> None:
    place = called(oracle, "mean")
    assert numbers(place.value).dtype == np.float64 and place.dtype == "float32"
    np.testing.assert_allclose(numbers(place.value), X.astype(np.float64).mean(-1), rtol=1e-15)


def test_layer_is_played_with_state_and_gradients(oracle: Oracle) -> None:
    expectation = oracle.expectation(NORM, asked(build(8), train(X)))
    story = expectation.request
    assert isinstance(story, LayerStory)
    x, weight = X.astype(np.float64), story.state["weight"].values.astype(np.float64)
    y = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(numbers(expectation.places[Place("output", step=1)].value), y * weight, rtol=1e-12)
    gradient = (numbers(story.inputs["steps"][0]["upstream"]).astype(np.float64) * y).sum(0)
    np.testing.assert_allclose(numbers(expectation.places[gradient_of("{name}", step=1, name="weight")].value), gradient, rtol=1e-12)
    assert expectation.error is None and unsound(expectation) is None


def test_expected_dtype_is_that_of_a_native_play(oracle: Oracle) -> None:
    places = oracle.expectation(NORM, asked(build(8).to("float16"), train(X, dtype="float16"))).places
    assert {name: place.dtype for name, place in places.items()} == {
        "step 1 · output": "float16", "step 1 · input left alone": "float16", "step 1 · weight": "float16",
    }  # fmt: skip
    assert numbers(places[Place("output", step=1)].value).dtype == np.float64


def test_a_native_play_of_the_reference_agrees_with_it(oracle: Oracle) -> None:
    for dtype in ("float32", "float16", "bfloat16"):
        expectation = oracle.expectation(NORM, asked(build(8).to(dtype), train(X * 3 + 1, dtype=dtype), evaluate(X, dtype=dtype)))
        seen = oracle.natively(NORM, expectation.request)
        assert differences(seen, expectation) == ()


@pytest.mark.parametrize(("function", "value"), [("rank", 2), ("nothing", None), ("dtype", "torch.float64")])
def test_other_values_are_expected_as_they_are(oracle: Oracle, function: str, value: object) -> None:
    place = called(oracle, function)
    assert (place.value, place.dtype, place.spread) == (value, None, None)


def test_truth_values_are_expected_without_a_spread(oracle: Oracle) -> None:
    place = called(oracle, "positive")
    assert (place.dtype, place.spread) == ("bool", None) and (numbers(place.value) == (X > 0)).all()


def test_one_play_is_in_float64_or_native(oracle: Oracle) -> None:
    wanted = oracle.expectation(FUNCTIONS, asked(call("dtype", X))).request
    exact, native = oracle.exactly(FUNCTIONS, widened(wanted)), oracle.natively(FUNCTIONS, wanted)
    assert (exact.values["result"], native.values["result"]) == ("torch.float64", "torch.float32")


def test_value_above_the_limit_is_foreign(oracle: Oracle) -> None:
    wanted = oracle.expectation(FUNCTIONS, asked(call("mean", X))).request
    assert isinstance(oracle.natively(FUNCTIONS, wanted, 1).values["result"], Foreign)


def test_remembered_native_play_is_returned_once(oracle: Oracle) -> None:
    wanted, seen = oracle.expectation(FUNCTIONS, asked(call("dtype", X))).request, Observation({Place("result"): "seen"})
    oracle.remember(FUNCTIONS, wanted, seen)
    assert oracle.natively(FUNCTIONS, wanted) is not seen
    remembering = oracle.remembering()
    remembering.remember(FUNCTIONS, wanted, seen)
    assert remembering.natively(FUNCTIONS, wanted) is seen
    assert remembering.natively(FUNCTIONS, wanted).values["result"] == "torch.float32"


def test_a_probe_of_the_exercise_is_played(tmp_path: Path) -> None:
    oracle = Oracle(Cache(tmp_path, MINE), probes="def twice(impl, x):\n    return {'both': impl.mean(x) * 2}\n")
    place = oracle.expectation(FUNCTIONS, asked(probe("twice", x=X))).places[Place("both")]
    np.testing.assert_allclose(numbers(place.value), 2 * X.astype(np.float64).mean(-1), rtol=1e-15)


def test_size_limit_leaves_room_for_right_answers(oracle: Oracle) -> None:
    small, large = oracle.expectation(FUNCTIONS, asked(call("rank", X))), oracle.expectation(FUNCTIONS, asked(call("same", X)))
    assert small.size_bytes >= 4096 and large.size_bytes >= 2 * X.size * 8


# The spread


def test_copied_number_moves_by_one_rounding(oracle: Oracle) -> None:
    moves = spread(called(oracle, "same")) / (U * np.abs(X))
    assert (moves > 0.2).all() and (moves < 2.5).all()


@pytest.mark.parametrize("function", ["constant", "zero"])
def test_exact_results_do_not_move(oracle: Oracle, function: str) -> None:
    assert not spread(called(oracle, function)).any()


def test_cancellation_moves_by_the_size_of_its_terms(oracle: Oracle) -> None:
    moves = spread(called(oracle, "shifted")) / (U * 1e4)
    assert (moves > 0.3).all() and (moves < 5).all()


def test_the_spread_has_the_shape_of_the_numbers(oracle: Oracle) -> None:
    expectation = oracle.expectation(NORM, asked(build(8), train(X)))
    shapes = {name: place.value.values.shape for name, place in expectation.places.items() if isinstance(place.value, Array)}
    assert len(shapes) >= 3
    assert {name: spread(expectation.places[name]).shape for name in shapes} == shapes
    assert all((spread(expectation.places[name]) > 0).all() for name in shapes)


def test_gradients_have_a_spread_of_their_own(oracle: Oracle) -> None:
    place = oracle.expectation(NORM, asked(build(2, eps=1e-8), train(X[:, :2]))).places[gradient_of("input", step=1)]
    cancelled = np.abs(numbers(place.value)).max()
    assert cancelled < 1e-4 and (spread(place) > 1e-3 * cancelled).all()  # with two features the exact gradient is almost zero


@pytest.mark.parametrize(("dtype", "has_slack"), [("float32", False), ("float16", True), ("bfloat16", True)])
def test_half_precision_moves_with_its_state_too(oracle: Oracle, dtype: str, has_slack: bool) -> None:
    place = oracle.expectation(NORM, asked(build(8).to(dtype), train(X, dtype=dtype))).places[Place("output", step=1)]
    assert (place.slack is not None) == has_slack
    if place.slack is not None:
        moves = place.slack / np.abs(numbers(place.value)) / {"float16": 2.0**-11, "bfloat16": 2.0**-8}[dtype]
        assert (moves > 0.2).all() and (moves < 2.5).all()


PAIR = """
import numpy as np

def forward(x, weight):
    return (x.astype(np.float32) * weight).astype(x.dtype), (x, weight)

def backward(dy, cache):
    x, weight = cache
    return (dy.astype(np.float32) * weight).astype(x.dtype), (dy.astype(np.float32) * x).sum(0).astype(x.dtype)
"""


def test_a_backward_pass_by_hand_is_computed_in_float32(tmp_path: Path) -> None:
    oracle = Oracle(Cache(tmp_path, MINE), written_with=Library.NUMPY)
    x, weight = X.astype(np.float16), X[0].astype(np.float16)
    places = oracle.expectation(PAIR, request([forward_backward(), evaluate(x, weight, dtype="float16", backward=True)], "", KEY)).places
    gradient = places[gradient_of("input 2", step=1)]
    assert gradient.dtype == "float16" and all(place.slack is None for place in places.values())
    assert (allowed(gradient) < 5 * 2.0**-11 * np.abs(numbers(gradient.value)) + 1e-4).all()


TRACKED = """
import torch
from torch import nn

class Tracked(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("running_mean", torch.zeros(1))

    def forward(self, x):
        if self.training:
            self.running_mean.copy_(x.mean())
        return x - self.running_mean
"""


def test_half_precision_moves_with_stored_state(oracle: Oracle) -> None:
    layer = LayerStory("Tracked", dtype="bfloat16", state={"running_mean": Array(np.zeros(1, np.float32), "bfloat16")})
    x = np.full(4, 3.0, np.float32)
    steps = [LayerStep(Action.TRAIN, Array(x, "bfloat16")), LayerStep(Action.EVALUATE, Array(x + 1, "bfloat16"))]
    slack = oracle.expectation(TRACKED, replace(layer, steps=steps)).places[Place("output", step=2)].slack
    assert slack is not None and (slack > 0.3 * 3 * 2.0**-8).all() and (slack < 3 * 3 * 2.0**-8).all()


def test_right_code_that_rounds_more_widens_spread_and_slack() -> None:
    wanted = asked(build(8), train(X, dtype="bfloat16"))

    def moving(spread: list[float], slack: list[float] | None) -> Expectation:
        held = None if slack is None else np.array(slack)
        return Expectation(wanted, {Place("output", step=1): Expected(Array(np.ones(2), "float64"), "bfloat16", np.array(spread), held)})

    def widest(theirs: Expectation) -> list[list[float]]:
        place = with_spread_of(moving([1.0, 4.0], [5.0, 2.0]), theirs).places[Place("output", step=1)]
        assert place.slack is not None
        return [spread(place).tolist(), place.slack.tolist()]

    assert widest(moving([3.0, 2.0], [3.0, np.nan])) == [[3.0, 4.0], [5.0, 2.0]]
    assert widest(moving([0.0, 5.0], [7.0, 3.0])) == [[1.0, 5.0], [7.0, 3.0]]
    assert widest(moving([9.0], None)) == widest(replace(moving([0.0], None), places={})) == [[1.0, 4.0], [5.0, 2.0]]


def test_place_missing_in_a_play_has_infinite_spread() -> None:
    true, there = Array(np.ones(2), "float64"), Observation({"output": Array(np.full(2, 1.5), "float64")})
    assert movement(true, "output", [there, there]).tolist() == [0.5, 0.5]
    assert movement(true, "output", [there, Observation()]).tolist() == [np.inf, np.inf]
    assert movement(true, "output", [Observation({"output": Array(np.ones(3), "float64")})]).tolist() == [np.inf, np.inf]
    assert movement(true, "output", [Observation({"output": Foreign(Reason.TYPE, "list")})]).tolist() == [np.inf, np.inf]


# Errors and unsound references


def test_error_of_the_reference_keeps_earlier_steps(oracle: Oracle) -> None:
    expectation = oracle.expectation(NORM, asked(build(8), train(X), train(X[0])))
    assert expectation.error is not None
    assert (expectation.error.cause, expectation.error.types[0], expectation.error.step) == (Cause.RAISED, "ValueError", 2)
    assert "step 1 · output" in expectation.places and not any(place.startswith("step 2") for place in expectation.places)


@pytest.mark.parametrize("story", [(build(1),), (build(1), train(X))])
def test_a_refusal_to_be_built_is_expected(oracle: Oracle, story: Story) -> None:
    expectation = oracle.expectation(NORM, asked(*story))
    assert expectation.error is not None and expectation.places == {}
    assert (expectation.error.types[0], expectation.error.message) == ("ValueError", "too small")


def test_an_error_comes_back_from_the_cache(oracle: Oracle, tmp_path: Path) -> None:
    wanted = asked(build(8), train(X), train(X[0]))
    first, again = oracle.expectation(NORM, wanted), Oracle(Cache(tmp_path, MINE)).expectation(NORM, wanted)
    assert first.error is not None and again.error is not None
    assert (again.error.types, again.error.message, again.error.step) == (first.error.types, first.error.message, first.error.step)


NOT_FINITE = {
    "over_zero": (X, "the reference gives NaN or infinity at result, "),
    "odd": (np.ones(3, np.float32), "the reference is not finite at result if every operation is rounded, "),
}


@pytest.mark.parametrize("function", NOT_FINITE)
def test_a_reference_that_is_not_finite_is_unsound(oracle: Oracle, function: str) -> None:
    x, why = NOT_FINITE[function]
    expectation = oracle.expectation(FUNCTIONS, asked(call(function, x)))
    assert (unsound(expectation) or "").startswith(f"{why}so results cannot be compared with it: ")
    assert not np.isfinite(allowed(expectation.places[Place("result")])).all()


def test_reference_without_numbers_is_unsound_from_cache_too(oracle: Oracle, tmp_path: Path) -> None:
    for one in (oracle, Oracle(Cache(tmp_path, MINE))):
        assert (unsound(one.expectation(FUNCTIONS, asked(call("listed", X)))) or "").startswith("the reference returns a list at result, ")


def test_standard_error_of_an_estimate_survives_the_cache(tmp_path: Path) -> None:
    oracle = Oracle(Cache(tmp_path, MINE), "from normgrade.probes import Estimate\ndef level(impl): return {'level': Estimate(0.5, 0.25)}")
    for _ in range(2):
        place = oracle.expectation(FUNCTIONS, asked(probe("level"))).places[Place("level")]
        assert (numbers(place.value).item(), place.error, allowed(place).item()) == (0.5, 0.25, pytest.approx(5 * 2**0.5 * 0.25, rel=1e-4))


# The cache


def test_the_same_request_gives_the_same_bytes(tmp_path: Path) -> None:
    one, other = (Oracle(Cache(tmp_path / name, MINE)).expectation(NORM, asked(build(8), train(X))) for name in ("a", "b"))
    assert encode(one) == encode(other)


def test_cached_expectation_is_not_computed_again(tmp_path: Path) -> None:
    wanted = asked(call("mean", X))
    known = Oracle(Cache(tmp_path, MINE)).expectation(FUNCTIONS, wanted)
    Cache(tmp_path, MINE).put(key_of(BROKEN, wanted), encode(known))
    assert encode(Oracle(Cache(tmp_path, MINE)).expectation(BROKEN, wanted)) == encode(known)
    with pytest.raises(CourseError, match="cannot be executed: AssertionError: this source must not be executed"):
        Oracle(Cache(tmp_path / "empty", MINE)).expectation(BROKEN, wanted)


def test_cached_expectation_needs_no_torch(tmp_path: Path) -> None:
    source = "import torch\ndef mean(x):\n    return x.mean()\n"
    arguments = f"{source!r}, FunctionCall('mean', draw=1)"
    code = f"""
import sys
from dataclasses import replace
from pathlib import Path
from normgrade.oracle.cache import Cache
from normgrade.worker.wire.requests import FunctionCall
from normgrade.oracle.expectation import Oracle
print(Oracle(Cache(Path(sys.argv[1]), bytes(32))).expectation({arguments}).error.types[0], 'torch' in sys.modules)
"""
    wanted = FunctionCall("mean", draw=1)
    Oracle(Cache(tmp_path, MINE)).expectation(source, wanted)
    printed = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True).stdout
    assert printed == "TypeError False\n"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a frame",
        encode(Expectation(OwnProbe("p"), {}))[:-1],
        encode(Expectation(OwnProbe("p"), {})) + b"x",
    ],
)
def test_damaged_cache_entry_is_computed_again(tmp_path: Path, content: bytes) -> None:
    wanted = asked(call("mean", X))
    right = encode(Oracle(Cache(tmp_path / "other", MINE)).expectation(FUNCTIONS, wanted))
    key = key_of(FUNCTIONS, wanted)
    Cache(tmp_path, MINE).put(key, content)
    assert encode(Oracle(Cache(tmp_path, MINE)).expectation(FUNCTIONS, wanted)) == right
    assert Cache(tmp_path, MINE).get(key) == right


def test_cache_key_depends_on_every_part() -> None:
    wanted = asked(call("mean", X))
    keys = [
        key_of(FUNCTIONS, wanted),
        key_of(FUNCTIONS + "\n", wanted),
        key_of(FUNCTIONS, wanted, "def probe(impl): ..."),
        key_of(FUNCTIONS, asked(call("same", X))),
        key_of(FUNCTIONS, asked(call("mean", X.T))),
        key_of(FUNCTIONS, asked(call("mean", np.nextafter(X, np.float32(9))))),
        key_of(FUNCTIONS, asked(call("mean", X.astype(np.float64)))),
        key_of(FUNCTIONS, request([call("mean", X)], "Norm", [1, *KEY[1:]])),
        key_of("", wanted, FUNCTIONS),
    ]
    assert len(set(keys)) == len(keys) and key_of(FUNCTIONS, asked(call("mean", X.copy()))) == keys[0]


def test_cache_key_separates_its_parts() -> None:
    assert len({fingerprint("ab", "c"), fingerprint("a", "bc"), fingerprint("abc"), fingerprint("abc", ""), fingerprint("", "abc")}) == 5
    assert fingerprint("é") == fingerprint("é".encode())


# Perturbation


STORY = LayerStory(
    "Layer",
    (3, 0.1),
    state={"weight": Array(np.ones(100, np.float32), "float32"), "count": Array(np.array(3), "int64")},
    steps=[LayerStep(Action.TRAIN, Array(np.full(100, 2.0, np.float16), "float16"))],
)


def numbers_of(request: Playable) -> tuple[Array, Array, Array]:
    """Return the weight, the count and the input of a story."""
    story = typed(request)
    assert isinstance(story, LayerStory) and story.steps[0].x is not None
    return story.state["weight"], story.state["count"], story.steps[0].x


def test_numbers_are_widened_exactly_and_nothing_else_is_touched() -> None:
    wide = widened(STORY)
    weight, count, x = numbers_of(wide)
    assert weight.dtype == x.dtype == "float64" and weight.values.dtype == x.values.dtype == np.float64
    assert (weight.values == 1).all() and (x.values == 2).all()
    assert count is STORY.state["count"] and wide.inputs["args"] == [3, 0.1] and wide.probe == "layer_story"


def test_every_input_number_moves_by_the_unit_roundoff() -> None:
    weight, count, x = numbers_of(perturbed(widened(STORY), U, seed=0))
    moves = [(weight.values - 1) / U, (x.values - 2) / (2 * U)]
    assert all(0.8 < np.sqrt((move**2).mean()) < 1.2 and (move != 0).all() for move in moves)
    assert (moves[0] != moves[1]).all() and count.values == 3


@pytest.mark.parametrize("written", [True, False])
def test_part_of_the_state_can_move_by_itself(written: bool) -> None:
    story = replace(STORY, state={**STORY.state, "running_mean": Array(np.ones(100, np.float32), "float32")})
    rounded = with_rounded_state(story, ["weight"], U, 0, written)
    weight, count, x = numbers_of(rounded)
    assert (weight.values != 1).all() and count.values == 3 and (x.values == 2).all() and (rounded.state["running_mean"].values == 1).all()
    assert (weight.values == numbers_of(perturbed(STORY, U, seed=0))[0].values).all()
    assert rounded.rounding == ((U, 0) if written else ())


def test_movement_depends_on_the_seed() -> None:
    first, again, other = (numbers_of(perturbed(widened(STORY), U, seed))[0].values for seed in (1, 1, 2))
    assert (first == again).all() and (first != other).all()


@pytest.mark.parametrize(("stop", "raised"), [
    ("KeyboardInterrupt", KeyboardInterrupt), ("SystemExit", SystemExit), ("MemoryError", MemoryError),
    ('RuntimeError("DefaultCPUAllocator: can\'t allocate memory")', MemoryError),
])  # fmt: skip
@pytest.mark.parametrize("story", [[call("stopped", X)], [build(8), train(X), train(X)]], ids=["function", "layer"])
def test_exceptions_that_stop_the_grader_are_not_kept(stop: str, raised: type[BaseException], story: Story, tmp_path: Path) -> None:
    source = f"{NORM}\n\ndef stopped(x):\n    raise {stop}\n\nclass Norm(Norm):\n    def forward(self, x):\n        raise {stop}\n"
    oracle = Oracle(Cache(tmp_path, MINE))
    with pytest.raises(raised):
        oracle.expectation(source, asked(*story))
    assert list(tmp_path.rglob("*")) == []


def test_interrupt_swallowed_by_the_reference_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    oracle = Oracle(Cache(tmp_path, MINE))
    monkeypatch.setattr(interrupts.Interrupts, "first", None)  # for the tests that follow
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        interrupts.remember()
        with pytest.raises(KeyboardInterrupt):
            oracle.expectation(SWALLOWS, asked(call("mean", X)))
    finally:
        signal.signal(signal.SIGINT, before)
    assert list(tmp_path.rglob("*")) == []


def test_cached_expectation_is_recomputed_on_request(tmp_path: Path) -> None:
    wanted, cache = asked(call("mean", X)), Cache(tmp_path, MINE)
    right = encode(Oracle(cache).expectation(FUNCTIONS, wanted))
    other = Oracle(cache).expectation(FUNCTIONS, asked(call("mean", X * 2)))
    cache.put(key_of(FUNCTIONS, wanted), encode(other))
    assert encode(Oracle(cache).expectation(FUNCTIONS, wanted)) == encode(other)
    assert encode(Oracle(cache).expectation(FUNCTIONS, wanted, anew=True)) == right == cache.get(key_of(FUNCTIONS, wanted))
