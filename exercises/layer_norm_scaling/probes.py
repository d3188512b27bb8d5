"""How your code is used, where building, calling and going back through it does not tell.

A probe is a function. It gets the module that is your file, and inputs of the hidden suite: numbers, texts and tensors, by name. It returns
what it saw, by place. Whatever it returns is compared with what the reference gives there.
"""

import torch


def recorded(impl, x, layer):
    """Call the block with a sublayer that is a plain function, and that keeps all that it is given."""
    given = []

    def sublayer(h):
        given.append(h.detach().clone())
        return torch.sin(h)

    block = impl.ScaledPreNorm(x.shape[-1], sublayer, layer).to(x.dtype)
    output = block(x)
    first = given[0] if given else None
    return {"calls of the sublayer": len(given), "what the sublayer is given": first, "result": output}


def shared(impl, dim):
    """Give the same sublayer to two blocks, as in a network whose layers share their weights, and ask which parameters they have."""
    sublayer = torch.nn.Linear(dim, dim)
    blocks = [impl.ScaledPreNorm(dim, sublayer, layer) for layer in (1, 2)]
    first, second = ({id(parameter) for parameter in block.parameters()} for block in blocks)
    theirs = {id(parameter) for parameter in sublayer.parameters()}
    return {"parameters of the sublayer that both blocks share": len(theirs & first & second)}
