"""How your code is used, where building, calling and going back through it does not tell.

A probe is a function. It gets the module that is your file, and inputs of the hidden suite: numbers, texts and tensors, by name. It returns
what it saw, by place. Whatever it returns is compared with what the reference gives there.
"""

import torch
from shared_probes import Called

from normgrade.probes import Place


class Recorder:
    """A sublayer that is no module, and keeps all that it is given and returns."""

    def __init__(self):
        self.given, self.returned, self.copies = [], [], []

    def __call__(self, h):
        result = torch.tanh(h)
        self.given.append(h.detach().clone())
        self.returned.append(result)
        self.copies.append(result.detach().clone())
        return result


def recorded(impl, x, layer, training=True, gradients=True):
    """Call the block with a sublayer that is no module, and that keeps all that it is given and returns."""
    sublayer = Recorder()
    block = impl.ScaledPreNorm(x.shape[-1], sublayer, layer).to(x.dtype).train(training)
    with torch.set_grad_enabled(gradients):
        output = block(x)
    return {
        "calls of the sublayer": len(sublayer.given),
        "what the sublayer is given": sublayer.given[0] if sublayer.given else None,
        Place("{name} left alone", name="what the sublayer returns"): all(map(torch.equal, sublayer.returned, sublayer.copies)),
        "result": output,
    }


def given_dtype(impl, x, layer, dtype):
    """Call a block of that dtype, and look which dtype the sublayer is given."""
    sublayer, dtype = Recorder(), getattr(torch, dtype)
    impl.ScaledPreNorm(x.shape[-1], Called(sublayer), layer).to(dtype)(x.to(dtype))
    return {"dtype of what the sublayer is given": str(sublayer.given[0].dtype) if sublayer.given else None}


def shared(impl, x):
    """Give the same sublayer to two blocks, as in a network whose layers share their weights, and look at all of it.

    The first numbers of the sublayer are set, and its bias is frozen. It is in half precision while the blocks are built. A hook counts its
    calls.
    """
    dim, calls = x.shape[-1], []
    sublayer = torch.nn.Linear(dim, dim, dtype=torch.bfloat16)
    sublayer.bias.requires_grad_(False)
    blocks = [impl.ScaledPreNorm(dim, sublayer, layer) for layer in (2, 5)]
    seen = {
        Place("{name} left alone", name="dtype of the sublayer"): sublayer.weight.dtype is torch.bfloat16,
        Place("{name} left alone", name="mode of the sublayer"): sublayer.training,
        Place("{name} left alone", name="frozen bias of the sublayer"): not sublayer.bias.requires_grad,
    }
    sublayer.to(x.dtype)
    with torch.no_grad():
        for parameter in sublayer.parameters():
            parameter.copy_(torch.linspace(-1, 1, parameter.numel()).reshape(parameter.shape))
    sublayer.register_forward_hook(lambda module, inputs, output: calls.append(1))
    first, second = ({id(parameter) for parameter in block.parameters()} for block in blocks)
    theirs = {id(parameter) for parameter in sublayer.parameters()}
    results = [block.to(x.dtype)(x) for block in blocks]
    return seen | {
        "parameters of the sublayer that both blocks share": len(theirs & first & second),
        "result of the first block": results[0],
        "result of the second block": results[1],
        "calls of the sublayer": len(calls),
    }


def norm(impl, dim):
    """Look at the attribute `norm` of a new block."""
    found = getattr(impl.ScaledPreNorm(dim, torch.nn.Tanh(), 4), "norm", None)
    if not isinstance(found, torch.nn.LayerNorm):
        return {"norm is a torch.nn.LayerNorm": False}
    return {
        "norm is a torch.nn.LayerNorm": True,
        "eps of norm": found.eps,
        "normalized_shape of norm": str(tuple(found.normalized_shape)),
    }
