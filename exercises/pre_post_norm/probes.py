"""How your blocks and your stack are looked at, beyond calling them and going back through them.

The norms of a stack are found as the contract says: `norm_1` is the first LayerNorm that `modules()` gives, `norm` the attribute.
"""

import torch
from shared_probes import (
    float64_by_default,
    given_to_sublayers,
    in_half_precision,
    kinds_of_norms,
    new_stack,
    what_sublayers_return,
    with_norms,
)

from normgrade.probes import Place


def stack(impl, *args, **kwargs):
    """A PreNormStack whose norms are found by number."""
    return with_norms(impl.PreNormStack, *args, final=True, **kwargs)


BUILDERS = {"PreNormStack": stack}


def builder(impl, kind, dim):
    """How a block or a stack of that kind is built from a list of sublayers, of which a block takes the first."""
    if kind == "PreNormStack":
        return lambda sublayers: stack(impl, dim, sublayers)
    return lambda sublayers: with_norms(lambda dim, given: getattr(impl, kind)(dim, given[0]), dim, sublayers, final=True)


def given(impl, kind, x, upstream, count=1):
    """Give it functions that keep what they are given, and call it in both modes, with gradients and without."""
    built = builder(impl, kind, x.shape[-1])
    received = []
    built([lambda x: received.append(x.dtype) or x] * count).float()(x.bfloat16())
    seen = given_to_sublayers(built, x, count, upstream)
    return seen | {"half precision reaches the sublayers, norms in float32": received == [torch.bfloat16] * count}


def returned(impl, kind, x, upstream):
    """Give it sublayers that return the tensor that they were given, and others that still need what they return."""
    return what_sublayers_return(builder(impl, kind, x.shape[-1]), x, upstream)


def new(impl, kind, training, x, count=1):
    """What a new one holds, and how it calls Modules."""
    built = builder(impl, kind, x.shape[-1])
    keys = built([torch.nn.Tanh() for _ in range(count)]).stack.state_dict()
    return new_stack(built, count, training, x) | {"norm.weight is a key": "norm.weight" in keys, "norm.bias is a key": "norm.bias" in keys}


def norms(impl, kind, dim, count=1):
    """Look at the norms of a new one, and whether they follow the default dtype."""
    built = builder(impl, kind, dim)
    seen = kinds_of_norms(built([torch.nn.Tanh() for _ in range(count)]))
    with float64_by_default():
        wide = built([torch.nn.Tanh() for _ in range(count)])
    return seen | {"norms in the default dtype": all(each.dtype == torch.float64 for each in wide.state_dict().values())}


def narrow(impl, kind, x, dtype):
    """Call it in half precision."""
    return in_half_precision(builder(impl, kind, x.shape[-1]), x, dtype)


def shared(impl, x):
    """Give one Module to a block of each kind and to a stack, as networks do whose layers share their weights: it is neither copied nor
    changed. It is a Sequential of a linear layer and a layer norm, in half precision while they are built, and the bias is frozen."""
    dim, calls = x.shape[-1], []
    linear, norm = torch.nn.Linear(dim, dim, dtype=torch.bfloat16), torch.nn.LayerNorm(dim, eps=0.5, dtype=torch.bfloat16)
    linear.bias.requires_grad_(False)
    sublayer = torch.nn.Sequential(linear, norm)
    before = linear.weight.detach().clone()
    built = [impl.PostNorm(dim, sublayer), impl.PreNorm(dim, sublayer), impl.PreNormStack(dim, [sublayer, torch.nn.Tanh()])]
    seen = {
        Place("{what} left alone", what="dtype of the sublayer"): linear.weight.dtype is torch.bfloat16,
        Place("{what} left alone", what="weight of the sublayer"): torch.equal(linear.weight.detach(), before),
        Place("{what} left alone", what="norm inside of the sublayer"): norm.eps == 0.5,
        "norms in the default dtype": all(each.norm.weight.dtype is torch.get_default_dtype() for each in built),
        Place("{what} left alone", what="mode of the sublayer"): sublayer.training,
        Place("{what} left alone", what="frozen bias of the sublayer"): not linear.bias.requires_grad,
    }
    with torch.no_grad():
        for parameter in sublayer.to(x.dtype).parameters():
            parameter.copy_(torch.linspace(-1, 1, parameter.numel()).reshape(parameter.shape))
    sublayer.register_forward_hook(lambda *_: calls.append(1))
    theirs = {id(parameter) for parameter in sublayer.parameters()}
    for number, each in enumerate(built, 1):
        seen[Place("output of block {number}", number=number)] = each.to(x.dtype)(x)
        theirs &= {id(parameter) for parameter in each.parameters()}
    for number, kind in enumerate(("PostNorm", "PreNorm", "PreNormStack"), len(built) + 1):  # a norm for a sublayer is one as any
        seen[Place("output of block {number}", number=number)] = builder(impl, kind, dim)([norm]).to(x.dtype)(x)
    return seen | {"parameters of the sublayer that all share": len(theirs), "calls of the sublayer": len(calls)}


def bare(impl, kind):
    """Give it a Module without parameters, which has a buffer and a mode alone: it is part of the block as any other."""
    sublayer = torch.nn.Dropout(0.5)
    sublayer.register_buffer("shift", torch.tensor(0.25))
    block = builder(impl, kind, 3)([sublayer]).stack
    buffers = block.state_dict(keep_vars=True).values()
    seen = {"the state dict holds what was given": any(each is sublayer.shift for each in buffers)}
    block.eval()
    seen["sublayers that eval() reaches"] = int(not sublayer.training)
    block.train()
    return seen | {"sublayers that train() reaches": int(sublayer.training)}
