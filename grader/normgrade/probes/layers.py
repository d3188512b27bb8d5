"""Probes of layers in PyTorch: the grader builds your layer, sets its state, trains and evaluates it, and looks at everything.

A probe is a function. It is played on your file and on the right answer, and returns its observations: a dictionary from places, texts such
as "step 1 · output", to values. The grader compares the values place by place. Nothing here is secret: it tells you how your layer will be
called.

The argument `impl` of a probe is the module that is your file, or an object with the same names, as in this example:

>>> from types import SimpleNamespace
>>> class Scale(torch.nn.Module):
...     def __init__(self, dim):
...         super().__init__()
...         self.weight = torch.nn.Parameter(torch.ones(dim))
...     def forward(self, x):
...         return x * self.weight
>>> impl = SimpleNamespace(Scale=Scale)
>>> seen = layer_story(
...     impl, "Scale", args=[3], kwargs={}, state={"weight": torch.tensor([1.0, 2.0, 3.0])}, watch=["weight"],
...     steps=[{"do": "train", "x": torch.ones(2, 3), "upstream": torch.ones(2, 3), "scattered": False}],
... )
>>> seen["step 1 · output"].tolist()
[[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]]
>>> seen["step 1 · gradient of weight"].tolist()
[2.0, 2.0, 2.0]
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from copy import deepcopy
from functools import cache
from itertools import chain
from operator import attrgetter
from random import getstate
from typing import Any

import torch
from numpy import get_printoptions, geterr
from numpy.random import get_state
from torch import (
    are_deterministic_algorithms_enabled,
    get_default_dtype,
    get_float32_matmul_precision,
    get_num_threads,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    set_default_dtype,
)
from torch._C import _set_grad_enabled
from torch._tensor_str import PRINT_OPTS
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from normgrade.language.places import BUILD, Absent, Place, gradient_of
from normgrade.probes.results import OUTPUT, OVERWRITTEN, STEEP, Stopped, gradient_of_input, left_alone, parts
from normgrade.probes.step_options import USUAL, StepOptions

# Common other names of parameters and buffers. The grader finds a tensor by them too, so that its numbers can be graded. Only the check
# that plays `new_layer` asks for PyTorch's own names.
ALIASES = {
    "weight": ("gamma", "g", "scale", "gain", "alpha", "a_2"),
    "bias": ("beta", "b", "shift", "offset", "b_2"),
    "threshold": ("tau",),
    "running_mean": ("moving_mean", "exp_mean", "mean_ema"),
    "running_var": ("moving_var", "exp_var", "var_ema"),
    "u": ("_u", "weight_u"),
    "v": ("_v", "weight_v"),
}


def new_layer(
    impl: Any,
    layer: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    names: Sequence[str],
    as_scalars: Sequence[str] = (),
    drawn: Sequence[str] = (),
) -> dict[str, Any]:
    """Build a layer, and read its state dict before it is used.

    It builds the layer as `build` does, then calls `state_dict()` and `named_parameters()`, and leaves out the tensors of callables that
    the layer was given. For each of `names`, the keys of the right answer's state dict, it returns four places:

    - "key of <name>": the key in your state dict, a text; None if neither the name nor one of its ALIASES is there. An alias that is
      one of `names` itself does not count.
    - "<name> is a parameter": a bool; False for a buffer, None if the key is missing.
    - "state_dict · <name>": the tensor, in your shape and dtype; None if the key is missing. If the name is one of `as_scalars`, a
      tensor without dimensions is shown in one dimension. If it is one of `drawn`, whose first numbers are random, all numbers are 0.
    - "attribute <name>": "a tensor", None, "something else" or "missing": the kind of the layer's attribute of that name or one of its
      ALIASES.

    And two places for names that the right answer does not have:

    - "further keys of the state dict", "further parameters": their names, a text.

    Exceptions of the layer are not caught.

    >>> seen = new_layer(torch.nn, "Linear", args=[3, 2], kwargs={}, names=["bias", "scale"])
    >>> seen["key of bias"], seen["bias is a parameter"], seen["state_dict · bias"].shape
    ('bias', True, torch.Size([2]))
    >>> seen["key of scale"] is None
    True
    """
    module = build(impl, layer, args, kwargs)
    if isinstance(module, Around):
        state, parameters, module = *module.without_given(), module.layer
    else:
        state, parameters = module.state_dict(), dict(module.named_parameters())
    seen: dict[str, Any] = {}
    known: set[str | None] = set()
    for name in names:
        key = next((key for key in called(name) if key in state and (key == name or key not in names)), None)
        known.add(key)
        tensor = None if key is None else state[key]
        if tensor is not None and name in as_scalars:
            tensor = torch.atleast_1d(tensor)  # type: ignore[no-untyped-call]
        if tensor is not None and name in drawn:
            tensor = torch.zeros_like(tensor)
        seen |= {
            Place("key of {name}", name=name): key,
            Place("{name} is a parameter", name=name): None if key is None else key in parameters,
            Place("state_dict · {name}", name=name): tensor,
            Place("attribute {name}", name=name): kind_of_attribute(module, name, names),
        }
    for place, found in (("further keys of the state dict", state), ("further parameters", parameters)):
        seen[Place(place)] = ", ".join(name for name in found if name not in known)
    return seen


def build(impl: Any, layer: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> torch.nn.Module:
    """Build a layer: `impl.<layer>(*args, **kwargs)`.

    The layer "function" has no state of its own: it calls `impl.<args[0]>` on its inputs and on the other arguments. A dictionary such as
    `{"callable": "linear", "args": [3, 2]}` among the arguments stands for one of CALLABLES, built with these `args`. If a layer is given
    modules in this way, the result is an `Around` of both.

    >>> build(torch, "function", ["softmax"], {"dim": 0})(torch.zeros(2)).tolist()
    [0.5, 0.5]
    >>> build(torch.nn, "Sequential", [{"callable": "linear", "args": [3, 2]}], {})(torch.zeros(3)).tolist()
    [-0.75, 0.125]
    """
    own_args, own_kwargs = with_callables(args), with_callables(kwargs)
    if layer == "function":
        return Function(getattr(impl, own_args[0]), own_args[1:], own_kwargs)
    module: torch.nn.Module = getattr(impl, layer)(*own_args, **own_kwargs)
    given = [each for each in tree_leaves((own_args, own_kwargs)) if isinstance(each, torch.nn.Module)]
    return Around(given, module) if given else module


class Function(torch.nn.Module):
    """A layer without state, whose call is that of a function. Further arguments follow the inputs."""

    def __init__(self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        super().__init__()
        self.function, self.args, self.kwargs = function, args, kwargs

    def forward(self, *inputs: torch.Tensor, **named: torch.Tensor) -> Any:
        return self.function(*inputs, *self.args, **self.kwargs, **named)


class Around(torch.nn.Module):
    """A layer, and the modules that it was given. Their parameters are found here, independently of the layer's names for them.

    The first is "sublayer", the next "sublayer_2", and so on. Everything else is looked up in the layer.

    >>> branch = torch.nn.Linear(2, 1)
    >>> both = Around([branch], torch.nn.Sequential(branch, torch.nn.Linear(1, 1)))
    >>> own_names(both), given_names(both)
    (['1.weight', '1.bias'], ['sublayer.weight', 'sublayer.bias'])
    """

    def __init__(self, given: Sequence[torch.nn.Module], layer: torch.nn.Module) -> None:
        super().__init__()
        for number, module in enumerate(given, 1):
            self.add_module(sublayer_name(number), module)
        self.layer = layer

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.__dict__.get("_modules", {}).get("layer"), name)

    def without_given(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the state dict of the layer, and its parameters by name, without those of the modules that it was given."""
        given = {id(find(self, name)) for name in given_names(self)}
        named = self.layer.state_dict(keep_vars=True), dict(self.layer.named_parameters())
        state, parameters = ({name: value for name, value in each.items() if id(value) not in given} for each in named)
        return state, parameters

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.layer(*inputs)


def sublayer_name(number: int) -> str:
    return "sublayer" if number == 1 else f"sublayer_{number}"


def own_names(module: torch.nn.Module) -> list[str]:
    """Return the names of a layer's own parameters and buffers, also of those that are switched off."""
    return [name.removeprefix("layer.") for name in names_in(module) if not isinstance(module, Around) or name.startswith("layer.")]


def given_names(module: torch.nn.Module) -> list[str]:
    """Return the names of the parameters and buffers of the modules that a layer was given."""
    return [name for name in names_in(module) if isinstance(module, Around) and not name.startswith("layer.")]


def names_in(module: torch.nn.Module) -> Iterator[str]:
    """Yield the names of all parameters and buffers, each once. If a module is held twice, its first name counts."""
    for prefix, part in module.named_modules():
        for name in chain(part._parameters, part._buffers):
            yield f"{prefix}.{name}" if prefix else name


def with_callables(arguments: Any) -> Any:
    """Return the arguments, with one of CALLABLES in the place of every dictionary that describes one.

    >>> [scaled] = with_callables([{"callable": "scaled", "args": [3.0]}])
    >>> scaled(torch.ones(1)).item()
    3.0
    """
    match arguments:
        case {"callable": name}:
            return CALLABLES[name](*arguments.get("args", ()))
        case Mapping():
            return {name: with_callables(value) for name, value in arguments.items()}
        case list() | tuple():
            return type(arguments)(map(with_callables, arguments))
        case _:
            return arguments


CALLING: ContextVar[Callable[[], AbstractContextManager[object]]] = ContextVar("CALLING", default=nullcontext)  # around calls of your code
UNWITNESSED: ContextVar[bool] = ContextVar("UNWITNESSED", default=False)  # True while a callable that a layer was given computes


@contextmanager
def unwitnessed() -> Iterator[None]:
    """Hide the operations that are computed meanwhile from every Witness: they belong to callables that a layer was given."""
    before = UNWITNESSED.set(True)
    try:
        yield
    finally:
        UNWITNESSED.reset(before)


class Linear(torch.nn.Linear):
    """A linear layer with a bias whose first numbers are always the same: multiples of 1/8, not drawn at random.

    It takes every floating-point dtype, independently of the dtype of its parameters: half precision is computed in float32, and returned
    in half precision.

    >>> Linear(3, 2).weight.tolist()
    [[-0.75, 0.125, -0.625], [0.25, -0.5, 0.375]]
    """

    def reset_parameters(self) -> None:
        for tensor in (self.weight, self.bias):
            tensor.data.copy_(eighths(tensor.shape))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        wide = torch.promote_types(x.dtype, torch.float32)
        with unwitnessed():
            return torch.nn.functional.linear(x.to(wide), self.weight.to(wide), self.bias.to(wide)).to(x.dtype)


@cache
def eighths(shape: torch.Size) -> torch.Tensor:
    """Return multiples of 1/8 in that shape, the same ones every time."""
    return torch.tensor([(index * 7 % 13 - 6) / 8 for index in range(shape.numel())]).view(shape)


def feed_forward(width: int) -> torch.nn.Module:
    """Return two linear layers with tanh between them, from `width` features to as many: no multiple of its input.

    >>> feed_forward(4)(torch.ones(2, 4)).shape
    torch.Size([2, 4])
    """
    return torch.nn.Sequential(Linear(width, width + 2), torch.nn.Tanh(), Linear(width + 2, width))


class Scaled(torch.nn.Module):
    """A layer without parameters: x → factor · x."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with unwitnessed():
            return x * self.factor


def plain(factor: float) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return a plain function, which is no layer: x → factor · x."""

    def scaled(x: torch.Tensor) -> torch.Tensor:
        with unwitnessed():
            return x * factor

    return scaled


def plus_one(_module: torch.nn.Module, _inputs: Any, output: torch.Tensor) -> torch.Tensor:
    """Return the output of a module plus 1: a forward hook."""
    return output + 1


def hooked(width: int) -> torch.nn.Module:
    """Return a linear layer with a hook that adds 1 to its output: to call it is not to call its forward.

    It has `width` features in and out.

    >>> layer = hooked(2)
    >>> torch.equal(layer(torch.ones(2)), layer.forward(torch.ones(2)) + 1)
    True
    """
    layer = Linear(width, width)
    layer.register_forward_hook(plus_one)
    return layer


def dropping(width: int) -> torch.nn.Module:
    """Return a linear layer from `width` features to as many, and a dropout: in evaluation it drops nothing.

    >>> torch.equal(dropping(2).eval()(torch.ones(2)), Linear(2, 2)(torch.ones(2)))
    True
    """
    return torch.nn.Sequential(Linear(width, width), torch.nn.Dropout(0.5))


# The callables that a layer may be given, by name. The right answer and your code get the same ones.
CALLABLES: Mapping[str, Callable[..., Any]] = {
    "linear": Linear,
    "feed_forward": feed_forward,
    "hooked": hooked,
    "dropping": dropping,
    "scaled": Scaled,
    "identity": torch.nn.Identity,
    "plain": plain,
}


def kind_of_attribute(module: torch.nn.Module, name: str, names: Sequence[str] = ()) -> str | None:
    """Return the kind of thing that a layer has under a name, or under one of its ALIASES that is none of `names`.

    >>> layer = torch.nn.LayerNorm(3, bias=False)
    >>> kind_of_attribute(layer, "weight"), kind_of_attribute(layer, "bias"), kind_of_attribute(layer, "running_mean")
    ('a tensor', None, 'missing')
    """
    for called_so, get in zip(called(name), getters(name), strict=True):
        with suppress(AttributeError):
            if called_so != name and called_so in names:
                continue
            thing = get(module)
            return None if thing is None else "a tensor" if isinstance(thing, torch.Tensor) else "something else"
    return "missing"


def layer_story(
    impl: Any,
    layer: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    state: Mapping[str, torch.Tensor],
    watch: Sequence[str],
    steps: Sequence[Mapping[str, Any]],
    as_built: bool = False,
    rounding: Sequence[float] = (),
) -> dict[str, Any]:
    """Build a layer, fill it with `state`, then take the steps in order, and look at everything after each of them.

    - `layer`, `args`, `kwargs`: the layer is built as `build` does, which calls `impl.<layer>(*args, **kwargs)`.
    - `state`: parameters and buffers to fill in by name, as `fill` does. A layer that is played `as_built` keeps its own.
    - `watch`: the names in `state` whose tensors are looked at after every step.
    - `steps`: each is a dictionary. `{"do": "train", "x": …, "upstream": …, "scattered": …}`, or "evaluate" instead of "train", calls
      the layer on the tensor `x` in that mode, as `take_step` does. Its other entries are its `StepOptions`, packed. Like any code, it
      calls `train()` or `eval()` when the mode changes: those of the layer at first, later those of a network that holds it. The other
      steps are:
      - "reload" builds a new layer and loads the state dict of the old one into it, as a network does with its layers.
      - "copy" goes on with a deep copy of the layer, "pickle" with a pickled copy if the layer can be pickled.
      - "double" goes on in float64.
      - "swap" goes on with another layer: the one that was left by the last "copy" or "swap", or else a second one. The second one is
        built with the step's `args` and `kwargs`, or else like the first. It is filled with the numbers of the first in reverse order,
        if they fit.
      - "change" writes the step's `state` into the layer's tensors; "load" puts it into the state dict of a new layer, and has
        PyTorch's own `load_state_dict` put those very tensors into the layer.
      - "learn" moves every parameter against its gradient, times `rate`.
      - "settings" compares PyTorch's settings and all random numbers with those before the layer was built.
      - "attempt" calls the layer on an input `x` that it may refuse; the steps after it show if a refusal has changed anything. If the
        layer takes the input, its tensors get their numbers back.
    - `rounding`: a unit roundoff and a seed; numbers that a step writes into the layer's tensors are rounded at random, as
      `round_written` does.

    It returns the places of `take_step`, each with its step before it: "step 1 · output", "step 2 · gradient of weight". It raises
    Stopped if a step raises; building and filling the layer is the step "build".

    >>> step = {"do": "evaluate", "x": torch.ones(2, 3), "upstream": None, "scattered": False}
    >>> state = {"weight": torch.ones(1, 3), "bias": torch.zeros(1)}
    >>> seen = layer_story(torch.nn, "Linear", [3, 1], {}, state, watch=["weight"], steps=[step, {"do": "reload"}, step])
    >>> seen["step 3 · output"].tolist()
    [[3.0], [3.0]]
    >>> sorted(seen)[:3]
    ['step 1 · input left alone', 'step 1 · output', 'step 1 · weight']
    """
    seen: dict[str, Any] = {}
    step: int | str = BUILD
    asked: dict[int, list[bool]] = {}  # the modes that every layer was asked for; True is training
    usual = settings() if any(action["do"] == "settings" for action in steps) else {}

    def built(numbers: Mapping[str, torch.Tensor], args: Sequence[Any] = args, kwargs: Mapping[str, Any] = kwargs) -> torch.nn.Module:
        module = build(impl, layer, args, kwargs)
        asked[id(module)] = [True]  # a new layer is in training mode
        if not as_built:
            fill(module, numbers)
        return module

    try:
        module, other = built(state), None
        others: Sequence[torch.nn.Module] = ()
        given: Sequence[torch.Tensor] = ()
        random_numbers = torch.Generator().manual_seed(int(rounding[1])) if rounding else None
        for step, action in enumerate(steps, 1):
            before = {name: tensor.clone() for name, tensor in tensors_of(module)} if rounding else {}
            match action["do"]:
                case "train" | "evaluate" as mode:
                    options = StepOptions.unpacked(action)
                    put_in_mode(module, mode == "train", asked[id(module)], options.mode)
                    if options.beside:
                        others = others or [built(turned(state)) for _number in range(BESIDE)]
                    given = written_over(given, action["x"], *options.more) if options.again else ()
                    watched = {name: state[name] for name in watch}
                    views = take_step(module, action["x"], action["upstream"], action["scattered"], watched, options, given, others)
                    seen |= {place.at(step): value for place, value in views.items()}
                case "attempt":
                    kept = {name: tensor.clone() for name, tensor in tensors_of(module)}
                    with suppress(Exception):
                        module(action["x"].clone(), *(each.clone() for each in action.get("more", ())))
                        put_back(module, kept)
                case "reload":
                    saved = in_a_network(module).state_dict()  # as a network saves its layers
                    module = built({})
                    in_a_network(module).load_state_dict(saved)
                    module.load_state_dict(module.state_dict())  # as one does with a single layer
                case "copy" | "pickle" as how:
                    old, module = module, deepcopy(module) if how == "copy" else pickled(module)
                    asked[id(module)] = [*asked[id(old)]]
                    other = old if how == "copy" else other
                case "double":
                    module = module.double()
                case "swap":
                    otherwise = (action.get("args", ()), action.get("kwargs", {})) if {"args", "kwargs"} & action.keys() else ()
                    module, other = other or built(turned(state), *otherwise), module
                case "change":
                    fill(module, action["state"])
                case "load":
                    new = build(impl, layer, args, kwargs)
                    fill(new, action["state"])
                    torch.nn.Module.load_state_dict(module, new.state_dict(), assign=True)
                case "learn":
                    learn(module, action["rate"])
                case "settings":
                    now = settings()
                    seen |= {Place(f"{name} left alone").at(step): now[name] == value for name, value in usual.items()}
            if random_numbers is not None:
                round_written(module, before, rounding[0], random_numbers)
    except BaseException as error:
        raise Stopped(step, seen) from error
    return seen


def put_back(module: torch.nn.Module, kept: Mapping[str, torch.Tensor]) -> None:
    """Give the parameters and buffers of a layer their numbers back."""
    for name, tensor in tensors_of(module):
        tensor.data.copy_(kept.get(name, tensor))


def put_in_mode(module: torch.nn.Module, training: bool, asked: list[bool], how: str | None = None) -> None:
    """Ask for a mode if the layer was last `asked` for the other one: at first the layer itself, later a network that holds it.

    `how` is "attribute" to set `training` and call nothing, or "twice" to ask two times, even for the mode that was asked for last.
    """
    if how == "attribute":
        (module.layer if isinstance(module, Around) else module).training = training
        asked.append(training)
    elif how == "twice" or asked[-1] != training:
        asked.append(training)
        whom = module if len(asked) == 2 else torch.nn.Sequential(module)
        for _time in range(2 if how == "twice" else 1):
            whom.train() if training else whom.eval()


def in_a_network(module: torch.nn.Module) -> torch.nn.Module:
    """Return a network that holds a layer three modules deep.

    >>> list(in_a_network(torch.nn.Linear(2, 1, bias=False)).state_dict())
    ['0.0.0.weight']
    """
    return torch.nn.Sequential(torch.nn.Sequential(torch.nn.Sequential(module)))


def turned(state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return the state with the numbers of each tensor in reverse order."""
    return {name: reversed_order(value) for name, value in state.items()}


def tensors_of(module: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield the parameters and buffers of a layer, by name."""
    return chain(module.named_parameters(), module.named_buffers())


def round_written(module: torch.nn.Module, before: Mapping[str, torch.Tensor], unit: float, random_numbers: torch.Generator) -> None:
    """Multiply each number of those floating-point tensors that differ from `before` by 1 + ξ·unit, with a normally distributed ξ.

    >>> layer, before = torch.nn.BatchNorm1d(2), {"running_mean": torch.zeros(2), "weight": torch.zeros(2)}
    >>> round_written(layer, before, 0.5, torch.Generator().manual_seed(0))
    >>> torch.equal(layer.running_mean, torch.zeros(2)), torch.equal(layer.weight, torch.ones(2))
    (True, False)
    """
    with torch.inference_mode():  # tensors that were made in this mode may be written to only in this mode
        for name, tensor in tensors_of(module):
            if tensor.is_floating_point() and not (name in before and torch.equal(tensor, before[name])):
                tensor.mul_(1 + unit * torch.randn(tensor.shape, generator=random_numbers, dtype=tensor.dtype))


BESIDE = 7  # other layers


def written_over(given: Sequence[torch.Tensor], *inputs: torch.Tensor) -> Sequence[torch.Tensor]:
    """Return the inputs of the step before with the numbers of this one, or copies of its inputs if there was no such step."""
    given = given or [each.clone() for each in inputs]
    for tensor, numbers in zip(given, inputs, strict=True):
        tensor.data.copy_(numbers)  # PyTorch does not count this as a new version of the tensor
    return given


def take_step(
    module: torch.nn.Module,
    x: torch.Tensor,
    upstream: torch.Tensor | None,
    scattered: bool,
    watch: Mapping[str, torch.Tensor],
    options: StepOptions = USUAL,
    given: Sequence[torch.Tensor] = (),
    others: Sequence[torch.nn.Module] = (),
) -> dict[Place, Any]:
    """Call a layer once on `x`, run the backward pass if there is a gradient `upstream`, and look at everything.

    - `x`: the input, a tensor of any shape and dtype. The layer gets a copy; with `scattered`, one whose memory is in another order, so
      that `view` on it fails, and `upstream` too.
    - `upstream`: the gradient of the output, a tensor of the output's shape; None for no backward pass.
    - `watch`: parameters and buffers by name, each with a tensor of the contract's shape and dtype.
    - `options`: the ways in which the step differs from a plain one.
    - `given`: the very tensors to call the layer on, in place of copies of the inputs; they need no gradient.
    - `others`: the layers that are called as well if the step is played `beside` them.

    It returns these places:

    - "output": the output of the layer, from the last of several calls.
    - "input left alone": the input after the call and the backward pass, in the shape and dtype of `x`; a text if its `requires_grad`
      was changed.
    - "statistics": only with `witness`: the precision in which they are computed, a text, as Witness says it.
    - "grad mode left alone": True if gradients are still off after the call; only with `gradients`.
    - "gradient of input": in the shape and dtype of `x`; only with `upstream`, and None if no gradient came.
    - "input <n> left alone", "gradient of input <n>": the same for the inputs in `more`, which are numbered from 2.
    - "<name>": the watched tensor, in the contract's shape and dtype if it has as many elements; its stand-in from `missing` if the
      layer does not have it.
    - "gradient of <name>": the same for the gradient of a parameter; only with `upstream`, and None if no gradient came.
    - "right gradients after the output is changed in place": only with `overwritten`, as `right_if_overwritten` says it.

    Exceptions of the layer are not caught.

    >>> layer = torch.nn.Linear(3, 1, bias=False)
    >>> x = torch.tensor([[1.0, 2.0, 3.0]])
    >>> seen = take_step(layer, x, upstream=torch.ones(1, 1), scattered=False, watch={"weight": torch.ones(1, 3)})
    >>> list(seen)
    ['output', 'input left alone', 'gradient of input', 'weight', 'gradient of weight']
    >>> seen["gradient of weight"].tolist()
    [[1.0, 2.0, 3.0]]
    """
    tensors = {name: find(module, name) for name in watch}
    for tensor in tensors.values():
        if tensor is not None and not options.keep:
            tensor.grad = None
    leaves = [in_other_order(each) if scattered else each.clone() for each in (x, *options.more)]
    for number, each in enumerate(leaves, 1):
        each.requires_grad_(upstream is not None and not given and not options.constant and number != options.detach)
    # In a network, an input is another layer's output, and no leaf
    inputs = [*given] or (leaves if options.leaf else [VIEWS[options.view](each) for each in leaves])
    needing = [each.requires_grad for each in inputs]
    learning = [parameter for parameter in parameters_to_freeze(module, tensors, options) if parameter.requires_grad]
    for parameter in learning:
        parameter.requires_grad_(False)
    watched = Witness(*inputs) if options.witness else nullcontext()
    outputs = []
    with CALLING.get()(), MODES[options.gradients](), default_dtype(options.default), watched:
        for number in range(options.calls or 1):
            changed = [varied(each, number) for each in inputs]
            outputs.append(module(**dict(zip(options.names, changed, strict=True))) if options.names else module(*changed))
        if options.between is not None:
            module(options.between, *map(reversed_order, options.more))
        for another in others if options.beside else ():
            another(*(each.detach().clone() for each in inputs))
        without = not is_grad_enabled()
    output = outputs[-1]
    with no_grad():
        seen: dict[Place, Any] = {OUTPUT: output} | {left_alone(number): None for number in range(1, len(inputs) + 1)}
        changed_need = [each.requires_grad != needed for each, needed in zip(inputs, needing, strict=True)]
    if isinstance(watched, Witness):
        seen[Place("statistics")] = watched.precision
    if options.gradients is not None:
        seen[Place("grad mode left alone")] = without
    if upstream is not None:
        alike = isinstance(output, torch.Tensor) and output.shape == x.shape
        dy = ARRIVING[options.arriving](in_other_order(upstream) if scattered else upstream)
        if options.steep:
            dy = dy * STEEP
        for reached in reversed(outputs):
            whole = reached + inputs[0] if options.residual and alike else reached
            if options.twice:
                go_back(whole, reversed_order(dy), again=True)
            go_back(whole, dy, again=options.overwritten, graph=options.graph)
        seen |= {gradient_of_input(number): gradient_at(each) for number, each in enumerate(leaves, 1) if each.requires_grad}
    for parameter in learning:
        parameter.requires_grad_(True)
    with no_grad():
        for number, (each, is_other) in enumerate(zip(inputs, changed_need, strict=True), 1):
            seen[left_alone(number)] = NEEDS_ANOTHER if is_other else each.clone()
    found = [(name, model, find(module, name)) for name, model in watch.items()]
    with no_grad():
        for name, model, tensor in found:
            place, gradient = places_of(name)
            seen[place] = missing(module, name) if tensor is None else like(model, tensor)
            if upstream is not None and (tensor is None or isinstance(tensors[name], torch.nn.Parameter)):
                seen[gradient] = None if tensor is None or tensor.grad is None else like(model, tensor.grad.detach())
    if options.overwritten and upstream is not None:
        learnt = [tensor for tensor in tensors.values() if isinstance(tensor, torch.nn.Parameter)]
        seen = {place: kept.clone() if isinstance(kept, torch.Tensor) else kept for place, kept in seen.items()}
        seen[OVERWRITTEN] = right_if_overwritten(output, dy, [*leaves, *learnt])
    return seen


def right_if_overwritten(output: Any, dy: torch.Tensor, leaves: Sequence[torch.Tensor]) -> bool:
    """Return False if going back once more, after `output` was changed in place, silently gives the leaves other gradients than before.

    It is True if the gradients are the same again, or if PyTorch refuses. The output is multiplied by −2, and its gradient divided by
    that: a backward pass that uses the numbers of the output shows it, whether it depends on their sign or on their squares.

    >>> x = torch.tensor([0.5, 1.0], requires_grad=True)
    >>> y = torch.sigmoid(x)
    >>> go_back(y, torch.ones(2), again=True)
    >>> right_if_overwritten(y, torch.ones(2), [x])  # PyTorch needs the numbers of the output, and refuses
    True
    """
    if not isinstance(output, torch.Tensor) or output.shape != dy.shape or not output.requires_grad:
        return True
    before = [None if leaf.grad is None else leaf.grad.clone() for leaf in leaves]
    try:
        go_back(output.mul_(-2), dy / -2)
    except RuntimeError:
        return True
    with no_grad():
        return all(kept is None or nearly(leaf.grad, 2 * kept) for leaf, kept in zip(leaves, before, strict=True))


def nearly(actual: torch.Tensor | None, expected: torch.Tensor) -> bool:
    """Return True if no number is off by more than a thousandth of the largest one."""
    return actual is not None and not bool((actual - expected).abs().gt(1e-3 * expected.abs().max()).any())


def varied(x: torch.Tensor, call: int) -> torch.Tensor:
    """Return the input of a call of that number, from 0: itself, then larger each time, and every other time in reverse order.

    >>> varied(torch.tensor([64.0, 128.0]), 1).tolist(), varied(torch.tensor([64.0, 128.0]), 2).tolist()
    ([130.0, 65.0], [66.0, 132.0])
    """
    if not call:
        return x
    larger = x * (1 + call / 64)
    return reversed_order(larger) if call % 2 else larger


def gradient_at(leaf: torch.Tensor) -> torch.Tensor | None:
    """Return the gradient of a leaf, or None if none came."""
    return None if leaf.grad is None else leaf.grad.detach()


@contextmanager
def default_dtype(name: str | None) -> Iterator[None]:
    """Let new tensors have another dtype meanwhile, if a name is given."""
    if name is None:
        yield
        return
    before = get_default_dtype()
    set_default_dtype(getattr(torch, name))
    try:
        yield
    finally:
        set_default_dtype(before)


def parameters_to_freeze(
    module: torch.nn.Module, watched: Mapping[str, torch.Tensor | None], options: StepOptions
) -> Iterable[torch.nn.Parameter]:
    """Return all parameters of a layer, only the watched one of a number, counted round and round, or none."""
    if options.frozen:
        return module.parameters()
    learnt = [tensor for tensor in watched.values() if isinstance(tensor, torch.nn.Parameter)]
    return [learnt[(options.freeze - 1) % len(learnt)]] if options.freeze and learnt else []


@contextmanager
def no_grad() -> Iterator[None]:
    """Record no gradients meanwhile.

    So does `torch.no_grad`, but it asks `torch.is_grad_enabled` for the mode to restore, and your code may have replaced that function.
    """
    before = is_grad_enabled()
    _set_grad_enabled(False)
    try:
        yield
    finally:
        _set_grad_enabled(before)


NEEDS_ANOTHER = "its requires_grad was changed"


@cache
def places_of(name: str) -> tuple[Place, Place]:
    """Return the places of a tensor of a layer, and of its gradient."""
    return Place("{name}", name=name), gradient_of("{name}", name=name)


class Witness(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A dispatch mode that observes the precision of an input's statistics: half if a sum, or a term of it, is half precision.

    Operations in half precision that are not summed, such as the last scaling, do not count. Neither do operations on no input, nor those
    of a layer that was given. The product of patches and a parameter is a convolution, and no statistic.

    >>> x = torch.ones(4, dtype=torch.bfloat16)
    >>> with Witness(x) as narrow:
    ...     _ = x.square().mean()
    >>> with Witness(x) as wide:
    ...     _ = x * x.float().square().mean().bfloat16()
    >>> narrow.precision, wide.precision
    ('half precision', 'float32 or wider')
    """

    def __init__(self, *inputs: torch.Tensor) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.precision = "float32 or wider"
        self.from_x = {id(x): False for x in inputs}  # by id: tensors that come from an input; True if by arithmetic in half precision
        self.held = [*inputs]  # so that no id is reused
        self.patches: set[int] = set()  # ids of tensors made of windows, without arithmetic
        self.learnt: set[int] = set()  # ids of tensors made of parameters only

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Return False: True would make PyTorch import its compiler, which takes 2 s."""
        return False

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        name = function.overloadpacket.__name__.rstrip("_")
        if name in PRODUCTS and self.convolves(args):
            name = "convolution"
        self.trace(name, args, result)
        inputs = [each for each in flat(args) if id(each) in self.from_x]
        led_by_narrow = any(self.from_x[id(each)] for each in inputs)
        for each in flat((result,)) if inputs else ():
            if isinstance(each, torch.Tensor):
                in_half, own = each.dtype in HALF_PRECISION, not UNWITNESSED.get()
                if own and name in SUMS and (in_half or led_by_narrow):
                    self.precision = "half precision"
                self.from_x[id(each)] = own and (led_by_narrow or (in_half and name in ARITHMETIC))
                self.held.append(each)
        return result

    def convolves(self, factors: Sequence[Any]) -> bool:
        """Return True if a product is one of patches and a parameter."""
        given = [id(each) for each in factors]
        return not self.patches.isdisjoint(given) and not self.learnt.isdisjoint(given)

    def trace(self, name: str, args: Sequence[Any], result: Any) -> None:
        """Remember the result of an operation without arithmetic if it is made of windows, or only of parameters."""
        given = [each for each in flat(args) if isinstance(each, torch.Tensor)]
        if name in ARITHMETIC or name in SUMS or not isinstance(result, torch.Tensor):
            return
        if name in WINDOWS or any(id(each) in self.patches for each in given):
            self.patches.add(id(result))
            self.held.append(result)
        elif given and all(isinstance(each, torch.nn.Parameter) or id(each) in self.learnt for each in given):
            self.learnt.update(map(id, (*given, result)))
            self.held.append(result)


def flat(things: Sequence[Any]) -> Iterator[Any]:
    """Yield the inputs or outputs of an operation, with the items of lists and tuples one by one.

    It runs at every operation, and `tree_leaves` would take five times as long.
    """
    for each in things:
        if isinstance(each, list | tuple):
            yield from flat(each)
        else:
            yield each


HALF_PRECISION = (torch.float16, torch.bfloat16)
SUMS = {
    *("sum", "nansum", "mean", "var", "var_mean", "std", "std_mean", "linalg_vector_norm", "norm", "cumsum", "logsumexp"),
    *("mm", "bmm", "mv", "dot", "addmm", "addmv", "baddbmm"),
    *("avg_pool1d", "avg_pool2d", "avg_pool3d", "_adaptive_avg_pool2d", "_adaptive_avg_pool3d"),
}
PRODUCTS = {"mm", "bmm", "addmm", "baddbmm"}
WINDOWS = {"im2col", "unfold", "as_strided"}
ARITHMETIC = {"add", "sub", "rsub", "mul", "div", "pow", "addcmul", "addcdiv", "lerp"}


MODES: Mapping[str | None, Any] = {None: nullcontext, "no_grad": no_grad, "inference_mode": torch.inference_mode}
VIEWS: Mapping[str | None, Any] = {
    None: torch.clone,
    "strided": lambda x: torch.stack([x, x], -1)[..., 0],
    "expanded": lambda x: x[:1].expand(x.shape),
    "channels_last": lambda x: x.movedim(1, -1).contiguous().movedim(-1, 1) if x.ndim > 2 else x.clone(),
}


def one_hot(dy: torch.Tensor) -> torch.Tensor:
    """Return the gradient with all numbers 0 except for one in the middle.

    >>> one_hot(torch.ones(2, 2)).tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    numbers = torch.zeros_like(dy).flatten()
    numbers[dy.numel() // 2] = dy.flatten()[dy.numel() // 2]
    return numbers.view(dy.shape)


# The ways in which the gradient of an output can arrive, by name.
ARRIVING: Mapping[str | None, Callable[[torch.Tensor], torch.Tensor]] = {
    None: lambda dy: dy,
    "one hot": one_hot,
    "with zeros": lambda dy: dy * (torch.arange(dy.numel()).view(dy.shape) % 3 != 0),
    "ones": lambda dy: dy.new_ones(()).expand(dy.shape),  # the gradient of `output.sum().backward()`
    "expanded": lambda dy: dy[:1].expand(dy.shape),
    "strided": lambda dy: torch.stack([dy, dy], -1)[..., 0],
    "huge": lambda dy: dy * 2.0**20,
    "tiny": lambda dy: dy * 2.0**-30,
}


def learn(module: torch.nn.Module, rate: float) -> None:
    """Take one step of gradient descent: every parameter that has a gradient moves against it, times `rate`.

    >>> layer = torch.nn.Linear(1, 1, bias=False)
    >>> fill(layer, {"weight": torch.tensor([3.0])})
    >>> layer(torch.ones(1)).sum().backward()
    >>> learn(layer, rate=0.5)
    >>> layer.weight.tolist()
    [[2.5]]
    """
    with no_grad():
        for parameter in module.parameters():
            if parameter.grad is not None:
                parameter.sub_(rate * parameter.grad)


RANDOM_NUMBERS, SUBNORMAL = torch.default_generator, torch.tensor(2.0**-140)


def settings() -> dict[str, Any]:
    """Return the state of all random numbers, and the global settings of PyTorch and NumPy, by name.

    The functions that it asks are looked up before your code is loaded.

    >>> before = settings()
    >>> _ = torch.rand(1)
    >>> [name for name, value in settings().items() if value != before[name]]
    ['random state']
    """
    numpy_state = get_state(legacy=False)
    position = numpy_state["state"]["key"].tobytes(), numpy_state["state"]["pos"]
    return {
        "random state": (RANDOM_NUMBERS.get_state().numpy().tobytes(), getstate(), position),
        "default dtype": get_default_dtype(),
        "grad mode": (is_grad_enabled(), is_inference_mode_enabled()),
        "number of threads": get_num_threads(),
        "choice of algorithms": (are_deterministic_algorithms_enabled(), get_float32_matmul_precision(), is_anomaly_enabled()),
        "subnormal numbers": bool(SUBNORMAL + SUBNORMAL),
        "handling of floating-point errors": geterr(),
        "warnings and printing": ([*warnings.filters], vars(PRINT_OPTS).copy(), get_printoptions()),
    }


def pickled(module: torch.nn.Module) -> torch.nn.Module:
    """Return a pickled copy of a layer, or the layer itself if it cannot be pickled: no contract asks for that.

    >>> layer = torch.nn.Linear(2, 1)
    >>> copy = pickled(layer)
    >>> copy is layer, torch.equal(copy.weight, layer.weight)
    (False, True)
    """
    try:
        content = pickle.dumps(module)
    except Exception:
        return module
    copy: torch.nn.Module = pickle.loads(content)
    return copy


def reversed_order(value: torch.Tensor) -> torch.Tensor:
    """Return the numbers of a tensor in reverse order, in the same shape.

    >>> reversed_order(torch.tensor([[1, 2], [3, 4]])).tolist()
    [[4, 3], [2, 1]]
    """
    return value.flatten().flip(0).reshape(value.shape)


def function_call(
    impl: Any,
    function: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    upstream: torch.Tensor | None = None,
    scattered: bool = False,
) -> dict[str, Any]:
    """Call a function once, and run the backward pass if there is a gradient `upstream` of its result.

    - `function`, `args`, `kwargs`: it calls `impl.<function>(*args, **kwargs)`, with copies of the tensors in `args`.
    - `upstream`: the gradient of the result, a tensor of the result's shape; None for no backward pass.
    - `scattered`: if true, the numbers of these tensors lie in memory in another order, so that `view` on them fails.

    Arguments are numbered from 1. It returns these places:

    - "argument <n> left alone": each tensor in `args` after the call, in its own shape and dtype.
    - "result": the result of the function. For a tuple, each item has its own place: "result[0]", or "result.mean" of a named tuple.
    - "gradient of argument <n>": in the shape and dtype of that floating-point tensor; only with `upstream`, None if no gradient came.

    Exceptions of the function are not caught.

    >>> seen = function_call(torch, "mul", args=[torch.tensor([1.0, 2.0]), 3.0], kwargs={}, upstream=torch.ones(2))
    >>> {place: value.tolist() for place, value in seen.items()}
    {'argument 1 left alone': [1.0, 2.0], 'result': [3.0, 6.0], 'gradient of argument 1': [3.0, 3.0]}
    """
    args, kwargs = with_callables(args), with_callables(kwargs)
    copied = in_other_order if scattered else torch.clone
    leaves = [copied(argument) if isinstance(argument, torch.Tensor) and argument.ndim else argument for argument in args]
    inputs = {number: leaf for number, leaf in enumerate(leaves, 1) if isinstance(leaf, torch.Tensor)}
    for leaf in inputs.values():
        leaf.requires_grad_(upstream is not None and leaf.is_floating_point())
    given = [leaf.clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
    with CALLING.get()():
        result = getattr(impl, function)(*given, **kwargs)
    seen: dict[str, Any] = {Place("argument {number} left alone", number=number): given[number - 1].detach().clone() for number in inputs}
    seen |= parts(result)
    if upstream is not None:
        go_back(result, upstream)
        seen |= {gradient_of("argument {number}", number=number): leaf.grad for number, leaf in inputs.items() if leaf.requires_grad}
    return seen


def fill(module: torch.nn.Module, state: Mapping[str, torch.Tensor]) -> None:
    """Copy `state` into a layer, name by name. The whole layer takes the dtype of the state's floating-point tensors.

    A tensor is found under its name or one of its ALIASES, and may have any shape with as many elements. Tensors that the layer does not
    have are left out.

    >>> layer = torch.nn.Linear(2, 1)
    >>> fill(layer, {"weight": torch.tensor([3.0, 4.0]), "running_mean": torch.zeros(2)})
    >>> layer.weight.tolist()
    [[3.0, 4.0]]
    """
    dtypes = {value.dtype for value in state.values() if value.is_floating_point()}
    for dtype in dtypes - {torch.get_default_dtype()}:
        module.to(dtype)
    for name, value in state.items():
        tensor = find(module, name)
        if tensor is not None and tensor.numel() == value.numel():
            tensor.data.copy_(value.reshape(tensor.shape))  # PyTorch does not count this as a new version of the tensor


def find(module: torch.nn.Module, name: str) -> torch.Tensor | None:
    """Return a layer's tensor of that name, or of one of its ALIASES; None if it has neither. A name may have dots: "norm.weight".

    >>> find(torch.nn.BatchNorm1d(2), "running_var").tolist()
    [1.0, 1.0]
    >>> find(torch.nn.ReLU(), "weight") is None
    True
    """
    for get in getters(name):
        try:
            tensor = get(module)
        except AttributeError:
            continue
        if isinstance(tensor, torch.Tensor):
            return tensor
    return None


@cache
def getters(name: str) -> tuple[Callable[[torch.nn.Module], Any], ...]:
    return tuple(map(attrgetter, called(name)))


def called(name: str) -> tuple[str, ...]:
    """Return the names under which a tensor is looked for: its own, and those with one of the ALIASES as their last part.

    >>> called("norm.bias")[:3]
    ('norm.bias', 'norm.beta', 'norm.b')
    """
    path, dot, last = name.rpartition(".")
    return tuple(f"{path}{dot}{each}" for each in (last, *ALIASES.get(last, ())))


def missing(module: torch.nn.Module, name: str) -> Absent:
    """Return the stand-in for a tensor that a layer does not have: its name, and those of the parameters and buffers that are there.

    >>> missing(torch.nn.Linear(2, 1), "running_mean")
    Absent(name='running_mean', there=('weight', 'bias'))
    """
    return Absent(name, tuple(dict(tensors_of(module))))


def like(model: torch.Tensor, tensor: torch.Tensor) -> torch.Tensor:
    """Return a copy of `tensor` in the shape and dtype of `model`; in its own if the number of elements differs.

    A weight of shape (1, C, 1, 1) thus counts as one of shape (C,), and float64 as float32; but no float counts as an integer. It is
    called without gradients.

    >>> like(torch.zeros(3), torch.ones(1, 3, 1, dtype=torch.float64))
    tensor([1., 1., 1.])
    """
    copy = tensor.clone()
    if (copy.dtype is model.dtype and copy.shape == model.shape) or copy.numel() != model.numel():
        return copy
    shaped = copy.reshape(model.shape)
    return shaped.to(model.dtype) if shaped.is_floating_point() == model.is_floating_point() else shaped


def in_other_order(x: torch.Tensor) -> torch.Tensor:
    """Return an equal tensor with its numbers in another order in memory, so that `view` on it fails.

    >>> x = torch.arange(6.0).reshape(2, 3)
    >>> other = in_other_order(x)
    >>> torch.equal(x, other), x.is_contiguous(), other.is_contiguous()
    (True, True, False)
    """
    return x.transpose(0, -1).contiguous().transpose(0, -1)


# The last call in `output.backward(upstream)`, which before that imports SymPy to compare two shapes: a sixth of the import of PyTorch.
ENGINE: Any = torch.autograd.Variable._execution_engine


def go_back(output: Any, upstream: torch.Tensor, again: bool = False, graph: bool = False) -> None:
    """Run the backward pass from `output`, whose gradient is `upstream`. Every leaf tensor that led to it gets its gradient.

    With `again`, it can be run once more. With `graph`, gradients have gradients.

    Nothing happens if `output` is no tensor, has another shape than `upstream`, or needs no gradient.

    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> go_back(x * x, torch.tensor([1.0, 10.0]))
    >>> x.grad
    tensor([ 2., 40.])
    """
    if isinstance(output, torch.Tensor) and output.shape == upstream.shape and output.requires_grad:
        with warnings.catch_warnings():
            if graph:  # PyTorch warns of the memory that gradients with gradients keep
                warnings.simplefilter("ignore")
            ENGINE.run_backward(
                (output,), (upstream,), keep_graph=again or graph, create_graph=graph, allow_unreachable=True, accumulate_grad=True
            )
