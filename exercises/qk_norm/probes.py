"""How your attention is looked at. Its projections start with random numbers, so that layers are compared with fixed ones in their place;
`new` looks at those that they really start with."""

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from normgrade.probes import Place

PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")
SUMS, LENGTHS = ("sum", "mean"), ("linalg_vector_norm", "norm")


def attention(impl, *args, **kwargs):
    """A QKNormAttention whose projections start with numbers that are always the same. Random numbers are as they were before."""
    before = torch.get_rng_state()
    layer = impl.QKNormAttention(*args, **kwargs)
    torch.set_rng_state(before)
    for number, name in enumerate(PROJECTIONS):
        weight = getattr(getattr(layer, name, None), "weight", None)
        if isinstance(weight, torch.Tensor):
            order = torch.arange(weight.numel()) * 37 + 17 * number
            weight.data.copy_(((order % 101 - 50) / 64 + 1 / 128).reshape(weight.shape))
    return layer


def rotary(impl, *args, **kwargs):
    """The same, which is called with cos and sin. The angle of each pair is the number of the position, from 1, times a frequency."""
    layer = attention(impl, *args, **kwargs)
    dim, heads = (kwargs.get(name, given) for name, given in zip(("dim", "heads"), (*args, None, None)[:2], strict=True))
    layer.register_forward_pre_hook(Tables(dim // heads))
    return layer


def rotary_by_name(impl, *args, **kwargs):
    """The same, where cos and sin are given by name."""
    layer = attention(impl, *args, **kwargs)
    layer.register_forward_pre_hook(Tables(args[0] // args[1], by_name=True), with_kwargs=True)
    return layer


def tables(x, size, times=1.0):
    """cos and sin of x's length, in its dtype."""
    frequencies = 30.0 ** -(np.arange(size // 2) / (size // 2))
    angles = times * np.arange(1, x.shape[1] + 1)[:, None] * np.tile(frequencies, 2)
    return [torch.from_numpy(table).to(x.dtype) for table in (np.cos(angles), np.sin(angles))]


class Tables:
    """Adds cos and sin to what a layer is called with: those of x's length, in its dtype."""

    def __init__(self, size, by_name=False):
        self.size, self.by_name = size, by_name

    def __call__(self, layer, args, kwargs=None):
        x = args[0]
        cos, sin = tables(x, self.size)
        return ((x,), {"sin": sin, "cos": cos}) if self.by_name else (x, cos, sin)


def other_angles(impl, x, heads, per_head):
    """Call one layer with several angles at the same length: twice in tensors of their own, then in the same ones, and last in another
    order in memory."""
    layer, size, seen = attention(impl, x.shape[-1], heads, per_head), x.shape[-1] // heads, {}
    layer = layer.to(x.dtype)
    given = tables(x, size)
    with torch.no_grad():
        for number, times in enumerate((1.0, 0.5, 2.0, 0.25)):
            new = tables(x, size, times)
            given = [was.copy_(now) for was, now in zip(given, new, strict=True)] if number == 2 else new
            if number == 3:
                given = [each.mT.contiguous().mT for each in new]
            seen[Place("output with angles times {factor}", factor=times)] = layer(x, *given)
            alike = all(torch.equal(was, now) for was, now in zip(given, new, strict=True))
            seen[Place("angles times {factor} left alone", factor=times)] = alike
    return seen


BUILDERS = {"attention": attention, "rotary": rotary, "rotary_by_name": rotary_by_name}


def new(impl, dim, heads, per_head):
    """Build a layer, and look at its projections and its state dict. torch.nn.Linear draws from −1/√dim to 1/√dim."""
    layer, seen, weights = impl.QKNormAttention(dim, heads, per_head), {}, []
    for name in PROJECTIONS:
        found = getattr(layer, name, None)
        linear = isinstance(found, torch.nn.Linear)
        seen[Place("{name} is a torch.nn.Linear without bias", name=name)] = linear and found.bias is None
        if linear:
            weights.append(found.weight.detach().flatten())
            largest = weights[-1].abs().max().item() * dim**0.5
            seen[Place("{name} is drawn as torch.nn.Linear draws", name=name)] = 0.9 < largest <= 1.0001
    state = layer.state_dict()
    seen["keys of the state dict"] = " ".join(sorted(state))
    seen["learnable numbers"] = sum(parameter.numel() for parameter in layer.parameters() if parameter.requires_grad)
    different = {tuple(weight[:8].tolist()) for weight in weights}
    seen["projections with numbers of their own"] = len(different)
    torch.manual_seed(0)
    first = impl.QKNormAttention(dim, heads, per_head).state_dict()
    torch.manual_seed(1)
    second = impl.QKNormAttention(dim, heads, per_head).state_dict()
    seen["random numbers drawn anew"] = sum(not torch.equal(first[key], second[key]) for key in first if key in second)
    return seen


class NarrowSquares(TorchDispatchMode):
    """Looks whether so many squares or more are summed up or averaged in half precision: numbers none of which is negative. Products of
    queries and keys have both signs, and may be summed in any precision."""

    def __init__(self, least):
        super().__init__()
        self.least, self.found = least, False

    @classmethod
    def _should_skip_dynamo(cls):
        return False

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        name = function.overloadpacket.__name__
        if name in SUMS + LENGTHS and result.dtype in (torch.float16, torch.bfloat16):
            many = args[0].numel() >= self.least * result.numel()
            self.found |= many and (name in LENGTHS or bool((args[0] >= 0).all()))
        return result


def narrow(impl, x, heads, per_head, dtype):
    """Call it in half precision. No squares of a head are summed or averaged in that dtype."""
    half = getattr(torch, dtype)
    layer = attention(impl, x.shape[-1], heads, per_head).to(half)
    with torch.no_grad(), NarrowSquares(x.shape[-1] // heads) as looked:
        layer(x.to(half))
    return {"statistics in float32 or wider": not looked.found}


def many_features(impl, x, heads, per_head):
    """Call it on positions of many features, without gradients, which would be millions of numbers."""
    layer = attention(impl, x.shape[-1], heads, per_head).to(x.dtype)
    with torch.no_grad():
        return {"output": layer(x)}
