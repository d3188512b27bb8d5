"""How your block is looked at, beyond calling it and going back through it: what it hands to its branch, and whether it holds it."""

import torch
from shared_probes import Called, Recorder, Sublayer, held

from normgrade.probes import Place, go_back


def what_the_branch_sees(impl, x, alpha):
    """Call a new block in both modes, with gradients and without: the branch is called once by each forward, with x itself."""
    branch = Recorder()
    block = impl.SkipInit(branch, alpha)
    outputs = {"output": block.train()(x.clone()), "output in evaluation": block.eval()(x.clone())}
    with torch.no_grad():
        outputs["output without gradients"] = block(x.clone())
    halved = Recorder()
    impl.SkipInit(halved, alpha)(x.bfloat16())
    return outputs | {
        "calls of the branch": len(branch.received),
        "what the branch receives": branch.received[0] if branch.received else None,
        "half precision reaches the branch": [each.dtype for each in halved.received] == [torch.bfloat16],
    }


def what_becomes_of_its_output(impl, x, alpha, upstream):
    """Call blocks whose branch returns a view of its input, a tensor that it keeps, and one that its backward pass needs: all stay as they
    are."""
    kept = torch.tanh(x)
    seen = {}
    for returns, branch in {"view": lambda x: x[:], "kept": lambda x: kept, "needed": torch.tanh}.items():
        block = impl.SkipInit(Called(branch), alpha)
        leaf = x.clone().requires_grad_()
        given = leaf.clone()
        output = block(given)
        go_back(output, upstream)
        seen |= {Place("output, {returns}", returns=returns): output, Place("gradient of input, {returns}", returns=returns): leaf.grad}
        with torch.no_grad():
            seen[Place("output without gradients, {returns}", returns=returns)] = block(given)
        seen[Place("input left alone, {returns}", returns=returns)] = torch.equal(given, x)
    return seen | {"what the branch keeps left alone": torch.equal(kept, torch.tanh(x))}


def new_block(impl, alpha, training):
    """A new block around a Module in that mode: what an optimiser gets, what is in the state dict, and which mode the branch is in."""
    branch = Sublayer().train(training)
    block = impl.SkipInit(branch, alpha)
    seen = {"the branch is in training mode": branch.training} | held(block, [branch], own=["alpha"])
    seen["keys of the state dict"] = len(block.state_dict())
    block.eval()
    seen["eval() reaches the branch"] = not branch.training
    block.train()
    seen["train() reaches the branch"] = branch.training
    calls = []
    branch.register_forward_hook(lambda *_: calls.append(1))
    for block_trains, branch_trains in ((True, False), (False, True)):
        block.train(block_trains)
        branch.train(branch_trains)
        block(torch.ones(2, 3))
        seen[Place("modes left alone, the block in {mode}", mode="training" if block_trains else "evaluation")] = (
            block.training == block_trains and branch.training == branch_trains
        )
    return seen | {"calls of the branch with its hooks": len(calls)} | other_branches(impl, alpha)


def other_branches(impl, alpha):
    """Blocks around a Module that has no parameters and draws random numbers, and around one in float64."""
    dropout, wide = torch.nn.Dropout(0.5), Sublayer().double()
    block, x = impl.SkipInit(dropout, alpha), torch.ones(100)
    seen = {"random numbers drawn anew": not torch.equal(block(x), block(x))}
    block.eval()
    impl.SkipInit(wide, alpha)
    return seen | {
        "eval() reaches a branch without parameters": not dropout.training,
        "the branch stays in float64": all(each.dtype == torch.float64 for each in wide.state_dict().values()),
    }
