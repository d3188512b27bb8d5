"""How your stack is looked at, beyond calling it and going back through it: what it hands to its sublayers, and whether it holds them."""

import torch
from shared_probes import Called, Recorder, Sublayer, held

from normgrade.probes import Place, fill, go_back


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
    seen |= {"the order of the calls": " ".join(map(str, calls)), "the list left alone": given == sublayers}
    halved = [Recorder(), Recorder()]
    impl.ReZero([*halved])(x.bfloat16())
    return seen | {"half precision reaches the sublayers": [each.received[0].dtype for each in halved] == [torch.bfloat16] * 2}


def what_becomes_of_their_outputs(impl, x, alphas, upstream):
    """Call a stack whose sublayers return a view of their input, a tensor that they keep, and one that their backward pass needs: all of it
    stays as it is."""
    kept = torch.tanh(x)
    stack = impl.ReZero([Called(lambda x: x[:]), Called(lambda x: kept), torch.nn.Tanh()])
    fill(stack, {"alphas": alphas})
    leaf = x.clone().requires_grad_()
    given = leaf.clone()
    output = stack(given)
    go_back(output, upstream)
    seen = {"output": output, "gradient of input": leaf.grad, "input left alone": torch.equal(given, x)}
    with torch.no_grad():
        seen["output without gradients"] = stack(given)
    return seen | {
        "input left alone without gradients": torch.equal(given, x),
        "what a sublayer keeps left alone": torch.equal(kept, torch.tanh(x)),
    }


def new_stack(impl, training):
    """A new stack of Modules, two of them without parameters: what an optimiser gets, what is in the state dict,
    and which mode the Modules are in."""
    modules = [each.train(training) for each in (Sublayer(), Sublayer(), torch.nn.Dropout(0.5))]
    stack = impl.ReZero([modules[0], torch.nn.Tanh(), *modules[1:]])
    seen = {"sublayers in training mode": sum(each.training for each in modules)} | held(stack, modules, own=["alphas"])
    seen["keys of the state dict"] = len(stack.state_dict())
    stack.eval()
    seen["sublayers that eval() reaches"] = sum(not each.training for each in modules)
    stack.train()
    seen["sublayers that train() reaches"] = sum(each.training for each in modules)
    calls = []
    for number, each in enumerate(modules, 1):
        each.register_forward_hook(lambda *_, number=number: calls.append(number))
    for stack_trains, sublayers_train in ((True, False), (False, True)):
        stack.train(stack_trains)
        for each in modules:
            each.train(sublayers_train)
        stack(torch.ones(2, 3))
        seen[Place("modes left alone, the stack in {mode}", mode="training" if stack_trains else "evaluation")] = (
            stack.training == stack_trains and all(each.training == sublayers_train for each in modules)
        )
    seen["the calls of the sublayers with their hooks"] = " ".join(map(str, calls))
    return seen | other_sublayers(impl)


def other_sublayers(impl):
    """Stacks of one Module that draws random numbers, and of one in float64."""
    wide = Sublayer().double()
    impl.ReZero([wide])
    stack, x = impl.ReZero([torch.nn.Dropout(0.5)]), torch.ones(100)
    fill(stack, {"alphas": torch.tensor([0.5])})
    return {
        "random numbers drawn anew": not torch.equal(stack(x), stack(x)),
        "a sublayer stays in float64": all(each.dtype == torch.float64 for each in wide.state_dict().values()),
    }
