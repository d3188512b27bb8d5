"""How your stack is looked at, beyond calling it and going back through it: what it hands to its sublayers, and whether it holds them."""

import torch
from shared_probes import Recorder, Sublayer, held

from normgrade.probes import Place, fill


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


def new_stack(impl, training):
    """A new stack of Modules, one of them without parameters, and a function among them: what an optimiser gets, what is in the state dict,
    and which mode the Modules are in."""
    modules = [each.train(training) for each in (Sublayer(), Sublayer(), torch.nn.Dropout(0.5))]
    stack = impl.ReZero([modules[0], torch.tanh, *modules[1:]])
    seen = {"sublayers in training mode": sum(each.training for each in modules)} | held(stack, modules, own=["alphas"])
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
