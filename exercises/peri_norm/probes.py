"""How your block is looked at, beyond calling it and going back through it. Its norms are the attributes `norm_in` and `norm_out`."""

import torch
from shared_probes import (
    Recorder,
    WithNorms,
    float64_by_default,
    given_to_sublayers,
    in_half_precision,
    kinds_of_norms,
    new_stack,
    what_sublayers_return,
)

from normgrade.probes import Place, go_back


class WithBoth(WithNorms):
    """A block whose norms are found by their names, in whatever order it registers them. The one that a placement lacks may be None, or
    a Module without parameters."""

    def __init__(self, block):
        torch.nn.Module.__init__(self)
        found = {name: getattr(block, name, None) for name in ("norm_in", "norm_out")}
        self.names = [name for name, norm in found.items() if isinstance(norm, torch.nn.LayerNorm)]
        for name in self.names:
            self.add_module(name, found[name])
        self.stack = block


def builder(impl, placement, dim):
    """How a block is built from a list of one sublayer."""
    return lambda sublayers: WithBoth(impl.NormBlock(dim, sublayers[0], placement))


def given(impl, placement, x, upstream):
    """Give it a function that keeps what it is given, and call it in both modes, with gradients and without."""
    built = builder(impl, placement, x.shape[-1])
    received = []
    built([lambda x: received.append(x.dtype) or x]).float()(x.bfloat16())
    seen = given_to_sublayers(built, x, 1, upstream)
    recorder, leaf = Recorder(), x.clone().requires_grad_()
    go_back(built([recorder]).to(x.dtype)(leaf.clone()), upstream)
    seen["calls of the sublayer"] = len(recorder.received)
    return seen | {"half precision reaches the sublayer, norms in float32": received == [torch.bfloat16]}


def returned(impl, placement, x, upstream):
    """Give it sublayers that return the tensor that they were given, and others that still need what they return."""
    return what_sublayers_return(builder(impl, placement, x.shape[-1]), x, upstream)


def new(impl, placement, training, x):
    """What a new one holds, and how it calls a Module."""
    built = builder(impl, placement, x.shape[-1])
    keys = built([torch.nn.Tanh()]).stack.state_dict()
    return new_stack(built, 1, training, x) | {"keys of a block around a Tanh": " ".join(sorted(keys))}


def norms(impl, placement, dim):
    """Look at the norms of a new one, and whether they follow the default dtype."""
    built = builder(impl, placement, dim)
    seen = kinds_of_norms(built([torch.nn.Tanh()]))
    with float64_by_default():
        wide = built([torch.nn.Tanh()])
    return seen | {"norms in the default dtype": all(each.dtype == torch.float64 for each in wide.state_dict().values())}


def narrow(impl, placement, x, dtype):
    """Call it in half precision."""
    return in_half_precision(builder(impl, placement, x.shape[-1]), x, dtype)


def shared(impl, x, placements):
    """Give one Module to several blocks, as networks do whose layers share their weights: it is neither copied nor changed. It is a
    Sequential of a linear layer and a layer norm, in half precision while they are built, and the bias is frozen."""
    dim, calls = x.shape[-1], []
    linear, norm = torch.nn.Linear(dim, dim, dtype=torch.bfloat16), torch.nn.LayerNorm(dim, eps=0.5, dtype=torch.bfloat16)
    linear.bias.requires_grad_(False)
    sublayer = torch.nn.Sequential(linear, norm)
    before = linear.weight.detach().clone()
    built = [impl.NormBlock(dim, sublayer, placement) for placement in placements]
    own = [norm for block in built for name, norm in block.named_children() if name in ("norm_in", "norm_out")]
    seen = {
        Place("{name} left alone", name="dtype of the sublayer"): linear.weight.dtype is torch.bfloat16,
        Place("{name} left alone", name="weight of the sublayer"): torch.equal(linear.weight.detach(), before),
        Place("{name} left alone", name="norm inside of the sublayer"): norm.eps == 0.5,
        Place("{name} left alone", name="mode of the sublayer"): sublayer.training,
        Place("{name} left alone", name="frozen bias of the sublayer"): not linear.bias.requires_grad,
        "norms in the default dtype": all(each.dtype is torch.get_default_dtype() for norm in own for each in norm.parameters()),
    }
    with torch.no_grad():
        for parameter in sublayer.to(x.dtype).parameters():
            parameter.copy_(torch.linspace(-1, 1, parameter.numel()).reshape(parameter.shape))
    sublayer.register_forward_hook(lambda *_: calls.append(1))
    theirs = {id(parameter) for parameter in sublayer.parameters()}
    for placement, block in zip(placements, built, strict=True):
        seen[Place("output of placement {name}", name=placement)] = block.to(x.dtype)(x)
        theirs &= {id(parameter) for parameter in block.parameters()}
    for placement in placements:  # a norm for a sublayer is one as any
        around = impl.NormBlock(dim, norm, placement).to(x.dtype)
        seen[Place("output of placement {name} around a norm", name=placement)] = around(x)
    return seen | {"parameters of the sublayer that all share": len(theirs), "calls of the sublayer": len(calls)}


def bare(impl, placement):
    """Give it a Module without parameters, which has a buffer and a mode: it is part of the block as any other."""
    sublayer = torch.nn.Dropout(0.5)
    sublayer.register_buffer("shift", torch.tensor(0.25))
    block = impl.NormBlock(3, sublayer, placement)
    buffers = block.state_dict(keep_vars=True).values()
    seen = {"the state dict holds what was given": any(each is sublayer.shift for each in buffers)}
    block.eval()
    seen["sublayers that eval() reaches"] = int(not sublayer.training)
    block.train()
    return seen | {"sublayers that train() reaches": int(sublayer.training)}
