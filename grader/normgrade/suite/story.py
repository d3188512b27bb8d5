"""The words in which a hidden suite says what to play: build a layer, train it, evaluate it, call a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from normgrade.language import _
from normgrade.oracle.draws import DRAWN, rounded_to
from normgrade.worker.observation import HALF, Array, Request


@dataclass(frozen=True, slots=True)
class Build:
    """How a story begins: build a layer with these arguments, then fill its parameters and buffers.

    `build(…)` makes one, and each method below returns a changed copy. What `filled` does not name gets random values: distinct, weights
    far from 1 and biases far from 0, positive where the name says variance or deviation, and small counts in integer buffers.

    >>> story = build(3, eps=1e-3).to("float64").filled(weight=2.0)
    """

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    layer: str | None = None
    dtype: str = "float32"
    state: Mapping[str, Any] = field(default_factory=dict)
    watch: tuple[str, ...] = ()

    def named(self, layer: str) -> Build:
        """The name of the class to build. Without it, that is the first name that the exercise defines.

        >>> story = build(3).named("RMSNorm")
        """
        return replace(self, layer=layer)

    def to(self, dtype: str) -> Build:
        """The dtype of all floating-point parameters and buffers, by PyTorch's name. Without it, "float32".

        >>> story = build(3).to("bfloat16")
        """
        return replace(self, dtype=dtype)

    def filled(self, **state: Any) -> Build:
        """Values for parameters and buffers by name: numbers, or arrays that broadcast to the tensor's shape.

        A name that the reference does not have makes the suite broken: its checks end with the outcome "error".

        >>> story = build(3).filled(weight=[1.0, 2.0, 3.0], bias=0.0)
        """
        return replace(self, state={**self.state, **{name: np.asarray(value) for name, value in state.items()}})

    def watching(self, *names: str) -> Build:
        """Integer buffers to compare after every step. Floating-point parameters and buffers always are.

        A name that the reference does not have makes the suite broken: its checks end with the outcome "error".

        >>> story = build(3).watching("num_batches_tracked")
        """
        return replace(self, watch=self.watch + names)


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a layer's story: "train", "evaluate" or "reload"."""

    do: str
    x: Array | None = None
    scattered: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """Play a probe on these inputs."""

    probe: str
    inputs: Mapping[str, Any]


def build(*args: Any, **kwargs: Any) -> Build:
    """The beginning of a layer's story: the class is called with these arguments, numbers, texts, tuples, lists, arrays or None.

    Steps may follow it. `agree(build(…))` without any compares the new layer's state dict: keys, shapes, dtypes and initial values.

    >>> story = build(3, eps=1e-3, affine=False)
    """
    return Build(args, kwargs)


def train(x: np.ndarray, dtype: str | None = None, scattered: bool = False) -> Step:
    """A step in training mode: call the layer on `x`, then run the backward pass from a random gradient of its output.

    - `x`: an array of the shape that the layer takes.
    - `dtype`: PyTorch's name of the dtype that `x` is rounded to; without it, that of `x`. In "float16" and "bfloat16" there is no backward
      pass.
    - `scattered`: whether the numbers of `x` lie in memory in another order, so that `view` on it fails.

    After it, `agree` compares the output, the gradients of the input and of all parameters, all parameters and buffers, and whether the
    input was changed.

    >>> x = np.arange(6, dtype=np.float32).reshape(2, 3)
    >>> story = build(3), train(x), train(x, dtype="float16"), train(x, scattered=True)
    """
    return Step("train", rounded_to(x, dtype or x.dtype.name), scattered)


def evaluate(x: np.ndarray, dtype: str | None = None, scattered: bool = False) -> Step:
    """A step in evaluation mode, with the arguments and comparisons of `train`, backward pass included.

    >>> story = build(3), train(np.ones((4, 3), np.float32)), evaluate(np.ones((2, 3), np.float32))
    """
    return Step("evaluate", rounded_to(x, dtype or x.dtype.name), scattered)


def reload() -> Step:
    """A step that builds a new layer with the same arguments and loads the state dict of the old one into it.

    Nothing is compared after it: the next step shows whether the state dict held everything.

    >>> story = build(3), train(np.ones((4, 3), np.float32)), reload(), evaluate(np.ones((2, 3), np.float32))
    """
    return Step("reload")


def call(function: str, *args: Any, **kwargs: Any) -> Call:
    """A whole story: call the function of that name once with these arguments.

    Where a positional argument is a float32 array, the backward pass runs from a random gradient of the result. `agree` then compares the
    result, each item of a tuple by itself, the gradients of the positional floating-point arguments, and whether any of these was changed.

    >>> story = call("rms", np.ones((2, 3), np.float32), eps=1e-3)
    """
    float32 = any(isinstance(value, np.ndarray) and value.dtype == np.float32 for value in args)
    carried_by_name = {name: carried(value) for name, value in kwargs.items()}
    inputs = {"function": function, "args": carried(list(args)), "kwargs": carried_by_name, "upstream": DRAWN if float32 else None}
    return Call("function_call", inputs)


def probe(name: str, **inputs: Any) -> Call:
    """A whole story: play one of the exercise's own probes on these inputs, which are numbers, texts, tuples, lists, arrays or None.

    `name` is that of a function in the exercise's `probes.py`. `agree` compares every place that it returns.

    >>> story = probe("coefficients", encoder_layers=12)
    """
    return Call(name, {key: carried(value) for key, value in inputs.items()})


Story = Build | Step | Call


def request(story: Sequence[Story], default_layer: str, key: object) -> Request:
    """The request that plays the story. A build without steps looks at the new layer itself."""
    match story:
        case [Call(name, inputs)]:
            return Request(name, {**inputs, "draw": key})
        case [Build() as built, *steps] if all(isinstance(step, Step) for step in steps):
            inputs = {
                "layer": built.layer or default_layer,
                "args": [carried(value) for value in built.args],
                "kwargs": {name: carried(value) for name, value in built.kwargs.items()},
                "draw": key,
            }
            if not steps:
                return Request("new_layer", inputs)
            given = {name: Array(np.asarray(value), str(value.dtype)) for name, value in built.state.items()}
            taken = [step_inputs(step) for step in steps if isinstance(step, Step)]
            return Request("layer_story", {**inputs, "dtype": built.dtype, "state": given, "watch": list(built.watch), "steps": taken})
    raise TypeError(_("a story is build(…) and steps, or one call(…) or probe(…)"))


def step_inputs(step: Step) -> dict[str, Any]:
    if step.x is None:
        return {"do": step.do}
    upstream = None if step.x.dtype in HALF else DRAWN
    return {"do": step.do, "x": step.x, "scattered": step.scattered, "upstream": upstream}


def carried(value: Any) -> Any:
    """An argument as a request carries it."""
    if isinstance(value, np.ndarray):
        return Array(value, value.dtype.name)
    if isinstance(value, tuple | list):
        return type(value)(carried(item) for item in value)
    return value
