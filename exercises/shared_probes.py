"""What the probes of several exercises share: constant features, a default dtype, random weights, callables given to a block, its norms."""

from contextlib import contextmanager

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from normgrade.probes import Estimate, Place, go_back


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


@contextmanager
def float64_by_default():
    """What is built meanwhile is built where the default dtype is float64."""
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(default)


def distance_from_normal_and_uniform(numbers):
    """How far the kurtosis of random numbers is from 2.4, halfway between that of a normal distribution and that of a uniform one."""
    kurtosis = numbers.pow(4).mean() / numbers.square().mean() ** 2
    return Estimate((kurtosis - 2.4).abs(), (24 / numbers.numel()) ** 0.5)


def spread_of_lengths(rows):
    """How much the lengths of random rows differ. It is 1, except for chance, if all their numbers are drawn one by one."""
    squares = rows.square() / rows.square().mean()
    count, width = rows.shape
    spread = (squares.mean(1).var() * width / (squares.square().mean() - 1).clamp(min=0.1)).sqrt()
    return Estimate(spread, ((2 + 12 / width) / count) ** 0.5 / 2)


def fingerprint(tensor):
    """The largest magnitudes of a tensor, in units of the largest: the same for the same random numbers, whatever their order and gain."""
    largest = tensor.detach().double().flatten().abs().topk(8).values
    return tuple((largest / largest[0] * 1e6).round().tolist())


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


class Called(torch.nn.Module):
    """A Module without parameters that calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


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


class WithNorms(torch.nn.Module):
    """A stack whose layer norms are found by number, whatever it calls them: `norm_1` belongs to its first sublayer.

    They are the torch.nn.LayerNorms that `modules()` of the stack gives, in the order in which it gives them, without those inside of
    sublayers. A `final` norm is one of its own: the attribute `norm` of the stack. The state dict is that of the stack, with these names.
    """

    def __init__(self, stack, sublayers, final=False):
        super().__init__()
        last = getattr(stack, "norm", None) if final else None
        inner = {id(part) for each in sublayers if isinstance(each, torch.nn.Module) for part in each.modules()}
        found = [each for each in stack.modules() if isinstance(each, torch.nn.LayerNorm) and id(each) not in inner and each is not last]
        self.names = [f"norm_{number}" for number in range(1, len(found) + 1)]
        if isinstance(last, torch.nn.LayerNorm):
            self.names, found = [*self.names, "norm"], [*found, last]
        for name, norm in zip(self.names, found, strict=True):
            self.add_module(name, norm)
        self.stack = stack

    def forward(self, x):
        return self.stack(x)

    def renamed(self):
        """Where a norm's tensors stand in the state dict of the stack, and their names here."""
        here = {id(tensor): f"{name}.{kind}" for name in self.names for kind, tensor in self.get_submodule(name).named_parameters()}
        own = self.stack.state_dict(prefix="stack.", keep_vars=True)
        return {key: here[id(tensor)] for key, tensor in own.items() if id(tensor) in here}

    def state_dict(self, *args, prefix="", **options):
        state = super().state_dict(*args, prefix=prefix, **options)
        for key in self.renamed():
            del state[prefix + key]
        return state

    def _load_from_state_dict(self, state_dict, prefix, *more):
        for key, name in self.renamed().items():
            if prefix + name in state_dict:
                state_dict[prefix + key] = state_dict[prefix + name]
        super()._load_from_state_dict(state_dict, prefix, *more)


class NarrowSums(TorchDispatchMode):
    """Looks whether anything is summed or averaged in half precision, as the statistics of a norm must not be. A sum of fewer numbers than
    a position has features is none: the residual path may be summed as a stack of its parts."""

    def __init__(self, features):
        super().__init__()
        self.features, self.found = features, False

    @classmethod
    def _should_skip_dynamo(cls):
        return False

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        name = function.overloadpacket.__name__
        reduces = name in ("sum", "mean", "var", "var_mean", "std", "std_mean", "linalg_vector_norm")
        if reduces or name in ("mm", "bmm", "dot"):
            results = result if isinstance(result, tuple) else (result,)
            small = reduces and args[0].numel() < self.features * results[0].numel()
            self.found |= not small and any(each.dtype in (torch.float16, torch.bfloat16) for each in results)
        return result


def with_norms(build, *args, final=False, **kwargs):
    """A stack that is built so, whose norms are found by number."""
    return WithNorms(build(*args, **kwargs), kwargs["sublayers"] if "sublayers" in kwargs else args[1], final)


def numbered(norms):
    """Write numbers of its own into every norm: no weight is 1, no bias 0, and no two are equal."""
    with torch.no_grad():
        for number, name in enumerate(norms.names, 1):
            for start, tensor in enumerate(norms.get_submodule(name).parameters()):
                tensor.copy_(0.5 - 1.2 * start + number / 8 + torch.arange(tensor.numel()) / 16)


def given_to_sublayers(build, x, count, upstream):
    """Call a stack of functions in both modes, with gradients and without: what each of them is given, how often, and in which order."""
    calls = []
    sublayers = [Recorder(number, calls) for number in range(1, count + 1)]
    given = list(sublayers)
    stack = build(given)
    numbered(stack)
    stack.to(x.dtype)
    output = stack.train()(x.clone())
    go_back(output, upstream)
    seen = {"output": output, "output in evaluation": stack.eval()(x.clone())}
    with torch.no_grad():
        seen["output without gradients"] = stack(x.clone())
    for sublayer in sublayers:
        seen[Place("calls of sublayer {number}", number=sublayer.number)] = len(sublayer.received)
        seen[Place("what sublayer {number} receives", number=sublayer.number)] = sublayer.received[0] if sublayer.received else None
    seen |= {"the order of the calls": " ".join(map(str, calls)), "the list left alone": given == sublayers}
    narrow = []
    for dtype in (torch.float16, torch.bfloat16):
        received = [Recorder(number) for number in range(1, count + 1)]
        build(received).to(dtype)(x.to(dtype))
        narrow += [each.received[0].dtype is dtype for each in received]
    return seen | {"half precision reaches the sublayers": all(narrow)}


def what_sublayers_return(build, x, upstream):
    """Call stacks whose sublayer returns what it was given, a view of that, a tensor that it keeps, or one that its backward pass needs: it
    stays as it is."""
    seen, kept = {}, torch.tanh(x)
    returns = {
        "its input": lambda x: x,
        "a view of it": lambda x: x.view_as(x),
        "a tensor that it keeps": lambda x: kept,
        "what its backward pass needs": torch.tanh,
    }
    for what, sublayer in returns.items():
        stack = build([Called(sublayer)])
        numbered(stack)
        stack.to(x.dtype)
        leaf = x.clone().requires_grad_()
        given = leaf.clone()
        output = stack(given)
        go_back(output, upstream)
        with torch.no_grad():
            without = stack(given)
        seen |= {
            Place("output, {returns}", returns=what): output,
            Place("gradient of input, {returns}", returns=what): leaf.grad,
            Place("output without gradients, {returns}", returns=what): without,
            Place("input left alone, {returns}", returns=what): torch.equal(given, x),
        }
    return seen | {"what a sublayer keeps left alone": torch.equal(kept, torch.tanh(x))}


def new_stack(build, count, training, x):
    """A new stack of `count` Modules: what an optimiser gets, what is in the state dict, which mode they are in, whether their hooks run.

    The last of two or more has no parameters, and one that is not looked at stands beside them.
    """
    modules = [Sublayer() if number < max(count - 1, 1) else torch.nn.Dropout(0.5) for number in range(count)]
    for each in modules:
        each.train(training)
    stack = build([modules[0], torch.nn.Tanh(), *modules[1:]] if count > 1 else modules)
    own = stack.stack.state_dict(keep_vars=True)
    seen = {
        "sublayers in training mode": sum(each.training for each in modules),
        "keys of the state dict": len(own),
        "tensors of the state dict": len({id(tensor) for tensor in own.values()}),
    }
    seen |= held(stack.stack, modules, own=[key.removeprefix("stack.") for key in stack.renamed()])
    stack.eval()
    seen["sublayers that eval() reaches"] = sum(not each.training for each in modules)
    stack.train()
    seen["sublayers that train() reaches"] = sum(each.training for each in modules)
    for name in stack.names:
        for parameter in stack.get_submodule(name).parameters(recurse=False):  # a norm may hold its sublayer
            parameter.requires_grad_(False)
    seen["sublayers learn beside frozen norms"] = stack(x).requires_grad
    calls = []
    for number, each in enumerate(modules, 1):
        each.register_forward_hook(lambda *_, number=number: calls.append(number))
    for stack_trains, sublayers_train in ((True, False), (False, True)):
        stack.train(stack_trains)
        for each in modules:
            each.train(sublayers_train)
        stack(x)
        with torch.no_grad():
            stack(x)
        seen[Place("modes left alone, the stack in {mode}", mode="training" if stack_trains else "evaluation")] = (
            stack.training == stack_trains and all(each.training == sublayers_train for each in modules)
        )
    seen["the calls of the sublayers with their hooks"] = " ".join(map(str, calls))
    wide = Sublayer().double()
    build([wide])
    seen["a sublayer stays in float64"] = all(each.dtype == torch.float64 for each in wide.state_dict().values())
    return seen


def kinds_of_norms(stack):
    """The norms of a stack: how they are called, and whether each is as PyTorch builds it."""
    seen = {"norms": " ".join(stack.names)}
    for name in stack.names:
        norm = stack.get_submodule(name)
        seen |= {
            Place("eps of {norm}", norm=name): norm.eps,
            Place("normalized_shape of {norm}", norm=name): str(tuple(norm.normalized_shape)),
        }
    return seen


def in_half_precision(build, x, dtype):
    """Call a stack of one sublayer in half precision, with gradients and without: nothing is summed in half precision."""
    stack, narrow = build([torch.nn.Tanh()]).to(getattr(torch, dtype)), x.to(getattr(torch, dtype))
    with NarrowSums(x.shape[-1]) as looked:
        stack(narrow)
        with torch.no_grad():
            stack(narrow)
    return {"statistics in float32 or wider": not looked.found}
