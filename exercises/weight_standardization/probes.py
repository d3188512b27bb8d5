"""How your layer is looked at, beyond calling it and going back through it. Its first weight is your own random numbers."""

import random

import numpy as np
import torch

from normgrade.probes import Estimate, Place, Witness, fill, find


def ws_conv(impl, *args, **kwargs):
    """A `WSConv2d`. Building it may draw random numbers, which are put back; from then on nothing is drawn."""
    torch.backends.mkldnn.enabled = False  # it compiles code for each new shape, which takes longer than these small convolutions
    torch.backends.nnpack.set_flags(False)  # in large batches it is fast, and right to three digits
    states = torch.get_rng_state(), random.getstate(), np.random.get_state()
    layer = impl.WSConv2d(*args, **kwargs)
    torch.set_rng_state(states[0])
    random.setstate(states[1])
    np.random.set_state(states[2])
    return layer


BUILDERS = {"ws_conv": ws_conv}


def new(impl, x, out_channels, bias):
    """Build a layer, look at its first weight and bias, and call it on x. A second layer with the same state dict gives the same."""
    layer, second = (impl.WSConv2d(x.shape[1], out_channels, 3, bias=bias) for _time in range(2))
    weight = find(layer, "weight")
    shown = filters_of(impl.WSConv2d(x.shape[1], out_channels, 3, bias=False), (x.shape[1], 3, 3), x.dtype)
    first, other = layer(x), (second.load_state_dict(layer.state_dict()), second(x))[1]
    drawn = [drawn_with(impl, seed) for seed in (1, 2)]
    return {
        "the output is that of the first weight": first.shape == other.shape and torch.equal(first, other),
        "with bias=False, bias is None": getattr(impl.WSConv2d(x.shape[1], 2, 3, bias=False), "bias", "missing") is None,
        "the first output is finite": bool(first.isfinite().all()),
        "a new layer convolves with filters of mean 0": bool((shown.mean(0).abs() < 1e-3 * shown.std(0)).all()),
        "filters of the first weight that are constant": None if weight is None else sum(not 0 < each.std() < 1e30 for each in weight),
        "filters of the first weight that are standardised to the same": None if weight is None else pairs(weight),
        "the first weight is drawn at random": drawn[0][0] != drawn[1][0],
        "random numbers go on after building": all(one != other for one, other in zip(drawn[0][1:], drawn[1][1:], strict=True)),
    }


@torch.no_grad()
def filters_of(layer, shape, dtype):
    """The filters of a layer without bias, as columns: each image has a single 1, and so shows one number of every filter."""
    number = torch.Size(shape).numel()
    return layer(torch.eye(number, dtype=dtype).reshape(number, *shape)).reshape(number, -1).double()


def pairs(weight):
    """How many filters are an earlier one, or the opposite of one, but for their means and scales."""
    rows = weight.detach().double().flatten(1)
    rows = rows - rows.mean(1, keepdim=True)
    rows = rows / rows.norm(dim=1, keepdim=True)
    return int(((rows @ rows.mT).abs().tril(-1) > 0.9999).any(dim=-1).sum())


def drawn_with(impl, seed):
    """The first numbers of a weight, and those random numbers that come after it. All depend on the seed, unless it is overwritten."""
    torch.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed)
    weight = find(impl.WSConv2d(3, 4, 2), "weight")
    return None if weight is None else weight.tolist(), float(torch.rand(1)), random.random(), float(np.random.rand())


class StatisticsOfWeights(Witness):
    """It observes the precision of sums over numbers that come from a weight. A sum in which x takes part is the convolution's."""

    def __init__(self, weight, x):
        super().__init__(weight)
        self.of_x = {id(x): x}

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        given = torch.utils._pytree.tree_leaves((args, kwargs or {}))
        if not any(id(each) in self.of_x for each in given):
            return super().__torch_dispatch__(function, types, args, kwargs)
        result = function(*args, **(kwargs or {}))
        self.of_x |= {id(each): each for each in torch.utils._pytree.tree_leaves(result) if isinstance(each, torch.Tensor)}
        return result


def in_half_precision(impl, weight, dtype):
    """A layer whose weight is in half precision, as x is. x has a single 1 in each image, so the output shows one number of every filter
    after another: all of them have a mean of 0 and a deviation of 1, which half precision shows to three digits."""
    out_channels, in_channels, *size = weight.shape
    layer = ws_conv(impl, in_channels, out_channels, tuple(size), bias=False).to(getattr(torch, dtype))
    fill(layer, {"weight": weight})
    number = weight[0].numel()
    x = torch.eye(number, dtype=getattr(torch, dtype)).reshape(number, in_channels, *size)
    own = find(layer, "weight")
    if own is None:
        return {"mean of a filter": None, "deviation of a filter": None, Place("statistics"): None}
    with StatisticsOfWeights(own, x) as witness:
        output = layer(x)
    with torch.no_grad():
        filters = output.reshape(number, out_channels).double()
        mean, deviation = filters.mean(0), filters.std(0, correction=0)
    return {
        "mean of a filter": Estimate(mean, DIGITS[dtype]),
        "deviation of a filter": Estimate(deviation, DIGITS[dtype]),
        Place("statistics"): witness.precision,
    }


DIGITS = {"float16": 2.0**-12, "bfloat16": 2.0**-9, "float32": 2.0**-25}  # half of what a number near 1 is rounded by
