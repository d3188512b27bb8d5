"""Tests of the draws that complete a request: state that hides no mistake, and upstream gradients of the right shape."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from normgrade.oracle.draws import Form, complete, draw_state, draw_upstream, generator, rounded_to
from normgrade.oracle.loading import module
from normgrade.suite.story import Part, build, call, evaluate, probe, reload, request, train
from normgrade.worker.wire.observation import Array

REFERENCE = """
import torch
from torch import nn

class Norm(nn.Module):
    def __init__(self, size, affine=True):
        super().__init__()
        if size % 2:
            raise ValueError("size must be even")
        self.register_parameter("weight", nn.Parameter(torch.ones(size)) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(size)) if affine else None)
        self.register_buffer("running_var", torch.ones(size))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x):
        if x.dim() > 3:
            raise ValueError("too many dimensions")
        return x.sum(0)

class Reordered(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.register_buffer("running_var", torch.ones(size))
        self.extra = nn.Parameter(torch.ones(3))
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return x

class Stack(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.alphas = nn.Parameter(torch.ones(2))
        self.layers = nn.ModuleList([nn.Linear(size, size, bias=False), Norm(size)])

    def forward(self, x):
        return self.layers[1](self.layers[0](x)).sum()

def half(x):
    return x[: len(x) // 2] * 2

def both(x):
    return x, x

def nothing(x):
    return None
"""
PROBES = """
def own(impl, steps):
    return {"result": float(steps)}

def pulled(impl, x, upstream):
    return {"result": x[0]}
"""
KEY = [0, "test_output", 0]
X = np.ones((3, 4), np.float32)


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    return module(REFERENCE, "completion_reference")


def completed(reference: ModuleType, *story: Part, key: object = KEY, layer: str = "Norm") -> dict[str, Any]:
    """Return the inputs of a completed story."""
    asked = request(story, layer, key)
    assert asked.draw is key
    answered = complete(reference, asked, module(PROBES, "completion_probes"))
    assert answered.draw is None
    return dict(answered.inputs)


def state_of(reference: ModuleType, *story: Part, key: object = KEY, layer: str = "Norm") -> dict[str, np.ndarray]:
    state = completed(reference, *story, key=key, layer=layer)["state"]
    return {name: array.values for name, array in state.items()}


def upstreams(inputs: dict[str, Any]) -> list[np.ndarray | None]:
    found = [step.get("upstream") for step in inputs["steps"]]
    return [upstream.values if isinstance(upstream, Array) else upstream for upstream in found]


# Random numbers


def test_numbers_depend_only_on_their_key() -> None:
    first = generator("a", 1).standard_normal(3)
    generator("b").standard_normal(100)
    assert (generator("a", 1).standard_normal(3) == first).all()
    assert (generator("a", 2).standard_normal(3) != first).all() and (generator("a1").standard_normal(3) != first).all()


def test_the_numbers_of_a_key_never_change() -> None:
    assert generator(0, "test", "weight").bit_generator.random_raw(2).tolist() == [17657925827027868815, 15228765757254911742]


# State


def test_all_state_is_drawn_unless_switched_off(reference: ModuleType) -> None:
    assert list(state_of(reference, build(4), train(X))) == ["weight", "bias", "running_var", "num_batches_tracked"]
    assert list(state_of(reference, build(4, affine=False), train(X))) == ["running_var", "num_batches_tracked"]


def test_inner_state_is_drawn_by_full_name(reference: ModuleType) -> None:
    names = ["alphas", "layers.0.weight", "layers.1.weight", "layers.1.bias", "layers.1.running_var", "layers.1.num_batches_tracked"]
    state = state_of(reference, build(4), train(X), layer="Stack")
    assert list(state) == names and state["layers.0.weight"].shape == (4, 4)


def test_state_has_the_shape_and_dtype_of_the_layer(reference: ModuleType) -> None:
    state = completed(reference, build(6).to("float16"), train(np.ones((3, 6), np.float32)))["state"]
    assert {name: (array.dtype, array.values.shape) for name, array in state.items()} == {
        "weight": ("float16", (6,)), "bias": ("float16", (6,)), "running_var": ("float16", (6,)), "num_batches_tracked": ("int64", ()),
    }  # fmt: skip


def test_state_does_not_depend_on_the_layers_order(reference: ModuleType) -> None:
    one, other = (state_of(reference, build(4), train(X), layer=layer) for layer in ("Norm", "Reordered"))
    assert (one["weight"] == other["weight"]).all() and (one["running_var"] == other["running_var"]).all()


def test_state_does_not_depend_on_the_steps(reference: ModuleType) -> None:
    one, other = state_of(reference, build(4), train(X)), state_of(reference, build(4), evaluate(X), reload(), train(2 * X))
    assert all((one[name] == other[name]).all() for name in one)


def test_no_two_tensors_hold_the_same_numbers(reference: ModuleType) -> None:
    state = state_of(reference, build(4), train(X))
    floating = [state[name] for name in ("weight", "bias", "running_var")]
    assert len(np.unique(np.abs(np.concatenate(floating)))) == 12


def test_another_check_draws_other_state(reference: ModuleType) -> None:
    one, other = (state_of(reference, build(4), train(X), key=[0, name, 0]) for name in ("test_a", "test_b"))
    assert (one["weight"] != other["weight"]).all()


@given(st.integers(0, 10_000), st.sampled_from(["weight", "bias", "gamma", "running_mean", "alphas"]))
@settings(max_examples=50, deadline=None, derandomize=True)
def test_drawn_numbers_differ_from_initial_values(seed: int, name: str) -> None:
    drawn = draw_state(generator(seed), name, (2, 3), floating=True)
    assert drawn.shape == (2, 3) and len(np.unique(drawn)) == 6
    assert (np.abs(drawn) >= 0.5).all() and (np.abs(drawn) <= 1.8).all() and (drawn != 1).all()


def test_signs_are_drawn_too() -> None:
    drawn = draw_state(generator(0), "weight", (100,), floating=True)
    assert 30 < (drawn > 0).sum() < 70


@pytest.mark.parametrize("name", ["running_var", "running_std", "deviation", "layers.0.moving_var", "exp_dev"])
def test_variances_and_deviations_are_positive(name: str) -> None:
    drawn = draw_state(generator(0), name, (100,), floating=True)
    assert (drawn >= 0.5).all() and (drawn <= 1.8).all()


def test_whole_numbers_are_small_counts() -> None:
    drawn = draw_state(generator(0), "num_batches_tracked", (200,), floating=False)
    assert drawn.dtype == np.int64 and set(drawn.tolist()) == {3, 4, 5, 6, 7, 8}


def test_scalar_state_is_drawn_as_a_scalar() -> None:
    assert draw_state(generator(0), "alpha", (), floating=True).shape == draw_state(generator(0), "n", (), floating=False).shape == ()


def test_state_given_by_the_suite_is_broadcast(reference: ModuleType) -> None:
    built = build(4).filled(weight=2.0, bias=np.arange(4.0), num_batches_tracked=0)
    state, drawn = state_of(reference, built, train(X)), state_of(reference, build(4), train(X))
    assert state["weight"].tolist() == [2.0] * 4 and state["bias"].tolist() == [0.0, 1.0, 2.0, 3.0]
    assert state["num_batches_tracked"] == 0 and state["weight"].dtype == np.float32
    assert (state["running_var"] == drawn["running_var"]).all()


def test_floating_point_state_is_watched_and_counters_on_request(reference: ModuleType) -> None:
    assert completed(reference, build(4), train(X))["watch"] == ["weight", "bias", "running_var"]
    watched = completed(reference, build(4).watching("num_batches_tracked"), train(X))["watch"]
    assert watched == ["weight", "bias", "running_var", "num_batches_tracked"]


def test_new_layer_is_asked_for_switched_off_names_too(reference: ModuleType) -> None:
    names = ["weight", "bias", "running_var", "num_batches_tracked"]
    assert completed(reference, build(4)) == {"layer": "Norm", "args": [4], "kwargs": {}, "names": names}
    assert completed(reference, build(4, affine=False))["names"] == names


def test_layer_that_cannot_be_built_has_no_state(reference: ModuleType) -> None:
    inputs = completed(reference, build(3), train(X))
    assert (inputs["state"], inputs["watch"], upstreams(inputs)) == ({}, [], [None])
    assert completed(reference, build(3))["names"] == []


# Upstream gradients


def test_upstream_gradient_has_the_shape_of_the_output(reference: ModuleType) -> None:
    first, reloaded, second = upstreams(completed(reference, build(4), train(X), reload(), evaluate(np.ones((2, 5, 4), np.float32))))
    assert first is not None and second is not None and reloaded is None
    assert first.shape == (4,) and second.shape == (5, 4) and first.dtype == np.float32


def test_scalar_output_has_an_upstream_gradient_too(reference: ModuleType) -> None:
    [upstream] = upstreams(completed(reference, build(4), train(X), layer="Stack"))
    assert upstream is not None and upstream.shape == ()


def test_every_step_has_its_own_upstream_gradient(reference: ModuleType) -> None:
    first, second = upstreams(completed(reference, build(4), train(X), train(X)))
    [again] = upstreams(completed(reference, build(4), train(2 * X)))
    assert first is not None and second is not None and again is not None
    assert (first != second).all() and (first == again).all()


def test_a_step_that_is_refused_has_no_upstream_gradient(reference: ModuleType) -> None:
    first, second = upstreams(completed(reference, build(4), train(X), train(np.ones((1, 1, 1, 4), np.float32))))
    assert first is not None and second is None


def test_half_precision_has_no_upstream_gradient(reference: ModuleType) -> None:
    assert upstreams(completed(reference, build(4), train(X, dtype="bfloat16"))) == [None]


def test_gradient_for_a_hand_written_backward_has_output_dtype() -> None:
    for dtype in ("float16", "float32", "float64"):
        drawn = draw_upstream("key", 1, Form((2, 3), dtype))
        assert drawn is not None and (drawn.dtype, drawn.values.dtype.name, drawn.values.shape) == (dtype, dtype, (2, 3))
    assert draw_upstream("key", 1, None) is None


def test_upstream_gradient_of_a_call_has_result_shape(reference: ModuleType) -> None:
    inputs = completed(reference, call("half", np.ones((4, 3), np.float32)))
    assert inputs["upstream"].values.shape == (2, 3) and inputs["function"] == "half"


@pytest.mark.parametrize("function", ["both", "nothing", "missing"])
def test_call_without_single_array_has_no_upstream_gradient(reference: ModuleType, function: str) -> None:
    assert completed(reference, call(function, X))["upstream"] is None


def test_own_probe_may_choose_the_names_of_inputs(reference: ModuleType) -> None:
    assert completed(reference, probe("own", steps=3)) == {"steps": 3}


def test_own_probe_may_ask_for_an_upstream_gradient(reference: ModuleType) -> None:
    inputs = completed(reference, probe("pulled", x=X, upstream="drawn"))
    assert inputs["upstream"].values.shape == (4,)


def test_completion_does_not_change_the_request(reference: ModuleType) -> None:
    asked = request([build(4), train(X)], "Norm", KEY)
    before = repr(asked)
    complete(reference, asked, None)
    assert repr(asked) == before


def test_complete_request_is_returned_unchanged(reference: ModuleType) -> None:
    answered = complete(reference, request([build(4), train(X)], "Norm", KEY), None)
    assert complete(reference, answered, None) is answered


# Rounding


@given(arrays.arrays(np.float32, 8, elements=st.floats(width=32, allow_nan=False)))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_bfloat16_is_rounded_as_in_torch(values: np.ndarray) -> None:
    rounded = rounded_to(values, "bfloat16")
    assert rounded.dtype == "bfloat16" and rounded.values.dtype == np.float32
    assert rounded.values.tobytes() == torch.from_numpy(values).bfloat16().float().numpy().tobytes()


@pytest.mark.parametrize(
    ("bits", "nearest"),
    [(0x3F808000, 0x3F800000), (0x3F808001, 0x3F810000), (0x3F818000, 0x3F820000), (0x7F7FFFFF, 0x7F800000), (0x80000001, 0x80000000)],
)
def test_ties_go_to_even(bits: int, nearest: int) -> None:
    value = np.array(bits, np.uint32).view(np.float32)
    assert int(rounded_to(value, "bfloat16").values.view(np.uint32)) == nearest


def test_nan_stays_nan() -> None:
    assert np.isnan(rounded_to(np.array([np.nan, -np.nan]), "bfloat16").values).all()


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
def test_other_dtypes_are_rounded_by_numpy(dtype: str) -> None:
    values = np.array([1.0, 2.5, -3.0])
    rounded = rounded_to(values, dtype)
    assert rounded.dtype == dtype and (rounded.values == values.astype(dtype)).all() and rounded.values.dtype.name == dtype


def test_state_unknown_to_the_reference_is_an_error() -> None:
    story = build(4).filled(wieght=1.0), evaluate(np.ones((2, 4), np.float32))
    with pytest.raises(ValueError, match=r'^the reference has no "wieght" to fill or watch; it has weight, bias, running_var, '):
        complete(module(REFERENCE, "implementation"), request(story, "Norm", 0), None)
