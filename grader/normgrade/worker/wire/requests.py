"""The requests for the generic probes and for an exercise's own probes, each with its parts by name.

A request crosses to the worker as plain data, a `probe` and its `inputs`. Only this module converts one form into the other. Parts that
only the reference knows are left open at first: while `draw` holds the key of the random numbers, the state is still to be filled in, and
an upstream gradient that is `DRAWN` is still to be drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum
from typing import Any, Final, Literal

from normgrade.language.places import Place
from normgrade.probes.step_options import NAMES, USUAL, StepOptions
from normgrade.worker.wire.observation import Array, Playable


class Action(StrEnum):
    """The actions of the steps in a layer's story."""

    TRAIN = "train"
    EVALUATE = "evaluate"
    RELOAD = "reload"
    COPY = "copy"
    PICKLE = "pickle"
    DOUBLE = "double"
    SWAP = "swap"
    CHANGE = "change"
    LOAD = "load"
    LEARN = "learn"
    SETTINGS = "settings"
    ATTEMPT = "attempt"


class Drawing(Enum):
    """A mark for numbers that are still to be drawn."""

    DRAWN = "drawn"  # as an exercise passes it to its own probe: probe("block", upstream="drawn")


DRAWN: Final = Drawing.DRAWN
FUNCTION: Final = "function"  # the layer that calls a function: its first argument is the function's name
ABOUT_INPUTS: Final = {"more", "names"}  # the options of a step that are only about further inputs
FORWARD_BACKWARD: Final = "forward_backward"  # the same with a backward pass of its own, in NumPy; also the name of the probe
Upstream = Array | Literal[Drawing.DRAWN] | None


@dataclass(frozen=True, slots=True)
class LayerStep:
    """One step of a layer's story, as `normgrade.probes.layer_story` describes it. Without `upstream` there is no backward pass.

    A call has an input `x`, and may have `options`. A step that changes or loads a state has `state`, its weights and biases drawn at
    `scale`. A step that learns has a `rate`, and one that builds a second layer has its `args` and `kwargs`.
    """

    action: Action
    x: Array | None = None
    scattered: bool = False
    upstream: Upstream = None
    options: StepOptions = USUAL
    state: Mapping[str, Array] | Literal[Drawing.DRAWN] | None = None
    rate: float | None = None
    scale: float | None = None
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def on(cls, action: Action, x: Array, *more: Array, scattered: bool = False, upstream: Upstream = None, **options: Any) -> LayerStep:
        """Return a step that calls a layer on these inputs, with the other options by name."""
        return cls(action, x, scattered, upstream, StepOptions(more=[*more], **options))

    @property
    def plain(self) -> bool:
        """True if the step is nothing but a call."""
        return self.action in (Action.TRAIN, Action.EVALUATE) and self.options.unusual.keys() <= ABOUT_INPUTS

    @property
    def inputs(self) -> dict[str, Any]:
        call = {} if self.x is None else {"x": self.x, "scattered": self.scattered, "upstream": raw(self.upstream)}
        of_its_action = {name: value for name in ("rate", "args", "kwargs", "scale") if (value := getattr(self, name))}
        state = {} if self.state is None else {"state": raw(self.state)}
        return {"do": str(self.action)} | call | self.options.packed | of_its_action | state


@dataclass(frozen=True, slots=True)
class LayerStory:
    """A request to build a layer, fill it with `state` in `dtype`, and take the steps. `watch` names the tensors to read after each step.

    A layer that is played `as_built` keeps its initial state, which `state` then holds. Tensors that are `ignored` are never watched. With
    a `rounding`, a unit roundoff and a seed, everything that the steps write into the layer is rounded at random.
    """

    layer: str
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    dtype: str = "float32"
    state: Mapping[str, Array] = field(default_factory=dict)
    watch: Sequence[str] = ()
    steps: Sequence[LayerStep] = ()
    as_built: bool = False
    rounding: Sequence[float] = ()
    ignored: Sequence[str] = ()
    draw: object = None

    @property
    def probe(self) -> str:
        return FORWARD_BACKWARD if self.layer == FORWARD_BACKWARD else "layer_story"

    @property
    def inputs(self) -> dict[str, Any]:
        steps = [step.inputs for step in self.steps]
        filled = {"state": dict(self.state), "watch": list(self.watch), "steps": steps}
        filled |= {name: value for name in ("as_built", "rounding") if (value := getattr(self, name))}
        still_open = {} if self.draw is None else {"dtype": self.dtype, "ignored": list(self.ignored), "draw": self.draw}
        return {"layer": self.layer, "args": list(self.args), "kwargs": dict(self.kwargs), **filled, **still_open}

    @property
    def undrawn(self) -> dict[int, str]:
        """The upstream gradients that are still to be drawn, by step, each with the place that has its shape."""
        return {number: Place("output", step=number) for number, step in enumerate(self.steps, 1) if step.upstream is DRAWN}

    def with_upstream(self, drawn: Mapping[int, Array | None]) -> LayerStory:
        steps = [replace(step, upstream=drawn.get(number, step.upstream)) for number, step in enumerate(self.steps, 1)]
        return replace(self, steps=steps)

    def upstream_at(self, number: int) -> Upstream:
        """Return the upstream gradient of a step."""
        return self.steps[number - 1].upstream

    @property
    def opening(self) -> LayerStory | None:
        """A story with only the first step, forward only: a fourth of the work. None if the story does not begin with an input."""
        first = next(iter(self.steps), None)
        return None if first is None or first.x is None else replace(self, steps=[replace(first, upstream=None)])


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A request to call a function once."""

    function: str
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    upstream: Upstream = None
    draw: object = None
    scattered: bool = False

    @property
    def probe(self) -> str:
        return "function_call"

    @property
    def inputs(self) -> dict[str, Any]:
        called = {"function": self.function, "args": list(self.args), "kwargs": dict(self.kwargs), "upstream": raw(self.upstream)}
        return called | ({"scattered": True} if self.scattered else {}) | with_key(self.draw)

    @property
    def undrawn(self) -> dict[int, str]:
        return {1: Place("result")} if self.upstream is DRAWN else {}

    def with_upstream(self, drawn: Mapping[int, Array | None]) -> FunctionCall:
        return replace(self, upstream=drawn.get(1, self.upstream))

    def upstream_at(self, number: int) -> Upstream:
        """Return the upstream gradient of the result."""
        return self.upstream


@dataclass(frozen=True, slots=True)
class NewLayer:
    """A request to build a layer and look for these names in its state dict.

    Tensors in `as_scalars` have the shape () or (1,), and the numbers of those in `drawn` are random.
    """

    layer: str
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    names: Sequence[str] = ()
    as_scalars: Sequence[str] = ()
    drawn: Sequence[str] = ()
    draw: object = None

    @property
    def probe(self) -> str:
        return "new_layer"

    @property
    def inputs(self) -> dict[str, Any]:
        named = {"names": list(self.names)} if self.draw is None else with_key(self.draw)
        free = {name: list(value) for name in ("as_scalars", "drawn") if (value := getattr(self, name))}
        return {"layer": self.layer, "args": list(self.args), "kwargs": dict(self.kwargs), **named, **free}


@dataclass(frozen=True, slots=True)
class OwnProbe:
    """A request to play the exercise's own probe of this name on the `given` inputs. Their `upstream` gradient can be left to be drawn."""

    probe: str
    given: Mapping[str, Any] = field(default_factory=dict)
    draw: object = None

    @property
    def inputs(self) -> dict[str, Any]:
        return {**self.given, **with_key(self.draw)}

    @property
    def by_name(self) -> Mapping[str, Any]:
        """The arguments that the probe passes on by name: its `kwargs` if it has them, else its own arguments."""
        handed_on: Mapping[str, Any] = self.given.get("kwargs", self.given)
        return handed_on

    @property
    def undrawn(self) -> dict[int, str]:
        upstream = self.given.get("upstream")
        return {1: Place("result")} if isinstance(upstream, str) and upstream == DRAWN.value else {}

    def with_upstream(self, drawn: Mapping[int, Array | None]) -> OwnProbe:
        return replace(self, given={**self.given, "upstream": drawn[1]}) if drawn else self

    def upstream_at(self, number: int) -> Upstream:
        """Return the upstream gradient of the result."""
        upstream: Upstream = self.given.get("upstream")
        return upstream


Differentiable = LayerStory | FunctionCall | OwnProbe  # requests that can have a backward pass
TypedRequest = Differentiable | NewLayer


def typed(request: Playable) -> TypedRequest:
    """Return the request with its parts by name. Raises LookupError, TypeError or ValueError if its inputs do not fit its probe."""
    inputs = dict(request.inputs)
    match request.probe:
        case "layer_story" | "forward_backward":
            return LayerStory(**inputs | {"steps": [layer_step(step) for step in inputs["steps"]]})
        case "function_call":
            return FunctionCall(**inputs | {"upstream": to_be_drawn(inputs.get("upstream"))})
        case "new_layer":
            return NewLayer(**inputs)
        case probe:
            draw = inputs.pop("draw", None)
            return OwnProbe(probe, inputs, draw)


def layer_step(inputs: Mapping[str, Any]) -> LayerStep:
    parts = {name: value for name, value in inputs.items() if name not in NAMES}
    drawn = {name: to_be_drawn(parts.pop(name, None)) for name in ("upstream", "state")}
    return LayerStep(Action(parts.pop("do")), options=StepOptions.unpacked(inputs), **parts, **drawn)


def to_be_drawn(numbers: Any) -> Any:
    """Return numbers as a request holds them. In a message, a text stands for those that are still to be drawn."""
    return Drawing(numbers) if isinstance(numbers, str) else numbers


def raw(numbers: Any) -> Any:
    """Return numbers as a message holds them: the inverse of `to_be_drawn`."""
    return numbers.value if isinstance(numbers, Drawing) else numbers


def with_key(draw: object) -> dict[str, Any]:
    return {} if draw is None else {"draw": draw}
