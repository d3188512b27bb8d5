"""The words in which a hidden suite tells its stories: build a layer, train it, evaluate it, call a function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from normgrade.language import _
from normgrade.oracle.draws import rounded_to
from normgrade.worker.wire.observation import HALF, Array
from normgrade.worker.wire.requests import (
    DRAWN,
    FORWARD_BACKWARD,
    FUNCTION,
    Action,
    FunctionCall,
    LayerStep,
    LayerStory,
    NewLayer,
    OwnProbe,
    TypedRequest,
)

__all__ = [
    "build", "call", "change", "copy", "evaluate", "feed_forward", "forward_backward", "function", "identity", "learn", "linear",
    "load", "pickle", "plain", "probe", "reload", "scaled", "settings", "swap", "train",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Build:
    """The beginning of a story: a layer is built with these arguments, then its parameters and buffers are filled.

    `build(…)` makes one, and each method below returns a changed copy. Parameters and buffers that `filled` does not name get random
    values: distinct, weights far from 1 and biases far from 0, positive if the name says variance or deviation, and small counts in integer
    buffers.

    >>> story = build(3, eps=1e-3).to("float64").filled(weight=2.0)
    """

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    layer: str | None = None  # its class, or the word for a layer that calls a function
    dtype: str = "float32"
    state: Mapping[str, Any] = field(default_factory=dict)
    watch: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    scalars: tuple[str, ...] = ()
    random: tuple[str, ...] = ()
    unfilled: bool = False

    @property
    def is_function(self) -> bool:
        """True if this is a layer without state, which calls a function.

        >>> function("softmax").is_function, forward_backward().is_function, build(3).is_function
        (True, True, False)
        """
        return self.layer in (FUNCTION, FORWARD_BACKWARD)

    @property
    def name(self) -> str | None:
        """The name of the function or of the class; None for the first that the exercise defines.

        >>> function("softmax", dim=0).name
        'softmax'
        """
        return self.args[0] if self.is_function else self.layer

    @property
    def arguments(self) -> tuple[Any, ...]:
        """The positional arguments.

        >>> function("softmax", 0).arguments
        (0,)
        """
        return self.args[1:] if self.is_function else self.args

    def with_arguments(self, *args: Any, **kwargs: Any) -> Build:
        """Return a copy with other arguments.

        >>> build(3, eps=1e-3).with_arguments(5, affine=False) == build(5, affine=False)
        True
        """
        return replace(self, args=(self.name, *args) if self.is_function else args, kwargs=kwargs)

    def named(self, layer: str) -> Build:
        """Name the class to build. By default, it is the first name that the exercise defines.

        >>> story = build(3).named("RMSNorm")
        """
        return replace(self, layer=layer)

    def to(self, dtype: str) -> Build:
        """Set the dtype of all floating-point parameters and buffers, by PyTorch's name. The default is "float32".

        >>> story = build(3).to("bfloat16")
        """
        return replace(self, dtype=dtype)

    def filled(self, **state: Any) -> Build:
        """Fill parameters and buffers by name: with numbers, or with arrays that broadcast to the tensor's shape.

        If the reference does not have a name, the suite is broken: its checks end with the outcome "error".

        >>> story = build(3).filled(weight=[1.0, 2.0, 3.0], bias=0.0)
        """
        return replace(self, state={**self.state, **{name: np.asarray(value) for name, value in state.items()}})

    def ignoring(self, *names: str) -> Build:
        """Fill these parameters and buffers, but do not compare them: the contract leaves them some freedom.

        >>> story = build(3).ignoring("u", "v")
        """
        return replace(self, ignored=self.ignored + names)

    def as_scalars(self, *names: str) -> Build:
        """Let a new layer have these parameters and buffers, of one number each, in the shape () or (1,).

        Every other tensor of a new layer has the reference's shape.

        >>> story = build(3).as_scalars("alpha")
        """
        return replace(self, scalars=self.scalars + names)

    def drawn(self, *names: str) -> Build:
        """Let the first numbers of these parameters and buffers of a new layer be random: only key, shape and dtype are compared.

        This is for `agree(build(…))` without steps. In a story with steps they are filled and compared as all others.

        >>> story = build(3).drawn("weight")
        """
        return replace(self, random=self.random + names)

    def as_built(self) -> Build:
        """Let the layer keep the parameters and buffers that it was built with.

        >>> story = build(3).as_built()
        """
        return replace(self, unfilled=True)

    def watching(self, *names: str) -> Build:
        """Compare these integer buffers after every step. Floating-point parameters and buffers always are.

        If the reference does not have a name, the suite is broken: its checks end with the outcome "error".

        >>> story = build(3).watching("num_batches_tracked")
        """
        return replace(self, watch=self.watch + names)


Part = Build | LayerStep | FunctionCall | OwnProbe
Story = Sequence[Part]  # a build and its steps, or one call, or one probe


def build(*args: Any, **kwargs: Any) -> Build:
    """Begin the story of a layer: its class is called with these arguments.

    The arguments are numbers, texts, arrays, None, callables such as `linear(6, 6)`, or tuples and lists of these.

    Steps may follow it. If there are none, `agree(build(…))` compares the new layer's state dict: keys, shapes, dtypes and initial values.

    >>> story = build(3, eps=1e-3, affine=False)
    """
    return Build(args, kwargs)


def function(name: str, *args: Any, **kwargs: Any) -> Build:
    """Begin the story of a function, in place of `build`: a layer without state, whose call is that of the function.

    The function is called with the inputs of a step, then with these arguments, which are of the same kinds as those of `build`. It has
    no mode, so its steps are `evaluate`.

    >>> story = function("softmax", dim=0), evaluate(np.ones((4, 3), np.float32), scattered=True)
    """
    return Build((name, *args), kwargs, FUNCTION)


def forward_backward(*args: Any, **kwargs: Any) -> Build:
    """Begin the story of a pair of functions in NumPy, in place of `build`: `forward`, and `backward` by hand.

    `forward` is called with the inputs of a step, then with these arguments, and returns a pair: the output, and a cache. `backward` is
    called with a random gradient of the output and the cache, and returns a tuple: the gradients of the inputs, in their order. The steps
    are `evaluate`.

    >>> story = forward_backward(eps=0.1), evaluate(np.ones((4, 3), np.float32), np.ones(3, np.float32))
    """
    return Build(("forward", *args), kwargs, FORWARD_BACKWARD)


@dataclass(frozen=True, slots=True)
class Given:
    """A callable that a layer is given: one of `normgrade.probes.layers.CALLABLES`, by name, and the arguments that it is made with."""

    name: str
    args: tuple[Any, ...] = ()


def linear(in_features: int, out_features: int) -> Given:
    """Return a linear layer with a bias, as an argument of `build` or `function`. Its parameters are filled, and their gradients compared.

    >>> story = build(linear(6, 6), alpha=0.3)
    """
    return Given("linear", (in_features, out_features))


def feed_forward(width: int) -> Given:
    """Return two linear layers with tanh between them, from `width` features to as many, as an argument of `build` or `function`.

    Its output is not a multiple of its input. Its parameters are filled, and their gradients compared.

    >>> story = build([feed_forward(6), feed_forward(6)])
    """
    return Given("feed_forward", (width,))


def scaled(factor: float) -> Given:
    """Return a layer without parameters, x → factor · x, as an argument of `build` or `function`.

    >>> story = build(scaled(0.5), alpha=0.3)
    """
    return Given("scaled", (factor,))


def plain(factor: float) -> Given:
    """Return x → factor · x as a plain function, which is no Module, for the claim that a layer takes functions.

    >>> story = build(plain(0.5), alpha=0.3)
    """
    return Given("plain", (factor,))


def identity() -> Given:
    """Return a layer that returns the very tensor it was given, as an argument of `build` or `function`.

    >>> story = build(identity(), alpha=0.3)
    """
    return Given("identity")


def train(x: np.ndarray, *more: np.ndarray, dtype: str | None = None, scattered: bool = False, **options: Any) -> LayerStep:
    """Return a step in training mode: call the layer on `x`, then run the backward pass from a random gradient of its output.

    - `x`, `more`: arrays of the shapes that the layer takes; most take one.
    - `dtype`: PyTorch's name of the dtype that the inputs are rounded to; without it, each has its own. In "float16" and "bfloat16" there
      is a backward pass only with `backward=True`, and its gradients only need to be nearly right.
    - `scattered`: if true, the numbers of the inputs lie in memory in another order, so that `view` on them fails.
    - `options`: those of `normgrade.probes.StepOptions`, by name, and `backward=False`, which leaves the backward pass out. There is none
      with `gradients`, either.

    After it, `agree` compares the output, the gradients of the inputs and of all parameters, all parameters and buffers, and the inputs,
    which must not change. If an input holds a NaN or an infinity, there is no backward pass.

    >>> x = np.arange(6, dtype=np.float32).reshape(2, 3)
    >>> story = build(3), train(x), train(x, dtype="float16"), train(x, scattered=True), train(x, gradients="no_grad")
    """
    return step_on(Action.TRAIN, (x, *more), dtype, scattered, **options)


def evaluate(x: np.ndarray, *more: np.ndarray, dtype: str | None = None, scattered: bool = False, **options: Any) -> LayerStep:
    """Return a step in evaluation mode, with the arguments and comparisons of `train`, including the backward pass.

    >>> story = build(3), train(np.ones((4, 3), np.float32)), evaluate(np.ones((2, 3), np.float32))
    """
    return step_on(Action.EVALUATE, (x, *more), dtype, scattered, **options)


def reload() -> LayerStep:
    """Return a step that builds a new layer with the same arguments and loads the state dict of the old one into it.

    Nothing is compared after it: the next step shows if the state dict held everything.

    >>> story = build(3), train(np.ones((4, 3), np.float32)), reload(), evaluate(np.ones((2, 3), np.float32))
    """
    return LayerStep(Action.RELOAD)


def copy() -> LayerStep:
    """Return a step that goes on with a deep copy of the layer; `swap` comes back to the original.

    >>> story = build(3), copy(), train(np.ones((4, 3), np.float32)), swap(), evaluate(np.ones((2, 3), np.float32))
    """
    return LayerStep(Action.COPY)


def pickle() -> LayerStep:
    """Return a step that goes on with the layer after it was pickled and read again, if it can be pickled.

    >>> story = build(3), pickle(), train(np.ones((4, 3), np.float32))
    """
    return LayerStep(Action.PICKLE)


def double() -> LayerStep:
    """Return a step that goes on with the layer in float64.

    >>> story = build(3), train(np.ones((4, 3), np.float32)), double(), train(np.ones((4, 3)), dtype="float64")
    """
    return LayerStep(Action.DOUBLE)


def swap(*args: Any, **kwargs: Any) -> LayerStep:
    """Return a step that goes on with the other layer: the one that the last `copy` or `swap` left, or else a second one.

    A second one is built with the arguments that are given here, or else with those of the first. It is filled with the numbers of the
    first in reverse order, if they fit.

    >>> story = build(3), train(np.ones((4, 3), np.float32)), swap(3, eps=0.5), train(np.ones((4, 3), np.float32))
    """
    return LayerStep(Action.SWAP, args=carried(list(args)), kwargs=carried_by_name(kwargs))


def change(scale: float | None = None) -> LayerStep:
    """Return a step that writes new random numbers into the layer's parameters and buffers; weights and biases are `scale` times as large.

    >>> story = build(3), evaluate(np.ones((4, 3), np.float32)), change(), evaluate(np.ones((4, 3), np.float32))
    """
    return LayerStep(Action.CHANGE, state=DRAWN, scale=scale)


def load() -> LayerStep:
    """Return a step like `change` that uses `load_state_dict` with `assign=True`, so that the layer gets new tensors.

    >>> story = build(3), evaluate(np.ones((4, 3), np.float32)), load(), evaluate(np.ones((4, 3), np.float32))
    """
    return LayerStep(Action.LOAD, state=DRAWN)


def learn(rate: float) -> LayerStep:
    """Return a step of gradient descent: every parameter moves against its gradient, times `rate`.

    >>> story = build(3), train(np.ones((4, 3), np.float32)), learn(0.3), evaluate(np.ones((4, 3), np.float32))
    """
    return LayerStep(Action.LEARN, rate=rate)


def attempt(x: np.ndarray, *more: np.ndarray) -> LayerStep:
    """Return a step that calls the layer on inputs that it may refuse. The steps after it show if a refusal has changed anything.

    >>> story = build(3), attempt(np.ones(3, np.float32)), train(np.ones((4, 3), np.float32))
    """
    return step_on(Action.ATTEMPT, (x, *more), None, False, backward=False)


def settings() -> LayerStep:
    """Return a step that compares PyTorch's settings and all random states with those before the layer was built.

    >>> story = build(3), train(np.ones((4, 3), np.float32)), settings()
    """
    return LayerStep(Action.SETTINGS)


def step_on(
    action: Action, inputs: Sequence[np.ndarray], dtype: str | None, scattered: bool, backward: bool | None = None, **options: Any
) -> LayerStep:
    for each in inputs:
        refuse_tensor(each)
    if strange := next((each for each in inputs if not isinstance(each, np.ndarray)), None):
        what = type(strange).__name__
        raise TypeError(_("an input must be an array, such as randn(2, 3), not a {type}; a dtype must be given by its name", type=what))
    x, *more = (rounded_to(each, dtype or each.dtype.name) for each in inputs)
    if (between := options.get("between")) is not None:
        options["between"] = rounded_to(between, x.dtype)
    step = LayerStep.on(action, x, *more, scattered=scattered, **options)
    possible = step.options.gradients is None and all(bool(np.isfinite(each.values).all()) for each in (x, *more))
    wanted = x.dtype not in HALF if backward is None else backward
    return replace(step, upstream=DRAWN) if possible and wanted else step


def call(name: str, *args: Any, dtype: str | None = None, scattered: bool = False, **kwargs: Any) -> FunctionCall:
    """Return a whole story: one call of the function of that name, with these arguments.

    - `dtype`: PyTorch's name of the dtype that positional arrays of floating-point numbers are rounded to; without it, each has its own.
    - `scattered`: if true, the numbers of positional arrays lie in memory in another order, so that `view` on them fails.

    If a positional argument is a float32 array, or was made a float64 one by `dtype`, the backward pass runs from a random gradient of the
    result. `agree` then compares the result, each item of a tuple by itself, the gradients of the positional floating-point arguments, and
    these arguments, which must not change. To play a function as often and in as many ways as a layer, see `function`.

    >>> story = call("rms", np.ones((2, 3), np.float32), eps=1e-3, dtype="float16")
    """
    inputs = [rounded_to(each, dtype) if dtype and is_floating(each) else carried(each) for each in args]
    learning = ("float32", "float64") if dtype else ("float32",)
    goes_back = any(isinstance(each, Array) and each.dtype in learning for each in inputs)
    return FunctionCall(name, inputs, carried_by_name(kwargs), DRAWN if goes_back else None, scattered=scattered)


def is_floating(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f"


def probe(name: str, **inputs: Any) -> OwnProbe:
    """Return a whole story: one play of the exercise's own probe of that name, on these inputs.

    The inputs are numbers, texts, arrays, None, or tuples, lists and dictionaries of these.

    `name` is the name of a function in the exercise's `probes.py`. `agree` compares every place that it returns.

    >>> story = probe("coefficients", encoder_layers=12)
    """
    return OwnProbe(name, carried_by_name(inputs))


def request(story: Story, default_layer: str, key: object) -> TypedRequest:
    """Return the request that plays the story, with the key for its random draws. A build without steps looks at the new layer itself."""
    match story:
        case [FunctionCall() | OwnProbe() as asked]:
            return replace(asked, draw=key)
        case [Build() as built]:
            args, kwargs = carried(list(built.args)), carried_by_name(built.kwargs)
            return NewLayer(built.layer or default_layer, args, kwargs, as_scalars=built.scalars, drawn=built.random, draw=key)
        case [Build() as built, *parts] if all(isinstance(part, LayerStep) for part in parts):
            return LayerStory(
                layer=built.layer or default_layer,
                args=carried(list(built.args)),
                kwargs=carried_by_name(built.kwargs),
                dtype=built.dtype,
                state={name: Array(np.asarray(value), str(value.dtype)) for name, value in built.state.items()},
                watch=list(built.watch),
                steps=[part for part in parts if isinstance(part, LayerStep)],
                ignored=list(built.ignored),
                as_built=built.unfilled,
                draw=key,
            )
    raise TypeError(_("a story must be build(…) and its steps, or one call(…), or one probe(…)"))


def carried(value: Any) -> Any:
    """Return an argument in the form in which a request carries it."""
    refuse_tensor(value)
    if isinstance(value, np.ndarray):
        return Array(value, value.dtype.name)
    if isinstance(value, Given):
        return {"callable": value.name, "args": list(value.args)}
    if isinstance(value, tuple | list):
        return type(value)(carried(item) for item in value)
    if isinstance(value, Mapping):
        return carried_by_name(value)
    return value


def refuse_tensor(value: object) -> None:
    """Raise TypeError if the value is a tensor of PyTorch, which a suite does not have."""
    if type(value).__module__.partition(".")[0] == "torch":
        kind = type(value).__name__
        raise TypeError(_("a suite cannot use a {type} of torch: use randn(…), uniform(…), ones(…), zeros(…), or a NumPy array", type=kind))


def carried_by_name(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: carried(value) for name, value in values.items()}
