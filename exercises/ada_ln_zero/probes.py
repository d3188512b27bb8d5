"""How the grader uses your AdaLNZeroBlock, beyond calling it and going back through it.

The checks that are the same for all exercises change all inputs in one way, so they need a condition with as many dimensions as x. `block`
builds a layer that is given one of shape (batch, any, cond_dim), and that passes on the first row of each sample.
"""

import torch
from shared_probes import NarrowSums, float64_by_default, given_to_sublayers, new_stack, what_sublayers_return

from normgrade.probes import Place, fill, find, go_back


def first_rows(_block, inputs):
    """Give a block the first row of each sample of its condition. A condition of two dimensions is passed on as it is."""
    x, c = inputs
    return x, c[:, 0] if c.dim() == 3 else c


def block(impl, *args, **kwargs):
    """A new block. Random numbers go on as they were before, although a new Linear draws some."""
    before = torch.get_rng_state()
    layer = impl.AdaLNZeroBlock(*args, **kwargs)
    torch.set_rng_state(before)
    layer.register_forward_pre_hook(first_rows)
    return layer


BUILDERS = {"block": block}


def modulated(layer):
    """Write numbers into the modulation: no part of it is 0 or 1, and no two features of a part are equal."""
    numbers = {name: find(layer, name) for name in ("modulation.weight", "modulation.bias")}
    fill(layer, {name: torch.linspace(0.4, 9.0, tensor.numel()).reshape(tensor.shape).sin() for name, tensor in numbers.items()})
    return layer


class Conditioned(torch.nn.Module):
    """A block that is always called with the same condition."""

    names = ()  # it has no norms with parameters

    def __init__(self, layer, c):
        super().__init__()
        self.stack = layer
        self.c = c

    def renamed(self):
        return {f"stack.modulation.{kind}": f"modulation.{kind}" for kind in ("weight", "bias")}

    def forward(self, x):
        return self.stack(x, self.c.to(x.dtype))


def conditioned(impl, x, c):
    """How a block with this condition is built from two sublayers; from one, which is both of them."""
    return lambda given: Conditioned(modulated(impl.AdaLNZeroBlock(x.shape[-1], c.shape[-1], given[0], given[-1])), c)


def given(impl, x, c, upstream):
    """Give it functions that keep what they are given, and call it in both modes, with gradients and without. Sublayer 1 is attn."""
    return given_to_sublayers(conditioned(impl, x, c), x, 2, upstream)


def mixing(impl, x, c, upstream):
    """Give it functions that mix positions, as attention does: each position sees its neighbours in both."""
    leaf = x.clone().requires_grad_()
    sublayers = [lambda n: torch.tanh(n.roll(1, 1) + 0.5), lambda n: torch.sin(n.cumsum(1))]
    output = conditioned(impl, x, c)(sublayers).to(x.dtype)(leaf.clone())
    go_back(output, upstream)
    return {"output": output, "gradient of input": leaf.grad}


def returned(impl, x, c, upstream):
    """Give it sublayers that return the tensor that they were given, and others that still need what they return."""
    return what_sublayers_return(conditioned(impl, x, c), x, upstream)


def new(impl, training, x, c, first):
    """Look at the parts of a new one, and at the way it calls a Module: attn if `first`, or else mlp."""
    build = conditioned(impl, x, c)
    return new_stack(lambda given: build([given[0], torch.tanh] if first else [torch.tanh, given[0]]), 1, training, x)


def bare(impl, first):
    """Give it a Module without parameters, which has only a buffer and a mode: it is part of the block as any other."""
    sublayer = torch.nn.Dropout(0.5)
    sublayer.register_buffer("shift", torch.tensor(0.25))
    layer = impl.AdaLNZeroBlock(3, 5, *((sublayer, torch.tanh) if first else (torch.tanh, sublayer)))
    seen = {"the state dict holds what was given": any(each is sublayer.shift for each in layer.state_dict(keep_vars=True).values())}
    layer.eval()
    seen["sublayers that eval() reaches"] = int(not sublayer.training)
    layer.train()
    return seen | {"sublayers that train() reaches": int(sublayer.training)}


def new_modulation(impl, dim, cond_dim):
    """Look at the modulation of a new block: a Linear of zeros that learns, in the default dtype."""
    layer = impl.AdaLNZeroBlock(dim, cond_dim, torch.tanh, torch.tanh)
    linear = getattr(layer, "modulation", None)
    seen = {"modulation is a torch.nn.Linear": isinstance(linear, torch.nn.Linear)}
    for name in ("in_features", "out_features"):
        seen[Place("{name} of modulation", name=name)] = getattr(linear, name, None)
    for name in ("modulation.weight", "modulation.bias"):
        seen[Place("{name}", name=name)] = find(layer, name)
        seen[Place("{name} learns", name=name)] = getattr(find(layer, name), "requires_grad", False)
    with float64_by_default():
        wide = impl.AdaLNZeroBlock(dim, cond_dim, torch.tanh, torch.tanh)
    return seen | {"modulation in the default dtype": all(each.dtype == torch.float64 for each in wide.state_dict().values())}


class NarrowStatistics(NarrowSums):
    """Looks whether anything is summed or averaged in half precision. A matrix product is none: the modulation may be one."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function.overloadpacket.__name__ in ("mm", "bmm", "dot"):
            return function(*args, **(kwargs or {}))
        return super().__torch_dispatch__(function, types, args, kwargs)


def narrow(impl, x, c, dtype):
    """Call it in half precision, with gradients and without."""
    layer, inputs = conditioned(impl, x, c)([torch.tanh]).to(getattr(torch, dtype)), x.to(getattr(torch, dtype))
    with NarrowStatistics(x.shape[-1]) as looked:
        layer(inputs)
        with torch.no_grad():
            layer(inputs)
    return {"statistics in float32 or wider": not looked.found}
