"""The `Backend` for submissions that are written with PyTorch: see `play.py`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch._tensor_str import PRINT_OPTS

from normgrade.course.ban import Ban
from normgrade.probes import layers as probes
from normgrade.probes.results import Estimate
from normgrade.worker.untrusted import by_hand
from normgrade.worker.wire.observation import Array, Foreign, Playable, Reason, Value, type_name
from normgrade.worker.wire.packing import DTYPES
from normgrade.worker.wire.requests import Action, LayerStep, LayerStory

__all__ = [
    "EXAMPLE", "enforce", "find_banned", "first_step", "given", "many_steps", "probes", "seen", "settle",
    "use_one_thread",
]  # fmt: skip

EXAMPLE = """
import torch
from torch import nn

class Layer(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.register_buffer("seen", torch.zeros(features))

    def forward(self, x):
        mean, var = x.mean(dim=-1, keepdim=True), x.var(dim=-1, keepdim=True, correction=0)
        with torch.no_grad():
            self.seen.lerp_(x.mean(dim=0), 0.1)
        return (x - mean) * torch.rsqrt(var + 1e-5) * self.weight
"""
PRINTED = {**vars(PRINT_OPTS)}  # PyTorch's settings when it is imported
PLAIN = {getattr(torch, name): name for name in DTYPES}


def settle(dtype: str, seed: int) -> None:
    """See `Backend.settle`."""
    torch.default_generator.manual_seed(seed)  # only the CPU's: torch.manual_seed seeds other devices too, and takes 1.5 ms
    torch.set_default_dtype(getattr(torch, dtype))
    torch.set_grad_enabled(True)
    torch.set_num_threads(1)
    if torch.are_deterministic_algorithms_enabled():  # checked first, because the call below imports 800 modules
        torch.use_deterministic_algorithms(False)
    torch.autograd.set_detect_anomaly(False)
    torch.set_flush_denormal(False)
    if torch.get_float32_matmul_precision() != "highest":
        torch.set_float32_matmul_precision("highest")
    if vars(PRINT_OPTS) != PRINTED:
        vars(PRINT_OPTS).update(PRINTED)


def given(array: Array) -> torch.Tensor:
    """Return an array as a tensor: see `Backend.given`."""
    tensor = torch.from_numpy(np.array(array.values))
    return tensor.to(torch.bfloat16) if array.dtype == "bfloat16" else tensor  # NumPy has no bfloat16


def seen(thing: object, size_limit_bytes: int | None) -> Value | None:
    """Return a plain tensor, or an estimate of one, as numbers, and any other tensor as its description: see `Backend.seen`."""
    match thing:
        case torch.Tensor():
            return tensor_value(thing, size_limit_bytes)
        case Estimate(torch.Tensor(ndim=dimensions) as value, error) if dimensions:
            found = tensor_value(value, size_limit_bytes)
            return replace(found, error=float(error)) if isinstance(found, Array) else found
    return None


def tensor_value(tensor: torch.Tensor, size_limit_bytes: int | None) -> Array | Foreign:
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        return Foreign(Reason.SUBCLASS, type_name(tensor))
    name = PLAIN.get(tensor.dtype)
    if name is None or tensor.layout is not torch.strided or not tensor.is_cpu:
        return in_form(Reason.FORM, tensor)
    if size_limit_bytes is not None and tensor.nbytes > size_limit_bytes:
        return in_form(Reason.SIZE, tensor)
    plain = tensor.detach().resolve_neg()
    return Array(np.array((plain.float() if name == "bfloat16" else plain).numpy(), order="C"), name)


def in_form(reason: Reason, tensor: torch.Tensor) -> Foreign:
    """Describe a tensor that cannot be sent."""
    return Foreign(reason, type_name(tensor), str(tensor.dtype)[6:], tuple(tensor.shape), str(tensor.layout), str(tensor.device))


def first_step() -> Playable:
    """See `Backend.first_step`."""
    return small_story(Action.TRAIN)


def many_steps() -> Sequence[Playable]:
    """See `Backend.many_steps`."""
    x, weight = (Array(np.ones(shape, np.float16), "float16") for shape in ((2, 3), (3,)))
    state = {"weight": weight, "seen": weight}
    steps = [
        LayerStep.on(Action.TRAIN, x, upstream=x, view="strided", frozen=True, witness=True),
        LayerStep.on(Action.TRAIN, x, upstream=x, view="expanded"),
        *(LayerStep.on(Action.EVALUATE, x, gradients=mode) for mode in ("no_grad", "inference_mode")),
        *(LayerStep(action) for action in (Action.COPY, Action.PICKLE, Action.SWAP, Action.RELOAD, Action.SETTINGS)),
        *(LayerStep(action, state=state) for action in (Action.CHANGE, Action.LOAD)),
        LayerStep(Action.LEARN, rate=0.5),
    ]
    long = LayerStory("Layer", [3], dtype="float16", state=state, watch=[*state], steps=steps)
    return [small_story(Action.EVALUATE), small_story(Action.TRAIN, features=4), long]  # the second one raises


def small_story(action: Action, features: int = 3) -> LayerStory:
    """Return a small request. The layer raises unless there are three features."""
    x, weight = (Array(np.ones(shape, np.float32), "float32") for shape in ((2, features), (3,)))
    step = LayerStep(action, x, scattered=True, upstream=x)
    return LayerStory("Layer", [3], state={"weight": weight, "seen": weight}, watch=["weight", "seen"], steps=[step])


def use_one_thread() -> None:
    """See `Backend.use_one_thread`."""
    torch.set_num_threads(1)
    torch.set_num_interop_threads(1)


def find_banned(ban: Ban) -> None:
    """Find the banned operations and functions of PyTorch and NumPy: see `Backend.find_banned`."""
    by_hand.find_banned(ban)


def enforce(ban: Ban) -> None:
    """Make the banned parts of PyTorch and NumPy raise, forbid banned libraries, and leave code uncompiled: see `Backend.enforce`."""
    by_hand.enforce(ban)
    leave_uncompiled()


# Without a compiler: walls allow none, and numbers are the same without one


def leave_uncompiled() -> None:
    """Make `torch.compile` and `Module.compile` do nothing in this process, for good."""
    torch.compile = given_back
    torch.nn.Module.compile = nothing  # type: ignore[method-assign, assignment]


def given_back(model: Any = None, **options: Any) -> Any:
    """Return the model as it is; without one, return a decorator that leaves a function as it is.

    >>> given_back(len) is len, given_back(fullgraph=True)(len) is len
    (True, True)
    """
    return model if model is not None else given_back


def nothing(module: torch.nn.Module, *args: Any, **options: Any) -> None:
    """Stand in for `Module.compile`."""
