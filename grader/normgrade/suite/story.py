"""The words in which a hidden suite says what to play: build a layer, train it, evaluate it, call a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from normgrade.language import _
from normgrade.oracle.draws import rounded_to
from normgrade.worker.observation import HALF, Array
from normgrade.worker.requests import DRAWN, Action, FunctionCall, LayerStep, LayerStory, NewLayer, OwnProbe, TypedRequest


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


Part = Build | LayerStep | FunctionCall | OwnProbe
Story = Sequence[Part]  # a build and its steps, or one call, or one probe


def build(*args: Any, **kwargs: Any) -> Build:
    return Build(args, kwargs)


def train(x: np.ndarray, dtype: str | None = None, scattered: bool = False) -> LayerStep:
    """A training step on `x`, in `dtype` (its own, unless said), backward pass included; `scattered` in memory, so that `view` fails."""
    return step_on(Action.TRAIN, x, dtype, scattered)


def evaluate(x: np.ndarray, dtype: str | None = None, scattered: bool = False) -> LayerStep:
    """The same in evaluation mode."""
    return step_on(Action.EVALUATE, x, dtype, scattered)


def reload() -> LayerStep:
    """Build the layer anew and hand its state dict over."""
    return LayerStep(Action.RELOAD)


def step_on(action: Action, x: np.ndarray, dtype: str | None, scattered: bool) -> LayerStep:
    rounded = rounded_to(x, dtype or x.dtype.name)
    return LayerStep(action, rounded, scattered, None if rounded.dtype in HALF else DRAWN)


def call(function: str, *args: Any, **kwargs: Any) -> FunctionCall:
    """Call a function; array arguments get their gradients where their dtype is float32."""
    float32 = any(isinstance(value, np.ndarray) and value.dtype == np.float32 for value in args)
    return FunctionCall(function, carried(list(args)), carried_by_name(kwargs), DRAWN if float32 else None)


def probe(name: str, **inputs: Any) -> OwnProbe:
    """Play one of the exercise's own probes."""
    return OwnProbe(name, carried_by_name(inputs))


def request(story: Story, default_layer: str, key: object) -> TypedRequest:
    """The request that plays the story; what it leaves open is drawn by this key. A build without steps looks at the new layer itself."""
    match story:
        case [FunctionCall() | OwnProbe() as asked]:
            return replace(asked, draw=key)
        case [Build() as built]:
            return NewLayer(built.layer or default_layer, carried(list(built.args)), carried_by_name(built.kwargs), draw=key)
        case [Build() as built, *parts] if all(isinstance(part, LayerStep) for part in parts):
            return LayerStory(
                layer=built.layer or default_layer,
                args=carried(list(built.args)),
                kwargs=carried_by_name(built.kwargs),
                dtype=built.dtype,
                state={name: Array(np.asarray(value), str(value.dtype)) for name, value in built.state.items()},
                watch=list(built.watch),
                steps=[part for part in parts if isinstance(part, LayerStep)],
                draw=key,
            )
    raise TypeError(_("a story is build(…) and steps, or one call(…) or probe(…)"))


def carried(value: Any) -> Any:
    """An argument as a request carries it."""
    if isinstance(value, np.ndarray):
        return Array(value, value.dtype.name)
    if isinstance(value, tuple | list):
        return type(value)(carried(item) for item in value)
    return value


def carried_by_name(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: carried(value) for name, value in values.items()}
