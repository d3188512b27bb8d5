"""What the probes of several exercises share: constant features, callables that are given to a block, and how the block holds them."""

import torch

from normgrade.probes import go_back


def with_constant_features(function, x, constants, upstream):
    """Some features of x become constant: `constants` holds a number for each of them, and None for the others.

    A feature of NaN is there, but is not looked at. Where `upstream` is None, it does not go back.
    """
    given = x.clone()
    beside = torch.tensor([value is None for value in constants])
    constant = torch.tensor([value is not None and value == value for value in constants])
    for column, value in enumerate(constants):
        if value is not None:
            given[:, column] = value
    given.requires_grad_(upstream is not None)
    result = function(given.clone())
    seen = {"result beside": result[:, beside], "constant features": result[:, constant]}
    if upstream is None:
        return seen
    go_back(result, upstream)
    gradient = torch.full_like(given, torch.nan) if given.grad is None else given.grad
    of_constants = gradient[:, constant]
    return seen | {
        "gradient of the other features": gradient[:, beside],
        "gradient of constant features is finite": bool(of_constants.isfinite().all()),
        "share of the gradient of constant features that does not cancel": of_constants.sum(0) / (1 + of_constants.abs().sum(0)),
    }


class Recorder:
    """A plain function, x → tanh(x) + number, that keeps what it was given, and notes its number where calls are noted."""

    def __init__(self, number=1, calls=None):
        self.number = number
        self.calls = [] if calls is None else calls
        self.received = []

    def __call__(self, x):
        self.calls.append(self.number)
        self.received.append(x.detach().clone())
        return torch.tanh(x) + self.number


class Sublayer(torch.nn.Module):
    """A Module with a weight of three numbers, one frozen number and a buffer."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))
        self.frozen = torch.nn.Parameter(torch.tensor(0.5), requires_grad=False)
        self.register_buffer("shift", torch.tensor(0.25))

    def forward(self, x):
        return x * self.weight * self.frozen + self.shift


def held(block, modules, own):
    """What an optimiser gets from a block that was given these Modules, and what is in its state dict; `own` are the block's own keys."""
    parameters = {id(each) for module in modules for each in module.parameters()}
    inner = parameters | {id(each) for module in modules for each in module.buffers()}
    state, learnt = block.state_dict(keep_vars=True), [each for each in block.parameters() if each.requires_grad]
    return {
        "parameters() gives what was given": parameters <= {id(each) for each in block.parameters()},
        "the state dict holds what was given": inner <= {id(each) for each in state.values()},
        "learnt numbers of what was given": sum(each.numel() for each in learnt if id(each) in inner),
        "learnt numbers beside": sum(each.numel() for each in learnt if id(each) not in inner),
        "further keys of the state dict": ", ".join(
            sorted(name for name, each in state.items() if id(each) not in inner and name not in own)
        ),
    }
