"""How the grader uses your code: build a layer, set its state, train and evaluate it, and look at everything.

A probe is played on your file and on the right answer alike; what it returns, place by place, is compared. Nothing here is
secret: reading it tells you how your layer will be called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import torch

from normgrade.language.places import BUILD, Place, gradient_of

__all__ = [
    "ALIASES", "BUILD", "Estimate", "Place", "Stopped", "fill", "find", "function_call", "go_back", "gradient_of", "in_other_order",
    "layer_story", "like", "missing", "new_layer", "parts", "take_step",
]  # fmt: skip

# Other names under which a parameter or buffer is often kept. They are understood, so that the numbers can be graded; one single
# check, the one that plays `new_layer`, asks for PyTorch's own names.
ALIASES = {
    "weight": ("gamma", "g", "scale", "gain", "alpha", "a_2"),
    "bias": ("beta", "b", "shift", "offset", "b_2"),
    "running_mean": ("moving_mean", "exp_mean", "mean_ema"),
    "running_var": ("moving_var", "exp_var", "var_ema"),
}


class Estimate(NamedTuple):
    """What random draws show of a number, with its standard error: your draws need not be the grader's."""

    value: Any
    error: Any


class Stopped(Exception):
    """An error in one step of a probe; what was seen before it still counts. `step` is a number from 1, or BUILD before the first."""

    def __init__(self, step: int | str | None, seen: dict[str, Any]) -> None:
        super().__init__(step or "")
        self.step = step
        self.seen = seen


def new_layer(impl: Any, layer: str, args: Sequence[Any], kwargs: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Build a layer and read its state dict at the start: keys, which are parameters, shapes, dtypes, initial values."""
    module = getattr(impl, layer)(*args, **kwargs)
    state, parameters = module.state_dict(), dict(module.named_parameters())
    seen: dict[str, Any] = {}
    for name in names:
        key = next((key for key in (name, *ALIASES.get(name, ())) if key in state), None)
        seen |= {
            Place("key of {name}", name=name): key,
            Place("{name} is a parameter", name=name): None if key is None else key in parameters,
            Place("state_dict · {name}", name=name): None if key is None else state[key],
        }
    return seen


def layer_story(
    impl: Any,
    layer: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    state: Mapping[str, torch.Tensor],
    watch: Sequence[str],
    steps: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Build a layer, fill it with `state`, then take the steps in order; watch the output, every gradient and every buffer.

    A step does one of three things: `train` or `evaluate` on an input `x`, with a backward pass from the gradient `upstream` where
    there is one; or `reload`, which builds the layer anew and hands the state dict over.
    """
    seen: dict[str, Any] = {}
    step: int | str = BUILD
    try:
        module = getattr(impl, layer)(*args, **kwargs)
        fill(module, state)
        for step, action in enumerate(steps, 1):
            if action["do"] == "reload":
                saved = module.state_dict()
                module = getattr(impl, layer)(*args, **kwargs)
                module.load_state_dict(saved)
            else:
                module.train(action["do"] == "train")
                views = take_step(module, action["x"], action["upstream"], action["scattered"], {name: state[name] for name in watch})
                seen |= {place.at(step): value for place, value in views.items()}
    except BaseException as error:
        raise Stopped(step, seen) from error
    return seen


def take_step(
    module: torch.nn.Module, x: torch.Tensor, upstream: torch.Tensor | None, scattered: bool, watch: Mapping[str, torch.Tensor]
) -> dict[Place, Any]:
    """Call the layer once, go back once, and look at everything the contract names."""
    tensors = {name: find(module, name) for name in watch}
    for tensor in tensors.values():
        if tensor is not None:
            tensor.grad = None
    leaf = (in_other_order(x) if scattered else x.clone()).requires_grad_(upstream is not None)
    given = leaf.clone()  # not a leaf: as in a network, where the input is another layer's output
    output = module(given)
    seen = {Place("output"): output, Place("input left alone"): given.detach().clone()}
    if upstream is not None:
        go_back(output, upstream)
        seen[gradient_of("input")] = leaf.grad
    for name, model in watch.items():
        tensor = find(module, name)
        is_parameter = isinstance(tensors[name], torch.nn.Parameter)
        seen[Place("{name}", name=name)] = missing(module, name) if tensor is None else like(model, tensor)
        if upstream is not None and (is_parameter or tensor is None):
            seen[gradient_of("{name}", name=name)] = None if tensor is None or tensor.grad is None else like(model, tensor.grad)
    return seen


def function_call(
    impl: Any, function: str, args: Sequence[Any], kwargs: Mapping[str, Any], upstream: torch.Tensor | None = None
) -> dict[str, Any]:
    """Call a function once; go back once where there is a gradient `upstream` of its result."""
    leaves = [argument.clone() if isinstance(argument, torch.Tensor) else argument for argument in args]
    inputs = {number: leaf for number, leaf in enumerate(leaves, 1) if isinstance(leaf, torch.Tensor)}
    for leaf in inputs.values():
        leaf.requires_grad_(upstream is not None and leaf.is_floating_point())
    given = [leaf.clone() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
    result = getattr(impl, function)(*given, **kwargs)
    seen: dict[str, Any] = {Place("argument {number} left alone", number=number): given[number - 1].detach().clone() for number in inputs}
    seen |= parts(result)
    if upstream is not None:
        go_back(result, upstream)
        seen |= {gradient_of("argument {number}", number=number): leaf.grad for number, leaf in inputs.items() if leaf.requires_grad}
    return seen


def fill(module: torch.nn.Module, state: Mapping[str, torch.Tensor]) -> None:
    """Copy `state` into the layer, name by name; the whole layer takes the dtype of its state."""
    dtypes = {value.dtype for value in state.values() if value.is_floating_point()}
    for dtype in dtypes - {torch.get_default_dtype()}:
        module.to(dtype)
    for name, value in state.items():
        tensor = find(module, name)
        if tensor is not None and tensor.numel() == value.numel():
            with torch.no_grad():
                tensor.copy_(value.reshape(tensor.shape))


def find(module: torch.nn.Module, name: str) -> torch.Tensor | None:
    """The tensor of that name, or of one of its aliases; None where the layer has neither."""
    for known in (name, *ALIASES.get(name, ())):
        try:
            tensor = attrgetter(known)(module)
        except AttributeError:
            continue
        if isinstance(tensor, torch.Tensor):
            return tensor
    return None


def missing(module: torch.nn.Module, name: str) -> str:
    """What to say of a tensor that is not there."""
    there = [*dict(module.named_parameters()), *dict(module.named_buffers())]
    return f"no {name}; the layer has {', '.join(there) or 'no parameters and no buffers'}"


def like(model: torch.Tensor, tensor: torch.Tensor) -> torch.Tensor:
    """The tensor in the contract's shape and dtype, if it has as many elements: (1, C, 1, 1) is as good as (C,), float64 as float32."""
    return tensor.detach().clone().reshape(model.shape).to(model.dtype) if tensor.numel() == model.numel() else tensor.detach().clone()


def in_other_order(x: torch.Tensor) -> torch.Tensor:
    """The same numbers, kept in memory in another order, so that `view` on them fails."""
    return x.transpose(0, -1).contiguous().transpose(0, -1)


def go_back(output: Any, upstream: torch.Tensor) -> None:
    """Give every tensor that led to `output` its gradient, when that of `output` is `upstream`."""
    if isinstance(output, torch.Tensor) and output.shape == upstream.shape and output.requires_grad:
        (output * upstream).sum().backward()  # type: ignore[no-untyped-call]


def parts(result: Any) -> dict[str, Any]:
    """The parts of a tuple or a named tuple, each at a place of its own."""
    if not isinstance(result, tuple):
        return {Place("result"): result}
    named = [Place("result.{name}", name=name) for name in getattr(result, "_fields", ())]
    return dict(zip(named or [Place("result[{index}]", index=index) for index in range(len(result))], result, strict=True))
