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
    """Construct a layer with these arguments; then fill it with random state, or with the state given."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    layer: str | None = None
    dtype: str = "float32"
    state: Mapping[str, Any] = field(default_factory=dict)
    watch: tuple[str, ...] = ()

    def named(self, layer: str) -> Build:
        """The class to build, where the exercise defines several."""
        return replace(self, layer=layer)

    def to(self, dtype: str) -> Build:
        """The dtype of parameters and buffers, PyTorch's name."""
        return replace(self, dtype=dtype)

    def filled(self, **state: Any) -> Build:
        """State to fill in instead of random values: numbers or arrays, broadcast by name."""
        return replace(self, state={**self.state, **{name: np.asarray(value) for name, value in state.items()}})

    def watching(self, *names: str) -> Build:
        """Integer buffers to compare after every step; floating-point ones always are."""
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
    return Build(args, kwargs)


def train(x: np.ndarray, dtype: str | None = None, scattered: bool = False) -> Step:
    """A training step on `x`, in `dtype` (its own, unless said), backward pass included; `scattered` in memory, so that `view` fails."""
    return Step("train", rounded_to(x, dtype or x.dtype.name), scattered)


def evaluate(x: np.ndarray, dtype: str | None = None, scattered: bool = False) -> Step:
    """The same in evaluation mode."""
    return Step("evaluate", rounded_to(x, dtype or x.dtype.name), scattered)


def reload() -> Step:
    """Build the layer anew and hand its state dict over."""
    return Step("reload")


def call(function: str, *args: Any, **kwargs: Any) -> Call:
    """Call a function; array arguments get their gradients where their dtype is float32."""
    float32 = any(isinstance(value, np.ndarray) and value.dtype == np.float32 for value in args)
    carried_by_name = {name: carried(value) for name, value in kwargs.items()}
    inputs = {"function": function, "args": carried(list(args)), "kwargs": carried_by_name, "upstream": DRAWN if float32 else None}
    return Call("function_call", inputs)


def probe(name: str, **inputs: Any) -> Call:
    """Play one of the exercise's own probes."""
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
