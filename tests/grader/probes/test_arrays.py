"""Tests of the generic probes of functions on arrays: their calls and observations."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from normgrade.language.places import BUILD, Place
from normgrade.probes.arrays import VIEWS, call_step, calls_apart, forward_backward, function_call, in_other_order, layer_story
from normgrade.probes.results import Stopped

X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]], np.float32)
WEIGHT = np.array([2.0, 3.0, 5.0], np.float32)
UPSTREAM = np.array([[1.0, -1.0, 2.0], [0.5, 3.0, -2.0]], np.float32)


def forward(x: Any, weight: Any, scale: float = 1.0) -> Any:
    return x * weight * scale, (x, weight, scale)


def backward(dy: Any, cache: Any) -> Any:
    x, weight, scale = cache
    return dy * weight * scale, (dy * x).sum(0) * scale


def step(do: str = "evaluate", x: np.ndarray = X, upstream: Any = UPSTREAM, scattered: bool = False, **special: Any) -> dict[str, Any]:
    return {"do": do, "x": x, "more": [WEIGHT], "upstream": upstream, "scattered": scattered, **special}


def played(
    *steps: dict[str, Any], forward: Any = forward, backward: Any = backward, args: tuple[Any, ...] = (), **kwargs: Any
) -> dict[str, Any]:
    impl = SimpleNamespace(forward=forward, backward=backward)
    return forward_backward(impl, "forward_backward", ["forward", *args], kwargs, {}, [], steps)


def test_every_step_shows_output_gradients_and_inputs() -> None:
    seen = played(step(), step(x=2 * X))
    assert np.array_equal(seen["step 1 · output"], X * WEIGHT) and np.array_equal(seen["step 2 · output"], 2 * X * WEIGHT)
    assert np.array_equal(seen["step 1 · gradient of input"], UPSTREAM * WEIGHT)
    assert np.array_equal(seen["step 1 · gradient of input 2"], (UPSTREAM * X).sum(0))
    assert seen["step 1 · what holds the gradients"] == "tuple" and seen["step 1 · number of gradients"] == 2
    assert np.array_equal(seen["step 1 · input left alone"], X) and np.array_equal(seen["step 1 · input 2 left alone"], WEIGHT)
    assert np.array_equal(seen["step 1 · gradient of the output left alone"], UPSTREAM)


def test_further_arguments_follow_the_inputs() -> None:
    for seen in (played(step(), args=(3.0,)), played(step(), scale=3.0)):
        assert np.array_equal(seen["step 1 · output"], X * WEIGHT * 3)


def test_inputs_can_be_given_by_name() -> None:
    seen = played(step(names=["x", "weight"]))
    assert np.array_equal(seen["step 1 · output"], X * WEIGHT)
    with pytest.raises(Stopped) as stopped:
        played(step(names=["x", "gain"]))
    assert isinstance(stopped.value.__cause__, TypeError)


def test_without_an_upstream_gradient_there_is_no_backward_pass() -> None:
    seen = played(step(upstream=None), backward=None)
    assert list(seen) == ["step 1 · output", "step 1 · input left alone", "step 1 · input 2 left alone"]


def test_the_upstream_gradient_has_the_dtype_of_the_input() -> None:
    seen = played(step(x=X.astype(np.float16)))
    assert seen["step 1 · gradient of the output left alone"].dtype == np.float16


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        (lambda x, weight: np.multiply(x, 2, out=x), "input left alone"),
        (lambda x, weight: np.multiply(weight, 2, out=weight), "input 2 left alone"),
    ],
)
def test_input_changed_by_forward_is_shown(changes: Callable[[np.ndarray, np.ndarray], Any], place: str) -> None:
    def changing(x: np.ndarray, weight: np.ndarray) -> Any:
        changes(x, weight)
        return forward(x, weight)

    original = {"input left alone": X, "input 2 left alone": WEIGHT}[place]
    assert np.array_equal(played(step(), forward=changing)[f"step 1 · {place}"], original * 2)


def test_arrays_changed_by_backward_are_shown() -> None:
    def changing(dy: np.ndarray, cache: Any) -> Any:
        x, weight, _scale = cache
        dy *= 2
        x += 1
        return dy, weight

    seen = played(step(), backward=changing)
    assert np.array_equal(seen["step 1 · gradient of the output left alone"], 2 * UPSTREAM)
    assert np.array_equal(seen["step 1 · input left alone"], X + 1)


@pytest.mark.parametrize(("gradients", "held", "number"), [([1, 2], "list", 2), ((UPSTREAM,), "tuple", 1), (UPSTREAM, "ndarray", 1)])
def test_gradients_of_another_form_are_described(gradients: Any, held: str, number: int) -> None:
    seen = played(step(), backward=lambda dy, cache: gradients)
    assert (seen["step 1 · what holds the gradients"], seen["step 1 · number of gradients"]) == (held, number)
    assert (seen["step 1 · gradient of input 2"] is None) == (number == 1)


@pytest.mark.parametrize("gradients", [UPSTREAM, [UPSTREAM], (UPSTREAM,)])
def test_single_gradient_needs_no_tuple(gradients: Any) -> None:
    seen = call_step(lambda x: (x, None), lambda dy, cache: gradients, X, UPSTREAM)
    assert (seen[Place("what holds the gradients")], seen[Place("number of gradients")]) == ("tuple", 1)
    assert np.array_equal(seen[Place("gradient of input")], UPSTREAM)


@pytest.mark.parametrize(("result", "what"), [(X, "ndarray"), ((X,), "tuple of 1"), (None, "NoneType")])
def test_forward_without_a_pair_raises(result: Any, what: str) -> None:
    with pytest.raises(Stopped) as stopped:
        played(step(), forward=lambda x, weight: result)
    assert str(stopped.value.__cause__) == f"forward must return a pair (y, cache), but returned {what}"
    assert stopped.value.step == 1


def test_observations_before_an_exception_are_kept() -> None:
    def fails(x: np.ndarray, weight: np.ndarray) -> Any:
        if x[0, 0] > 1:
            raise ValueError("too large")
        return forward(x, weight)

    with pytest.raises(Stopped) as stopped:
        played(step(), step(x=2 * X), forward=fails)
    assert stopped.value.step == 2 and "step 1 · output" in stopped.value.seen


def test_missing_function_is_not_blamed_on_a_step() -> None:
    with pytest.raises(AttributeError):
        forward_backward(SimpleNamespace(), "forward_backward", ["forward"], {}, {}, [], [step()])


def test_another_call_may_come_before_the_backward_pass() -> None:
    kept: dict[str, Any] = {}

    def remembering(x: Any, weight: Any) -> Any:
        kept["cache"] = x, weight, 1.0
        return x * weight, None

    seen = played(step(between=X + 1), forward=remembering, backward=lambda dy, cache: backward(dy, kept["cache"]))
    assert not np.array_equal(seen["step 1 · gradient of input 2"], (UPSTREAM * X).sum(0))
    right = played(step(between=X + 1))
    assert np.array_equal(right["step 1 · gradient of input 2"], (UPSTREAM * X).sum(0))


def test_the_call_in_between_has_other_further_inputs() -> None:
    kept: dict[str, Any] = {}

    def remembering(x: Any, weight: Any) -> Any:
        kept["weight"] = weight
        return x * weight, x

    seen = played(step(between=X), forward=remembering, backward=lambda dy, x: backward(dy, (x, kept["weight"], 1.0)))
    assert np.array_equal(seen["step 1 · gradient of input"], UPSTREAM * np.flip(WEIGHT))


def test_backward_can_run_twice_steeply_or_in_residual() -> None:
    both = UPSTREAM + np.flip(UPSTREAM)  # the second time with other numbers, so that nothing cached helps
    assert np.array_equal(played(step(twice=True))["step 1 · gradient of input"], both * WEIGHT)
    assert np.array_equal(played(step(residual=True))["step 1 · gradient of input"], UPSTREAM * WEIGHT + UPSTREAM)
    assert np.array_equal(played(step(steep=True))["step 1 · gradient of input"], 8192 * UPSTREAM * WEIGHT)


def test_same_arrays_are_reused_with_other_numbers() -> None:
    given = []

    def noting(x: np.ndarray, weight: np.ndarray) -> Any:
        given.append(x)
        return forward(x, weight)

    seen = played(step(again=True), step(x=3 * X, again=True), forward=noting)
    assert given[0] is given[1] and np.array_equal(seen["step 2 · input left alone"], 3 * X)
    played(step(), step(), forward=noting)
    assert given[2] is not given[3]


@pytest.mark.parametrize("view", VIEWS)
def test_numbers_are_the_same_in_every_layout(view: str | None) -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    laid = VIEWS[view](x)
    assert np.array_equal(laid, np.broadcast_to(x[:1], x.shape) if view == "expanded" else x)
    assert laid.flags.c_contiguous == (view in (None, "read-only")) and laid.flags.writeable == (view not in ("read-only", "expanded"))


@pytest.mark.parametrize("shape", [(6,), (2, 3), (2, 3, 4)])
def test_scattered_numbers_lie_in_another_order(shape: tuple[int, ...]) -> None:
    x = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    assert np.array_equal(in_other_order(x), x) and not in_other_order(x).flags.c_contiguous


def test_settings_that_a_function_changes_are_shown() -> None:
    def careless(x: Any, weight: Any) -> Any:
        np.seterr(over="raise")
        np.random.rand()
        return forward(x, weight)

    before = np.geterr()
    places = ("random state", "handling of floating-point errors")
    assert [played(step(), {"do": "settings"})[f"step 2 · {place} left alone"] for place in places] == [True, True]
    assert [played(step(), {"do": "settings"}, forward=careless)[f"step 2 · {place} left alone"] for place in places] == [False, False]
    assert np.geterr() == before


def test_changed_error_handling_is_shown() -> None:
    def careless(x: Any, weight: Any) -> Any:
        np.seterr(all="ignore")
        return forward(x, weight)

    assert not played(step(), {"do": "settings"}, forward=careless)["step 2 · handling of floating-point errors left alone"]
    assert played(step(x=X * np.float32(np.inf)), {"do": "settings"})["step 2 · handling of floating-point errors left alone"]


def as_before(answer: Any, **_kwargs: Any) -> Any:
    return answer


def test_functions_replaced_by_a_submission_are_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name in ((np, "geterr"), (np.random, "get_state"), (random, "getstate")):
        monkeypatch.setattr(module, name, partial(as_before, getattr(module, name)()))

    def careless(x: Any, weight: Any) -> Any:
        np.seterr(all="ignore")
        random.random()
        return forward(x, weight)

    seen = played(step(), {"do": "settings"}, forward=careless)
    assert not seen["step 2 · handling of floating-point errors left alone"] and not seen["step 2 · random state left alone"]


def test_arrays_made_read_only_are_shown() -> None:
    def locking(x: Any, weight: Any) -> Any:
        weight.flags.writeable = False
        return forward(x, weight)

    def locking_dy(dy: Any, cache: Any) -> Any:
        dy.setflags(write=False)
        return backward(dy, cache)

    seen = played(step(), forward=locking, backward=locking_dy)
    assert seen["step 1 · input 2 left alone"] == seen["step 1 · gradient of the output left alone"] == "it was made read-only"
    assert np.array_equal(seen["step 1 · input left alone"], X)
    assert np.array_equal(played(step(view="expanded"))["step 1 · input left alone"], X[[0, 0]])


def test_steps_for_layers_do_nothing() -> None:
    assert played({"do": "change", "state": {}}, {"do": "reload"}) == {}


def test_function_without_backward_is_called_too() -> None:
    seen = layer_story(np, "function", ["multiply"], {}, {}, [], [step()])
    assert np.array_equal(seen["step 1 · output"], X * WEIGHT) and "step 1 · gradient of input" not in seen
    assert function_call(np, "divmod", [X, 2.0], {}, scattered=True).keys() == {"argument 1 left alone", "result[0]", "result[1]"}


def test_single_step_can_be_played() -> None:
    seen = call_step(lambda x: x + 1, None, X, None)
    assert np.array_equal(seen["output"], X + 1)  # type: ignore[index]
    assert BUILD not in seen


def test_calls_with_other_arguments_come_before_the_backward_passes() -> None:
    seen = calls_apart(SimpleNamespace(forward=forward, backward=backward), [X, WEIGHT], UPSTREAM, calls=[[2.0], [5.0], []])
    for call, scale in enumerate((2.0, 5.0, 1.0), 1):
        assert np.array_equal(seen[f"y of call {call}"], X * WEIGHT * scale)
        assert np.array_equal(seen[f"gradient of input 2 in call {call}"], (UPSTREAM * X).sum(0) * scale)


def test_a_scale_that_is_kept_for_all_calls_shows() -> None:
    kept = {}

    def keeping(x: Any, weight: Any, scale: float) -> Any:
        kept["scale"] = scale
        return forward(x, weight, scale)

    impl = SimpleNamespace(forward=keeping, backward=lambda dy, cache: backward(dy, (*cache[:2], kept["scale"])))
    seen = calls_apart(impl, [X, WEIGHT], UPSTREAM, calls=[[2.0], [5.0]])
    assert not np.array_equal(seen["gradient of input 1 in call 1"], UPSTREAM * WEIGHT * 2)
