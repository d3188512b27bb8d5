"""How the grader uses your `adapt`: it builds small models, hands them over with some batches, and looks at what has become of them.

Nothing here is secret, and every probe is played on the right answer too. The numbers of a model are always the same, and nothing is drawn
at random; what its norms see is decided by the batches.
"""

from copy import deepcopy

import torch
from torch import nn

from normgrade.probes import Place, go_back, gradient_of

NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
STATISTICS = ("running_mean", "running_var")
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks", "_state_dict_hooks")
PLAIN = (bool, int, float, str, type(None))


# --- parts of models --------------------------------------------------------------------------------------------------------------------


class EverySecond(nn.Module):
    """In training it drops every second channel and doubles the others, as a dropout that is not random; in evaluation it does nothing."""

    def forward(self, x):
        if not self.training:
            return x
        kept = 2 * (torch.arange(x.shape[1]) % 2)
        return x * kept.view(-1, *[1] * (x.dim() - 2))


class Smoothed(nn.Module):
    """A layer that is no batch norm, and has running statistics all the same."""

    def __init__(self, channels):
        super().__init__()
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))

    def forward(self, x):
        shape = (-1, *[1] * (x.dim() - 2))
        return (x - self.running_mean.view(shape)) / self.running_var.view(shape).sqrt()


class OwnNorm(nn.BatchNorm2d):
    """A batch norm like any other, by another name."""


class Residual(nn.Module):
    """Two convolutions, each with a norm, and a third on the way around them; the norm of that way runs last."""

    def __init__(self, channels, wider):
        super().__init__()
        self.around = nn.Sequential(nn.Conv2d(channels, wider, 1), nn.BatchNorm2d(wider))
        self.conv1, self.bn1 = nn.Conv2d(channels, wider, 3, padding=1, bias=False), nn.BatchNorm2d(wider)
        self.conv2, self.bn2 = nn.Conv2d(wider, wider, 3, padding=1, bias=False), nn.BatchNorm2d(wider)

    def forward(self, x):
        branch = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
        return torch.relu(branch + self.around(x))


class OtherOrder(nn.Module):
    """Its norms run in the order second, third, first."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = nn.BatchNorm1d(4), nn.BatchNorm1d(5), nn.BatchNorm1d(6)
        self.linears = nn.ModuleList([nn.Linear(3, 5), nn.Linear(5, 6), nn.Linear(6, 4)])

    def forward(self, x):
        x = torch.tanh(self.second(self.linears[0](x)))
        x = torch.tanh(self.third(self.linears[1](x)))
        return self.first(self.linears[2](x))


class Backwards(nn.Module):
    """The layers of a Sequential, which run from the last to the first; the last to run has two names."""

    def __init__(self):
        super().__init__()
        self.out = nn.BatchNorm1d(3)
        self.layers = nn.ModuleDict({"c": self.out, "b": nn.Linear(4, 3), "a": nn.BatchNorm1d(4), "z": nn.Linear(3, 4)})

    def forward(self, x):
        for layer in reversed(self.layers.values()):
            x = layer(x)
        return torch.tanh(x)


class Branches(nn.Module):
    """Its auxiliary branch is used in training alone; the statistics there, and those of `Smoothed`, are no business of adapt's."""

    def __init__(self):
        super().__init__()
        self.auxiliary = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3))
        self.used = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3), Smoothed(3), nn.Tanh(), nn.Linear(3, 4))
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x):
        result = {"result": self.norm(self.used(x))}
        return result | {"auxiliary": self.auxiliary(x)} if self.training else result


class ChangedInPlace(nn.Module):
    """What its norms are given is changed in place when they are done with it."""

    def __init__(self):
        super().__init__()
        self.linear, self.norm, self.last = nn.Linear(3, 4), nn.BatchNorm1d(4), nn.BatchNorm1d(4)

    def forward(self, x):
        x = self.linear(x)
        y = torch.tanh(self.norm(x))
        x *= 2
        x += y
        z = self.last(x)
        x.zero_()
        return z


class OverTime(nn.Module):
    """Rows of features (N, L, C), whose norms want the channels first."""

    def __init__(self):
        super().__init__()
        self.linear, self.norm = nn.Linear(3, 4), nn.BatchNorm1d(4)
        self.last = nn.BatchNorm1d(4)

    def forward(self, x):
        x = self.norm(self.linear(x).transpose(1, 2)).transpose(1, 2)
        return self.last(torch.tanh(x).transpose(1, 2)), x


def perceptron():
    return nn.Sequential(
        nn.Linear(4, 6),
        nn.BatchNorm1d(6),
        EverySecond(),
        nn.Tanh(),
        nn.Linear(6, 5, bias=False),
        nn.BatchNorm1d(5),
        nn.Tanh(),
        nn.Linear(5, 3),
    )


def classifier():
    """Convolutions, a mean over all positions, then fully connected layers."""
    pooled = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten())
    head = nn.Sequential(nn.Linear(4, 5), nn.BatchNorm1d(5), nn.ReLU(inplace=True), EverySecond(), nn.Linear(5, 3))
    stem = nn.Sequential(nn.Conv2d(2, 3, 3, padding=1, bias=False), nn.BatchNorm2d(3), nn.ReLU(inplace=True))
    return nn.Sequential(stem, nn.Sequential(Residual(3, 4), EverySecond()), pooled, head)


MODELS = {
    "perceptron": perceptron,
    "small": lambda: nn.Sequential(
        nn.Linear(4, 3), nn.BatchNorm1d(3), EverySecond(), nn.Tanh(), nn.Linear(3, 4, bias=False), nn.BatchNorm1d(4, affine=False)
    ),
    "classifier": classifier,
    "other order": OtherOrder,
    "backwards": Backwards,
    "branches": Branches,
    "changed in place": ChangedInPlace,
    "one norm": lambda: nn.BatchNorm1d(3),
    "one image norm": lambda: nn.BatchNorm2d(3),
    "two norms": lambda: nn.Sequential(nn.BatchNorm1d(3), nn.Tanh(), nn.BatchNorm1d(3, affine=False)),
    "switches": lambda: nn.Sequential(
        nn.BatchNorm2d(2, affine=False), nn.Tanh(), OwnNorm(2, momentum=None), nn.Tanh(), nn.BatchNorm2d(2, eps=0.3, momentum=0.9)
    ),
    "volumes": lambda: nn.Sequential(
        nn.Conv3d(2, 3, 1), nn.BatchNorm3d(3), nn.Tanh(), nn.Flatten(3), nn.BatchNorm2d(3), nn.Tanh(), nn.Flatten(2), nn.BatchNorm1d(3)
    ),
    "untracked": lambda: nn.Sequential(
        nn.BatchNorm1d(4), nn.Tanh(), nn.BatchNorm1d(4, track_running_stats=False), nn.Linear(4, 3), nn.BatchNorm1d(3)
    ),
    "over time": OverTime,
    "deep": lambda: nn.Sequential(*(layer for _ in range(12) for layer in (nn.BatchNorm1d(3), nn.Tanh(), nn.Linear(3, 3)))),
    "without norms": lambda: nn.Sequential(nn.Linear(4, 3), nn.Tanh()),
    "dropping": lambda: nn.Sequential(
        EverySecond(), nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Tanh(), EverySecond(), nn.Linear(6, 3), nn.BatchNorm1d(3)
    ),
}


def built(name):
    """The model of that name, with numbers of its own in every parameter and buffer, as if it had been trained."""
    with torch.random.fork_rng(devices=[]):  # the first numbers, which are written over, are drawn for nobody
        model = MODELS[name]()
    tensors = [*model.named_parameters(), *model.named_buffers()]
    with torch.no_grad():
        for number, (place, tensor) in enumerate(tensors):
            numbers = ((torch.arange(tensor.numel()) * 7 + number * 5) % 13 - 6).reshape(tensor.shape) / 8
            kind = place.rpartition(".")[2]
            if kind == "num_batches_tracked":
                tensor.fill_(7 + number)
            elif kind == "running_var":
                tensor.copy_(0.4 + numbers.abs())
            elif kind == "weight" and tensor.dim() == 1:
                tensor.copy_(1 + numbers / 2 + 1 / 32)
            elif kind == "weight":
                tensor.copy_(numbers * 2 / tensor[0].numel() ** 0.5)
            else:
                tensor.copy_(numbers + 1 / 32)
    return model


class Again:
    """Batches that can be iterated, again and again, and nothing else: they have neither a length nor an index."""

    def __init__(self, batches):
        self.batches = batches

    def __iter__(self):
        return iter(self.batches)


def in_form(batches, form):
    """The batches as a list, a tuple, an object that can only be iterated, or a DataLoader that draws other batches of the same rows at
    every pass."""
    if form == "loader":
        drawn = torch.Generator().manual_seed(1)
        return torch.utils.data.DataLoader([*torch.cat(batches)], batch_size=4, shuffle=True, generator=drawn)
    return {"list": list, "tuple": tuple, "again": Again}[form](batches)


# --- what is looked at ------------------------------------------------------------------------------------------------------------------


def statistics(model):
    """The running statistics of every module of the model that has any, by name."""
    seen = {}
    for name, module in model.named_modules():
        for kind in STATISTICS if hasattr(module, "running_mean") else ():
            value = getattr(module, kind)
            place = Place("{name}", name=f"{name}.{kind}" if name else kind)
            seen[place] = value.detach().clone() if isinstance(value, torch.Tensor) else value
    return seen


def adapted(impl, model, batches, form="list", training=False, by_name=False, dtype=None):
    """Adapt a model to the batches, and look at its statistics; the batches are left alone.

    With a `dtype`, model and batches have that dtype.
    """
    trained = built(model).train(training)
    given = [each.clone() for each in batches]
    if dtype:
        trained, given = trained.to(getattr(torch, dtype)), [each.to(getattr(torch, dtype)) for each in given]
    before, again = [each.clone() for each in given], in_form(given, form)
    if by_name:
        impl.adapt(batches=again, model=trained)
    else:
        impl.adapt(trained, again)
    same = all(torch.equal(one, other) for one, other in zip(given, before, strict=True))
    return statistics(trained) | {"batches left alone": same}


def in_half_precision(impl, model, batches, dtype, model_dtype):
    """Adapt a model to batches in half precision. The model is in that dtype too, or in float32."""
    trained = built(model).to(getattr(torch, model_dtype)).eval()
    impl.adapt(trained, [each.to(getattr(torch, dtype)) for each in batches])
    return statistics(trained)


def training_modules(model):
    return " ".join(name or "the model" for name, module in model.named_modules() if module.training) or "none"


def modes(impl, model, batches, training, others, x):
    """Put the model into a mode, and the modules in `others` into the other one; after adapting, all of them are as they were, and the
    model computes in these modes."""
    trained = built(model).train(training)
    for name in others:
        trained.get_submodule(name).train(not training)
    impl.adapt(trained, [each.clone() for each in batches])
    seen = {"modules in training mode": training_modules(trained)}
    output = trained(x.clone())
    return seen | {"output": output.detach(), "modules in training mode after a call": training_modules(trained)}


def attributes(model):
    """The plain attributes of every module, and the names of all others; the modes are not among them."""
    seen = {}
    for name, module in model.named_modules():
        for key, value in vars(module).items():
            if key != "training":
                seen[f"{name}.{key}".lstrip(".")] = value if isinstance(value, PLAIN) else id(value) if key == "forward" else "…"
    return seen


def hooks(model):
    there = [getattr(module, kind) for module in model.modules() for kind in HOOKS]
    everywhere = [value for key, value in vars(nn.modules.module).items() if key.startswith("_global") and isinstance(value, dict)]
    return [id(hook) for each in there + everywhere for hook in each.values()]


def changed(before, after):
    """The names under which there is something else than before."""
    names = [name for name in {**before, **after} if name not in before or name not in after or not same(before[name], after[name])]
    return " ".join(sorted(names))


def same(one, other):
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    return type(one) is type(other) and one == other


def what_stays(impl, model, batches, frozen, gradients="as usual"):
    """Adapt a trained model with some frozen parameters, gradients that wait for an optimiser and hooks of its own: all of it stays, and
    nothing is added. `gradients` are "as usual", or adapt is called under "no_grad"."""
    trained = built(model).train()
    parameters = dict(trained.named_parameters())
    for number, (name, parameter) in enumerate(parameters.items()):
        parameter.requires_grad_(name not in frozen)
        parameter.grad = None if name in frozen or number % 3 == 2 else torch.full_like(parameter, 0.5 + number)
    for module in trained.modules():
        module.register_forward_hook(lambda *_call: None)
        module.register_forward_pre_hook(lambda *_call: None)
    state = {name: value.clone() for name, value in trained.state_dict().items() if name.rpartition(".")[2] not in STATISTICS}
    grads = {name: None if each.grad is None else each.grad.clone() for name, each in parameters.items()}
    plain, hooked, before = attributes(trained), hooks(trained), {name: type(module).__name__ for name, module in trained.named_modules()}
    with torch.set_grad_enabled(gradients == "as usual"):
        impl.adapt(trained, [each.clone() for each in batches])
        still = torch.is_grad_enabled() == (gradients == "as usual")
    now, after = dict(trained.named_parameters()), trained.state_dict(keep_vars=True)
    numbers = {name: value.detach() for name, value in after.items() if name.rpartition(".")[2] not in STATISTICS}
    return statistics(trained) | {
        "the grad mode is as before": still,
        "parameters and counters that changed": changed(state, numbers),
        "parameters that are other objects": " ".join(name for name in parameters if parameters[name] is not now.get(name)),
        "what needs a gradient": " ".join(name for name, each in after.items() if each.requires_grad),
        "gradients that changed": changed(grads, {name: each.grad for name, each in now.items()}),
        "keys of the state dict": len(after),
        "attributes that changed": changed(plain, attributes(trained)),
        "modules that changed": changed(before, {name: type(module).__name__ for name, module in trained.named_modules()}),
        "hooks that were left": len(set(hooks(trained)) - set(hooked)),
        "hooks that are gone": len(set(hooked) - set(hooks(trained))),
    }


def afterwards(impl, model, batches, others, x):
    """Adapt to one domain, then to another; train the model on, copy it, load what it saved, and adapt again: step by step, its statistics
    and its output."""
    trained = built(model).train()
    seen = {}

    def look(step, whom):
        seen.update({place.at(step): value for place, value in statistics(whom).items()})
        seen[Place("output").at(step)] = deepcopy(whom).eval()(x.clone()).detach()

    impl.adapt(trained, [each.clone() for each in batches])
    look(1, trained)
    impl.adapt(trained, [each.clone() for each in others])
    look(2, trained)
    trained(x.clone())
    look(3, trained)
    copy = deepcopy(trained)
    impl.adapt(copy, [each.clone() for each in batches])
    look(4, copy)
    look(5, trained)
    trained.load_state_dict(copy.state_dict())
    trained(x.clone())
    look(6, trained)
    look(7, copy)
    return seen


def gradients_afterwards(impl, model, batches, x, upstream, frozen=()):
    """Adapt to batches that need a gradient, evaluate the model on x, and go back: no gradient reaches the batches, and that of each
    parameter is the one with constant statistics."""
    trained = built(model).eval()
    parameters = {name: parameter.requires_grad_(name not in frozen) for name, parameter in trained.named_parameters()}
    given = [each.clone().requires_grad_() for each in batches]
    impl.adapt(trained, given)
    leaf = x.clone().requires_grad_()
    output = trained(leaf)
    go_back(output, upstream)
    seen = {gradient_of("{name}", name=name): parameter.grad for name, parameter in parameters.items()}
    return seen | {
        "output": output.detach(),
        gradient_of("input"): leaf.grad,
        "batches that need a gradient": sum(each.requires_grad for each in given),
        "batches that got a gradient": sum(each.grad is not None for each in given),
        "statistics that need a gradient": " ".join(name for name, buffer in trained.named_buffers() if buffer.requires_grad),
    }


# --- a layer that adapts a model, for the situations ------------------------------------------------------------------------------------


class Adapting(nn.Module):
    """At every call it adapts its model to what comes in, two rows, then three, then the rest, and hands it to the model."""

    def __init__(self, adapt, model):
        super().__init__()
        self.adapt = adapt
        self.model = model

    def forward(self, x):
        self.adapt(self.model, Again([each for each in (x[:2], x[2:5], x[5:]) if len(each)]))
        return self.model(x)


def adapting(impl, model):
    return Adapting(impl.adapt, built(model))


BUILDERS = {"adapting": adapting}
