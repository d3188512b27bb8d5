"""How your stack is looked at, beyond calling it and going back through it.

Its norms are found as the contract says: `norm_1` is the first LayerNorm that `modules()` gives, without those inside of sublayers.
"""

import torch
from shared_probes import given_to_sublayers, in_half_precision, kinds_of_norms, new_stack, what_sublayers_return, with_norms


def stack(impl, *args, **kwargs):
    """A MixNormStack whose norms are found by number."""
    return with_norms(impl.MixNormStack, *args, **kwargs)


BUILDERS = {"MixNormStack": stack}


def builder(impl, dim, ratio):
    """How a stack is built from a list of sublayers."""
    return lambda sublayers: stack(impl, dim, sublayers, ratio)


def given(impl, x, upstream, count, ratio):
    """Give it functions that keep what they are given, and call it in both modes, with gradients and without."""
    return given_to_sublayers(builder(impl, x.shape[-1], ratio), x, count, upstream)


def returned(impl, x, upstream, ratio):
    """Give it sublayers that return the tensor that they were given, and others that still need what they return."""
    return what_sublayers_return(builder(impl, x.shape[-1], ratio), x, upstream)


def new(impl, training, x, count, ratio):
    """What a new one holds, and how it calls Modules."""
    return new_stack(builder(impl, x.shape[-1], ratio), count, training, x)


def norms(impl, dim, count, ratio):
    """Look at the norms of a new one."""
    return kinds_of_norms(builder(impl, dim, ratio)([torch.nn.Tanh() for _ in range(count)]))


def narrow(impl, x, dtype, ratio):
    """Call it in half precision."""
    return in_half_precision(builder(impl, x.shape[-1], ratio), x, dtype)


def shared(impl, x):
    """Give one Module to two stacks, as networks do whose layers share their weights: it is neither copied nor changed."""
    dim = x.shape[-1]
    sublayer = torch.nn.Linear(dim, dim, dtype=torch.bfloat16)
    sublayer.bias.requires_grad_(False)
    stacks = [impl.MixNormStack(dim, [torch.nn.Tanh(), sublayer], ratio) for ratio in (0.5, 1.0)]
    seen = {"the sublayer left alone": sublayer.weight.dtype is torch.bfloat16 and sublayer.training and not sublayer.bias.requires_grad}
    theirs = {id(parameter) for parameter in sublayer.parameters()}
    for each in stacks:
        theirs &= {id(parameter) for parameter in each.parameters()}
    return seen | {"parameters of the sublayer that both share": len(theirs)}
