"""How your layer is looked at, beyond calling it and going back through it. Its first weight is your own random numbers."""

import random

import numpy as np
import torch

from normgrade.probes import Place, Witness, called, fill, find


def cosine_linear(impl, *args, **kwargs):
    """A `CosineLinear`. Building it may draw random numbers, which are put back; from then on nothing is drawn."""
    states = torch.get_rng_state(), random.getstate(), np.random.get_state()
    layer = impl.CosineLinear(*args, **kwargs)
    torch.set_rng_state(states[0])
    random.setstate(states[1])
    np.random.set_state(states[2])
    return layer


BUILDERS = {"cosine_linear": cosine_linear}


def new(impl, x, out_features):
    """Build a layer, read its state dict, and call it on x with the weight that it was built with."""
    layer = impl.CosineLinear(x.shape[-1], out_features)
    state, parameters = layer.state_dict(), dict(layer.named_parameters())
    key = next((key for key in called("weight") if key in state), None)
    weight = None if key is None else state[key].detach().clone()
    first, second = (drawn(impl, seed) for seed in (1, 2))
    return {
        Place("key of {name}", name="weight"): key,
        Place("{name} is a parameter", name="weight"): None if key is None else key in parameters,
        Place("shape of {name}", name="weight"): None if weight is None else str(tuple(weight.shape)),
        "the output is that of the first weight": is_cosine(layer(x), x, weight),
        "rows of the first weight that are no direction": None if weight is None else sum(not 0 < row.norm() < 1e30 for row in weight),
        "rows of the first weight with the same direction": None if weight is None else pairs(weight),
        "the first weight is drawn at random": first[0] != second[0],
        "random numbers go on after building": all(one != other for one, other in zip(first[1:], second[1:], strict=True)),
        Place("further keys of the state dict"): ", ".join(name for name in state if name != key),
        Place("further parameters"): ", ".join(name for name in parameters if name != key),
    }


def is_cosine(output, x, weight):
    """Whether the output has the cosines of x and the rows of the weight, to five digits."""
    if weight is None or weight.shape[-1:] != x.shape[-1:] or output.shape != (*x.shape[:-1], len(weight)):
        return False
    lengths = x.double().norm(dim=-1, keepdim=True) * weight.double().norm(dim=-1)
    cosines = x.double() @ weight.double().mT / lengths
    return bool((output.double() - cosines).abs().max() < 1e-5)


def pairs(weight):
    """How many rows point where an earlier one points, or the opposite way."""
    unit = weight.double() / weight.double().norm(dim=-1, keepdim=True)
    return int(((unit @ unit.mT).abs().tril(-1) > 0.9999).any(dim=-1).sum())


def drawn(impl, seed):
    """The first numbers of a weight, and those random numbers that come after it. All depend on the seed, unless it is overwritten."""
    torch.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed)
    weight = find(impl.CosineLinear(5, 4), "weight")
    return None if weight is None else weight.tolist(), float(torch.rand(1)), random.random(), float(np.random.rand())


def precision(impl, x, weight, dtype):
    """In which precision the lengths of the rows are computed, where the weight is in half precision, as x is."""
    layer = cosine_linear(impl, x.shape[-1], len(weight)).to(getattr(torch, dtype))
    fill(layer, {"weight": weight})
    own = find(layer, "weight")
    if own is None:
        return {Place("statistics"): None}
    with Witness(own) as witness:
        layer(x.to(getattr(torch, dtype)))
    return {Place("statistics"): witness.precision}
