"""Tests of the words of a hidden suite and the requests that they make."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from normgrade.suite.story import (
    Build,
    Part,
    Story,
    build,
    call,
    evaluate,
    feed_forward,
    function,
    identity,
    linear,
    probe,
    reload,
    request,
    scaled,
    train,
)
from normgrade.worker.wire.observation import Array
from normgrade.worker.wire.requests import DRAWN, Action, FunctionCall, LayerStep, LayerStory, NewLayer, OwnProbe

X = np.arange(6, dtype=np.float32).reshape(2, 3)
KEY = [0, "test", 0]


def inputs_of(*story: Part, layer: str = "LayerNorm") -> dict[str, Any]:
    return dict(request(story, layer, KEY).inputs)


def test_build_without_steps_asks_for_the_new_layer() -> None:
    asked = request([build(3, eps=0.1)], "LayerNorm", KEY)
    assert asked == NewLayer("LayerNorm", [3], {"eps": 0.1}, draw=KEY)


def test_a_build_with_steps_is_a_story() -> None:
    asked = request([build(3), train(X), reload(), evaluate(X, scattered=True)], "LayerNorm", KEY)
    assert isinstance(asked, LayerStory)
    assert (asked.layer, asked.args, asked.kwargs, asked.draw) == ("LayerNorm", [3], {}, KEY)
    assert (asked.dtype, asked.state, asked.watch) == ("float32", {}, [])
    first, second, third = asked.steps
    assert (first.action, first.scattered, first.upstream) == (Action.TRAIN, False, DRAWN)
    assert first.x is not None and (first.x.values == X).all()
    assert second == LayerStep(Action.RELOAD)
    assert (third.action, third.scattered) == (Action.EVALUATE, True)


def test_first_class_of_the_contract_is_built_by_default() -> None:
    assert inputs_of(build(3))["layer"] == "LayerNorm"
    assert inputs_of(build(3).named("PreNorm"), train(X))["layer"] == "PreNorm"


def test_build_carries_dtype_state_and_watched_names() -> None:
    built = build(3).to("float16").filled(weight=2.0, running_mean=X).filled(count=3).watching("num_batches_tracked").watching("calls")
    inputs = inputs_of(built, train(X))
    assert (inputs["dtype"], inputs["watch"]) == ("float16", ["num_batches_tracked", "calls"])
    state = {name: (array.dtype, array.values.tolist()) for name, array in inputs["state"].items()}
    assert state == {"weight": ("float64", 2.0), "running_mean": ("float32", X.tolist()), "count": ("int64", 3)}


def test_methods_do_not_change_a_build() -> None:
    plain = build(3)
    plain.named("Other").to("float16").filled(weight=1).watching("count")
    assert plain == Build((3,))


def test_last_filled_state_wins() -> None:
    assert inputs_of(build(3).filled(weight=1.0).filled(weight=2.0), train(X))["state"]["weight"].values == 2.0


@pytest.mark.parametrize(("dtype", "upstream"), [("float32", "drawn"), ("float64", "drawn"), ("float16", None), ("bfloat16", None)])
def test_half_precision_has_no_backward_pass(dtype: str, upstream: str | None) -> None:
    [step] = inputs_of(build(3), train(X, dtype=dtype))["steps"]
    assert (step["x"].dtype, step["upstream"]) == (dtype, upstream)


@pytest.mark.parametrize("word", [train, evaluate])
def test_input_keeps_its_dtype_by_default(word: Any) -> None:
    assert word(X).x.dtype == "float32" and word(X.astype(np.float64)).x.dtype == "float64"
    tenth = np.array([0.1], np.float32)
    assert word(tenth, dtype="bfloat16").x.values.tolist() == [0.10009765625]
    assert word(tenth, dtype="float16").x.values.dtype == np.float16


def test_nested_arguments_may_hold_arrays() -> None:
    inputs = inputs_of(build(X, [X, (X, 1)], statistic=X, name="a"))
    first, (second, third) = inputs["args"]
    assert isinstance(first, Array) and isinstance(second, Array) and isinstance(third, tuple) and isinstance(third[0], Array)
    assert third[1] == 1 and inputs["kwargs"]["statistic"].dtype == "float32" and inputs["kwargs"]["name"] == "a"


def test_a_call_carries_its_arguments() -> None:
    asked = request([call("softmax", X, 3, dim=-1)], "LayerNorm", KEY)
    assert isinstance(asked, FunctionCall)
    x, three = asked.args
    assert (x.dtype, three) == ("float32", 3) and (x.values == X).all()
    assert (asked.function, asked.kwargs, asked.upstream, asked.draw) == ("softmax", {"dim": -1}, DRAWN, KEY)


@pytest.mark.parametrize("arguments", [(), (3,), (X.astype(np.float64),), (X.astype(np.float16), 3), (np.array([True, False]),)])
def test_a_call_goes_back_only_from_float32(arguments: tuple[Any, ...]) -> None:
    assert inputs_of(call("f", *arguments))["upstream"] is None


def test_own_probe_gets_inputs_by_name() -> None:
    asked = request([probe("coefficients", layers=12, x=X)], "LayerNorm", KEY)
    assert isinstance(asked, OwnProbe)
    assert (asked.probe, asked.given["layers"], asked.draw) == ("coefficients", 12, KEY)
    assert isinstance(asked.given["x"], Array)


@pytest.mark.parametrize(
    "story",
    [(), (train(X),), (train(X), build(3)), (build(3), build(3)), (build(3), call("f")), (call("f"), train(X)), (call("f"), call("g"))],
)
def test_anything_else_is_no_story(story: Story) -> None:
    with pytest.raises(TypeError) as caught:
        request(story, "LayerNorm", KEY)
    assert str(caught.value) == "a story must be build(…) and its steps, or one call(…), or one probe(…)"


def test_a_reload_takes_no_input() -> None:
    assert reload() == LayerStep(Action.RELOAD, None, False)


def test_a_function_is_a_layer_that_calls_it() -> None:
    asked = request([function("softmax", 1, eps=0.5), evaluate(X)], "Layer", "key")
    assert isinstance(asked, LayerStory)
    assert (asked.layer, asked.args, asked.kwargs) == ("function", ["softmax", 1], {"eps": 0.5})


def test_arguments_can_be_replaced() -> None:
    other = function("softmax", 1, eps=0.5).with_arguments(0, eps=0.1)
    assert (other.name, other.arguments, other.kwargs) == ("softmax", (0,), {"eps": 0.1})
    layer = build(3).named("Other").with_arguments(5)
    assert (layer.name, layer.arguments, layer.is_function) == ("Other", (5,), False)


def test_a_layer_may_take_several_inputs() -> None:
    [step] = inputs_of(build(3), train(X, np.ones((2, 5), np.float32), dtype="float64"))["steps"]
    assert (step["x"].dtype, [(each.dtype, each.values.shape) for each in step["more"]]) == ("float64", [("float64", (2, 5))])


def test_non_finite_input_has_no_backward_pass() -> None:
    [step] = inputs_of(build(3), train(X, np.array([np.nan], np.float32)))["steps"]
    assert step["upstream"] is None


def test_input_that_is_no_array_is_refused() -> None:
    with pytest.raises(TypeError) as error:
        train(X, "float16")  # type: ignore[arg-type]
    assert str(error.value) == "an input must be an array, such as randn(2, 3), not a str; a dtype must be given by its name"


def test_callables_travel_by_name() -> None:
    given = inputs_of(build([feed_forward(6), linear(6, 4)], scaled(0.5), last=identity()), train(X))
    assert given["args"] == [
        [{"callable": "feed_forward", "args": [6]}, {"callable": "linear", "args": [6, 4]}],
        {"callable": "scaled", "args": [0.5]},
    ]
    assert given["kwargs"] == {"last": {"callable": "identity", "args": []}}


def test_dictionaries_travel_with_their_arrays() -> None:
    asked = request([probe("own", state={"w": X, "of": {"x": X}})], "Layer", None)
    assert isinstance(asked, OwnProbe)
    assert asked.given["state"]["of"]["x"].values is X


@pytest.mark.parametrize(("dtype", "upstream"), [(None, DRAWN), ("float64", DRAWN), ("float16", None), ("bfloat16", None)])
def test_call_may_convert_arrays_to_another_dtype(dtype: str | None, upstream: object) -> None:
    asked = call("softmax", X, np.arange(3), 2, dtype=dtype, dim=0)
    assert [each.dtype for each in asked.args[:2]] == [dtype or "float32", "int64"]
    assert (asked.args[2], asked.kwargs, asked.upstream) == (2, {"dim": 0}, upstream)


def test_call_may_scatter_its_arrays() -> None:
    assert call("softmax", X, scattered=True).inputs["scattered"] is True
    assert "scattered" not in call("softmax", X).inputs


def test_first_numbers_of_a_tensor_may_be_left_free() -> None:
    asked = request([build(3).drawn("weight").drawn("bias")], "Layer", "key")
    assert isinstance(asked, NewLayer) and asked.inputs["drawn"] == ["weight", "bias"]
    assert "drawn" not in request([build(3)], "Layer", "key").inputs
    assert "drawn" not in request([build(3).drawn("weight"), train(X)], "Layer", "key").inputs


def test_the_shape_of_a_tensor_may_be_left_free() -> None:
    asked = request([build(3).as_scalars("alpha", "beta")], "Layer", "key")
    assert isinstance(asked, NewLayer)
    assert asked.as_scalars == ("alpha", "beta")
