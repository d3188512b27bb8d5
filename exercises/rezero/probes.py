"""How your stack is looked at, beyond calling it and going back through it: what it hands to its sublayers, and whether it holds them."""

import torch

from normgrade.probes import Place, fill


class Recorder:
    """A plain function, x → tanh(x) + number, that keeps what it was given."""

    def __init__(self, number, calls):
        self.number = number
        self.calls = calls
        self.received = []

    def __call__(self, x):
        self.calls.append(self.number)
        self.received.append(x.detach().clone())
        return torch.tanh(x) + self.number


def what_the_sublayers_see(impl, x, alphas):
    """Call a stack of functions in both modes, with gradients and without: each forward calls each of them once, in order, with the x of
    that moment."""
    calls = []
    sublayers = [Recorder(number, calls) for number in range(1, len(alphas) + 1)]
    given = list(sublayers)
    stack = impl.ReZero(given)
    fill(stack, {"alphas": alphas})
    seen = {"output": stack.train()(x.clone()), "output in evaluation": stack.eval()(x.clone())}
    with torch.no_grad():
        seen["output without gradients"] = stack(x.clone())
    for sublayer in sublayers:
        seen[Place("calls of sublayer {number}", number=sublayer.number)] = len(sublayer.received)
        seen[Place("what sublayer {number} receives", number=sublayer.number)] = sublayer.received[0] if sublayer.received else None
    return seen | {"the order of the calls": " ".join(map(str, calls)), "the list left alone": given == sublayers}


class Sublayer(torch.nn.Module):
    """A sublayer with a weight, one frozen number and a buffer."""

    def __init__(self, size):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.linspace(1, 2, size))
        self.frozen = torch.nn.Parameter(torch.tensor(0.5), requires_grad=False)
        self.register_buffer("shift", torch.tensor(0.25))

    def forward(self, x):
        return x * self.weight * self.frozen + self.shift


def new_stack(impl, training):
    """A new stack of Modules, one of them without parameters, and a function among them: what an optimiser gets, what is in the state dict,
    and which mode the Modules are in."""
    modules = [each.train(training) for each in (Sublayer(3), Sublayer(3), torch.nn.Dropout(0.5))]
    stack = impl.ReZero([modules[0], torch.tanh, *modules[1:]])
    seen = {"sublayers in training mode": sum(each.training for each in modules)}
    parameters = {id(each) for module in modules for each in module.parameters()}
    inner = parameters | {id(each) for module in modules for each in module.buffers()}
    state, learnt = stack.state_dict(keep_vars=True), [each for each in stack.parameters() if each.requires_grad]
    seen |= {
        "parameters() gives the sublayers'": parameters <= {id(each) for each in stack.parameters()},
        "the state dict holds the sublayers' tensors": inner <= {id(each) for each in state.values()},
        "learnt numbers of the sublayers": sum(each.numel() for each in learnt if id(each) in inner),
        "learnt numbers beside the sublayers'": sum(each.numel() for each in learnt if id(each) not in inner),
        "further keys of the state dict": ", ".join(
            sorted(name for name, each in state.items() if id(each) not in inner and name != "alphas")
        ),
    }
    stack.eval()
    seen["sublayers that eval() reaches"] = sum(not each.training for each in modules)
    stack.train()
    seen["sublayers that train() reaches"] = sum(each.training for each in modules)
    for stack_trains, sublayers_train in ((True, False), (False, True)):
        stack.train(stack_trains)
        for each in modules:
            each.train(sublayers_train)
        stack(torch.ones(2, 3))
        seen[Place("modes left alone, the stack in {mode}", mode="training" if stack_trains else "evaluation")] = (
            stack.training == stack_trains and all(each.training == sublayers_train for each in modules)
        )
    return seen
