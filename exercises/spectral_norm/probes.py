"""How the grader uses your `SpectralNorm`: as the parametrisation of a real layer's weight, by `register_parametrization`.

Your first u and v are your own random numbers, so a run that starts from them is looked at where it has converged. Everything else starts
from a u and a v that the probe fills in. No probe looks at u or v alone: −u and −v are as good.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.parametrize import register_parametrization

from normgrade.probes import BUILD, Estimate, Place, Stopped, go_back, gradient_of, in_other_order

# Other names under which the vectors are often kept. They are understood; the check that plays `new` asks for the right ones.
ALIASES = {"u": ("u", "_u", "weight_u"), "v": ("v", "_v", "weight_v")}
ROUGHLY = 0.1 / 7  # two such estimates may be five times √2 as far apart: as far as half an iteration more may take σ


def new(impl: Any, weight: Tensor) -> dict[str, Any]:
    """Build the parametrisation and measure u and v; then register it, and look for them in the state dict of the layer."""
    layer = layer_with(weight)
    norm = impl.SpectralNorm(layer.weight)
    first = {name: vector(norm, name) for name in "uv"}
    seen: dict[str, Any] = {Place("length of {name}", name=name): length(tensor) for name, tensor in first.items()}
    for name, tensor in first.items():
        seen[Place("{name} needs a gradient", name=name)] = None if tensor is None else tensor.requires_grad
    register_parametrization(layer, "weight", norm)
    state, parameters = layer.state_dict(), dict(layer.named_parameters())
    for name in "uv":
        keys = [f"parametrizations.weight.0.{known}" for known in ALIASES[name]]
        key = next((key for key in keys if key in state), None)
        seen |= {
            Place("key of {name}", name=name): key,
            Place("{name} is a parameter", name=name): None if key is None else key in parameters,
            Place("dimensions of {name}", name=name): None if key is None else state[key].dim(),
            Place("numbers in {name}", name=name): None if key is None else state[key].numel(),
        }
    vectors = [f"parametrizations.weight.0.{each}" for names in ALIASES.values() for each in names]
    known = {"bias", "weight", "parametrizations.weight.original", *vectors}
    seen[Place("further keys of the state dict")] = ", ".join(name for name in state if name not in known)
    seen[Place("further parameters")] = ", ".join(name for name in parameters if name not in known)
    seen[Place("random numbers go on after building")] = len({drawn_after_building(impl, weight, seed) for seed in (1, 2)}) > 1
    return seen


def drawn_after_building(impl: Any, weight: Tensor, seed: int) -> float:
    """The first random number after a parametrisation was built. It depends on the seed before, unless that is overwritten."""
    torch.manual_seed(seed)
    impl.SpectralNorm(weight)
    return float(torch.rand(1))


def story(
    impl: Any,
    weight: Tensor,
    actions: Sequence[tuple[str, int]],
    watch: Sequence[str],
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    u: Tensor | None = None,
    v: Tensor | None = None,
    upstream: Tensor | None = None,
    other: Tensor | None = None,
    scattered: bool = False,
    by_hand: bool = False,
    frozen: bool = False,
    inference: bool = False,
) -> dict[str, Any]:
    """Parametrise a layer that has this weight, fill in `u` and `v` where they are given, then take the actions in order.

    An action is one of six things, done so many times: `train` or `evaluate` read the layer's weight in that mode, each reading being one
    forward of yours, and the last one is looked at, with a backward pass from the gradient `upstream` where there is one. `change` writes
    the weight `other` over the original one in place, as an optimiser does, and the next `change` writes the first weight back; `replace`
    makes `other` the original one, a new parameter.
    `reload` builds a layer with the weight `other` and hands the state dict over; `copy` goes on with a deep copy of the layer. `scattered`
    keeps the weight in memory in another order, so that `view` on it fails. `by_hand` sets `training` itself, without `train()`.
    `frozen` freezes the weight; with `inference` it is read under `inference_mode`.
    """
    seen: dict[str, Any] = {}
    step: int | str = BUILD
    try:
        layer = parametrised(impl, in_other_order(weight) if scattered else weight, args, kwargs)
        fill(layer, u, v)
        original_of(layer).requires_grad_(not frozen)
        for step, (do, times) in enumerate(actions, 1):
            match do:
                case "change":
                    with torch.no_grad():
                        original_of(layer).copy_(other)
                    weight, other = other, weight
                case "replace":
                    layer.parametrizations.weight.original = nn.Parameter(other)
                case "reload":
                    state = layer.state_dict()
                    layer = parametrised(impl, other, args, kwargs)
                    layer.load_state_dict(state)
                case "copy":
                    layer = deepcopy(layer)
                case "train" | "evaluate":
                    put_into_mode(layer, do == "train", by_hand)
                    views = {str(place): (place, value) for place, value in read(layer, times, upstream, inference).items()}
                    seen |= {place.at(step): value for place, value in map(views.__getitem__, watch)}
    except BaseException as error:
        raise Stopped(step, seen) from error
    return seen


def put_into_mode(layer: nn.Module, training: bool, by_hand: bool) -> None:
    """Call `train()` or `eval()`, where the layer is in the other mode; `by_hand` sets the attribute of every module instead."""
    if by_hand:
        for module in layer.modules():
            module.training = training
    elif layer.training != training:
        layer.train(training)


def read(layer: Any, times: int, upstream: Tensor | None, inference: bool) -> dict[Place, Any]:
    """Read the weight so many times, go back from the last reading, and look at everything."""
    original, norm = original_of(layer), layer.parametrizations.weight[0]
    given = original.detach().clone()
    original.grad = None
    wanted = not inference and (layer.training or upstream is not None)  # mere evaluation goes without
    with torch.inference_mode(inference), torch.set_grad_enabled(wanted):
        for _ in range(times):
            weight = layer.weight
    if upstream is not None:
        go_back(weight, upstream)
    u, v = vector(norm, "u"), vector(norm, "v")
    return {
        Place("weight"): weight,
        Place("{name}", name="σ"): divisor(given, weight),
        gradient_of("the original weight"): original.grad,
        Place("length of the gradient"): length(original.grad),
        Place("original weight left alone"): original.detach().clone(),
        Place("{name} left alone", name="u"): None if u is None else u.detach().flatten().to(given.dtype, copy=True),
        Place("{name} left alone", name="v"): None if v is None else v.detach().flatten().to(given.dtype, copy=True),
        Place("length of {name}", name="u"): length(u),
        Place("length of {name}", name="v"): length(v),
        Place("length of {one} × length of {other}", one="u", other="v"): None if u is None or v is None else length(u) * length(v),
        Place("{name}", name="u vᵀ"): None
        if u is None or v is None
        else torch.outer(u.detach().flatten(), v.detach().flatten()).to(given.dtype),
    }


def both_modes(impl: Any, weight: Tensor, u: Tensor, v: Tensor, upstream: Tensor) -> dict[str, Any]:
    """Read the weight in training, and then in evaluation, with the very u and v that training left: σ and the gradient are the same."""
    layer = parametrised(impl, weight)
    fill(layer, u, v)
    seen = {}
    for mode in ("training", "evaluation"):
        layer.train(mode == "training")
        original_of(layer).grad = None
        seen[mode] = layer.weight
        go_back(seen[mode], upstream)
        seen[f"gradient in {mode}"] = original_of(layer).grad
    return {
        Place("{name}", name="σ"): roughly(divisor(weight, seen["training"])),
        "distance of the weights in training and in evaluation": apart(seen["training"], seen["evaluation"]),
        "distance of the gradients in training and in evaluation": apart(seen["gradient in training"], seen["gradient in evaluation"]),
    }


def two_readings(
    impl: Any, weight: Tensor, u: Tensor, v: Tensor, upstream: Tensor, first: str = "train", n_power_iterations: int = 1
) -> dict[str, Any]:
    """Read the weight twice, the second time in training: with a backward pass after each reading, and with one for both at the end, as
    GANs do. `first` is what the first reading does: `train` or `evaluate`.

    The gradients add up to the same.
    """
    layer = parametrised(impl, weight, kwargs={"n_power_iterations": n_power_iterations})
    original = original_of(layer)

    def readings() -> Iterator[Tensor]:
        fill(layer, u, v)
        for do in (first, "train"):
            layer.train(do == "train")
            yield layer.weight

    for reading in readings():
        go_back(reading, upstream)
    one_by_one, original.grad = original.grad, None
    one, second = readings()
    go_back(one + second, upstream)
    return {
        Place("{name}", name="σ"): roughly(divisor(weight, second)),
        "distance of the gradients one by one and both together": apart(original.grad, one_by_one),
    }


def parametrised(impl: Any, weight: Tensor, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None) -> Any:
    """A layer that has this weight and is parametrised by your `SpectralNorm`. To register it is one forward in training."""
    layer = layer_with(weight)
    return register_parametrization(layer, "weight", impl.SpectralNorm(layer.weight, *args, **(kwargs or {})))


def normed_linear(impl: Any, inputs: int, outputs: int, **named: Any) -> Any:
    """A linear layer whose weight is parametrised by your `SpectralNorm`, with its arguments that are `named`.

    It may draw its first u and v; a forward draws nothing.
    """
    states = torch.get_rng_state(), random.getstate(), np.random.get_state()
    layer = nn.Linear(inputs, outputs)
    register_parametrization(layer, "weight", impl.SpectralNorm(layer.weight, **named))
    torch.set_rng_state(states[0])
    random.setstate(states[1])
    np.random.set_state(states[2])
    return layer


BUILDERS = {"normed_linear": normed_linear}


def layer_with(weight: Tensor) -> Any:
    """A linear or convolutional layer that has this weight; for one dimension, or more than five, a module of nothing else."""
    match list(weight.shape):
        case [out, inputs]:
            layer: Any = nn.Linear(inputs, out, bias=False)
        case [out, inputs, kernel]:
            layer = nn.Conv1d(inputs, out, kernel, bias=False)
        case [out, inputs, *kernel] if len(kernel) in (2, 3):
            layer = {2: nn.Conv2d, 3: nn.Conv3d}[len(kernel)](inputs, out, tuple(kernel), bias=False)
        case _:
            layer = nn.Module()
    layer.weight = nn.Parameter(weight.clone())
    return layer


def original_of(layer: Any) -> Any:
    """The parameter that is trained: what your `forward` is given."""
    return layer.parametrizations.weight.original


def vector(norm: nn.Module, name: str) -> Tensor | None:
    """u or v, under one of its names; None where there is none."""
    tensors = (getattr(norm, known, None) for known in ALIASES[name])
    return next((tensor for tensor in tensors if isinstance(tensor, Tensor)), None)


def fill(layer: Any, u: Tensor | None, v: Tensor | None) -> None:
    """Copy numbers into u and v, whatever their shape is."""
    for name, numbers in (("u", u), ("v", v)):
        tensor = vector(layer.parametrizations.weight[0], name)
        if numbers is not None and tensor is not None and tensor.numel() == numbers.numel():
            with torch.no_grad():
                tensor.copy_(numbers.reshape(tensor.shape))


def length(tensor: Tensor | None) -> Any:
    return None if tensor is None else float(torch.linalg.vector_norm(tensor.detach().double()))


def divisor(given: Tensor, weight: Tensor) -> float:
    """What the given weight was divided by."""
    return float((given * given).sum() / (given * weight.detach()).sum())


def roughly(number: float) -> Estimate:
    return Estimate(number, abs(number) * ROUGHLY)


def apart(one: Tensor | None, other: Tensor | None) -> float | None:
    """The distance of the two, relative to the length of the other."""
    if one is None or other is None:
        return None
    return float((torch.linalg.vector_norm(one - other) / torch.linalg.vector_norm(other)).detach())
