"""How your block is looked at, beyond calling it and going back through it: what it hands to its branch, and whether it holds it."""

import torch

from normgrade.probes import Place


class Recorder:
    """A plain function, x → tanh(x) + 1, that keeps what it was given."""

    def __init__(self):
        self.received = []

    def __call__(self, x):
        self.received.append(x.detach().clone())
        return torch.tanh(x) + 1


def what_the_branch_sees(impl, x, alpha):
    """Call a new block in both modes, with gradients and without: the branch is called once by each forward, with x itself."""
    branch = Recorder()
    block = impl.SkipInit(branch, alpha)
    outputs = {"output": block.train()(x.clone()), "output in evaluation": block.eval()(x.clone())}
    with torch.no_grad():
        outputs["output without gradients"] = block(x.clone())
    return outputs | {
        "calls of the branch": len(branch.received),
        "what the branch receives": branch.received[0] if branch.received else None,
    }


class Branch(torch.nn.Module):
    """A branch with a weight, one frozen number and a buffer."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([1.0, 2.0, 3.0]))
        self.frozen = torch.nn.Parameter(torch.tensor(0.5), requires_grad=False)
        self.register_buffer("shift", torch.tensor(0.25))

    def forward(self, x):
        return x * self.weight * self.frozen + self.shift


def new_block(impl, alpha, training):
    """A new block around a Module in that mode: what an optimiser gets, what is in the state dict, and which mode the branch is in."""
    branch = Branch().train(training)
    block = impl.SkipInit(branch, alpha)
    seen = {"the branch is in training mode": branch.training}
    state, inner = block.state_dict(keep_vars=True), {id(each) for each in (*branch.parameters(), *branch.buffers())}
    learnt = [each for each in block.parameters() if each.requires_grad]
    seen |= {
        "parameters() gives the branch's": {id(each) for each in branch.parameters()} <= {id(each) for each in block.parameters()},
        "the state dict holds the branch's tensors": inner <= {id(each) for each in state.values()},
        "learnt numbers of the branch": sum(each.numel() for each in learnt if id(each) in inner),
        "learnt numbers beside the branch's": sum(each.numel() for each in learnt if id(each) not in inner),
        "further keys of the state dict": ", ".join(
            sorted(name for name, each in state.items() if id(each) not in inner and name != "alpha")
        ),
    }
    block.eval()
    seen["eval() reaches the branch"] = not branch.training
    block.train()
    seen["train() reaches the branch"] = branch.training
    for block_trains, branch_trains in ((True, False), (False, True)):
        block.train(block_trains)
        branch.train(branch_trains)
        block(torch.ones(2, 3))
        seen[Place("modes left alone, the block in {mode}", mode="training" if block_trains else "evaluation")] = (
            block.training == block_trains and branch.training == branch_trains
        )
    return seen
