"""How your block is looked at, beyond calling it and going back through it: what it hands to its branch, and whether it holds it."""

import torch
from shared_probes import Recorder, Sublayer, held

from normgrade.probes import Place


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


def new_block(impl, alpha, training):
    """A new block around a Module in that mode: what an optimiser gets, what is in the state dict, and which mode the branch is in."""
    branch = Sublayer().train(training)
    block = impl.SkipInit(branch, alpha)
    seen = {"the branch is in training mode": branch.training} | held(block, [branch], own=["alpha"])
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
