"""How the grader uses your `fold`: it builds a convolution and a batch norm, hands them over, and looks at the result and at both of them.

Nothing here is secret, and every probe is played on the right answer too. No batch norm is ever called.
"""

import random

import numpy as np
import torch
from torch import nn

from normgrade.probes import Place, go_back, gradient_of, in_other_order

CONVOLUTIONS = {
    "1d": lambda **more: nn.Conv1d(3, 5, 2, **more),
    "2d": lambda **more: nn.Conv2d(3, 5, (2, 3), **more),
    "padded": lambda **more: nn.Conv2d(3, 5, 3, padding=1, **more),
    "3d": lambda **more: nn.Conv3d(2, 3, (2, 1, 2), **more),
    "1 × 1": lambda **more: nn.Conv2d(4, 4, 1, **more),
    "large": lambda **more: nn.Conv2d(40, 72, 3, padding=1, **more),
    "one channel": lambda **more: nn.Conv2d(3, 1, 2, **more),
    "groups": lambda **more: nn.Conv2d(4, 6, (2, 3), (2, 1), (1, 2), (1, 2), 2, **more),
    "depthwise": lambda **more: nn.Conv1d(4, 4, 3, padding=1, groups=4, **more),
    "reflecting": lambda **more: nn.Conv2d(2, 3, 3, padding=(1, 2), padding_mode="reflect", **more),
    "circular": lambda **more: nn.Conv1d(2, 3, 3, padding=2, padding_mode="circular", **more),
    "replicating": lambda **more: nn.Conv3d(2, 3, (1, 2, 3), padding=1, padding_mode="replicate", **more),
    "the same size": lambda **more: nn.Conv2d(3, 4, (1, 3), padding="same", **more),
    "transposed 1d": lambda **more: nn.ConvTranspose1d(3, 5, 2, **more),
    "transposed 2d": lambda **more: nn.ConvTranspose2d(3, 5, (2, 3), (2, 3), (1, 0), (1, 2), dilation=(1, 2), **more),
    "transposed 3d": lambda **more: nn.ConvTranspose3d(2, 3, (2, 1, 2), **more),
    "transposed, as many": lambda **more: nn.ConvTranspose2d(4, 4, 2, **more),
    "transposed groups": lambda **more: nn.ConvTranspose2d(4, 6, (2, 3), (1, 2), groups=2, **more),
    "transposed depthwise": lambda **more: nn.ConvTranspose1d(4, 4, 2, 2, groups=4, **more),
    "transposed groups of one": lambda **more: nn.ConvTranspose1d(3, 6, 2, groups=3, **more),
}
NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
STATISTICS = ("running_mean", "running_var")
KEPT = (
    "in_channels",
    "out_channels",
    "kernel_size",
    "stride",
    "padding",
    "dilation",
    "groups",
    "padding_mode",
    "output_padding",
    "transposed",
)


def convolution(kind, bias=True):
    """A convolution of that kind. The random numbers that it begins with are drawn for nobody."""
    torch.backends.mkldnn.enabled = False  # it compiles code for each new shape, which takes longer than these small convolutions
    torch.backends.nnpack.set_flags(False)  # in large batches it is fast, and right to three digits
    with torch.random.fork_rng(devices=[]):
        return CONVOLUTIONS[kind](bias=bias)


def norm_after(conv, eps=1e-5, affine=True, **more):
    """A batch norm for what the convolution returns, in evaluation."""
    return NORMS[len(conv.kernel_size) - 1](conv.out_channels, eps, affine=affine, **more).eval()


def pair(kind, numbers, bias=True, affine=True, eps=1e-5, dtype="float32", norm_dtype=None, scattered=False):
    """A convolution and a batch norm with these numbers: for the convolution `weight` and `bias`, for the norm those of its channels."""
    conv = convolution(kind, bias)
    norm = norm_after(conv, eps, affine)
    channels = conv.out_channels
    with torch.no_grad():
        conv.weight.copy_(numbers["weight"][: conv.weight.numel()].reshape(conv.weight.shape))
        if bias:
            conv.bias.copy_(numbers["bias"][:channels])
        if affine:
            norm.weight.copy_(numbers["gamma"][:channels])
            norm.bias.copy_(numbers["beta"][:channels])
        norm.running_mean.copy_(numbers["running_mean"][:channels])
        norm.running_var.copy_(numbers["running_var"][:channels])
        norm.num_batches_tracked.fill_(7)
    conv, norm = conv.to(getattr(torch, dtype)), norm.to(getattr(torch, norm_dtype or dtype))
    if scattered:
        conv.weight.data = in_other_order(conv.weight.data)
    return conv, norm


def widest(tensor, dtype):
    """The tensor in that dtype. In the exact play of the grader all is float64, and so is what has no dtype of its own."""
    return tensor if dtype == "float32" else tensor.to(getattr(torch, dtype))


def folded(impl, kind, x, numbers, dtype="float32", norm_dtype=None, upstream=None, **more):
    """Fold, and look at the result: its numbers, its kind and its arguments, and what it makes of x."""
    conv, norm = pair(kind, numbers, dtype=exact(x, dtype), norm_dtype=norm_dtype and exact(x, norm_dtype), **more)
    result = impl.fold(conv, norm)
    leaf = widest(x, dtype).clone().requires_grad_(upstream is not None)
    output = result(leaf)
    seen = what_it_is(result, conv) | {
        Place("{name}", name="weight"): result.weight.detach(),
        Place("{name}", name="bias"): None if result.bias is None else result.bias.detach(),
    }
    if dtype == "float32":  # in half precision a weight that is rounded the other way shows more than any tolerance knows
        seen["output"] = output.detach()
    if upstream is None:
        return seen
    go_back(output, upstream[tuple(map(slice, output.shape))])
    return seen | {gradient_of("input"): leaf.grad, gradient_of("{name}", name="weight"): result.weight.grad}


def exact(x, dtype):
    """float64 in the play in which all numbers are float64, but for half precision."""
    return "float64" if dtype == "float32" and x.dtype == torch.float64 else dtype


def what_it_is(result, conv):
    """The kind of the result, its arguments, its mode and its parameters."""
    parameters = dict(result.named_parameters())
    seen = {
        "the class is that of conv": type(result) is type(conv),
        "arguments that are not those of conv": " ".join(name for name in KEPT if getattr(result, name, None) != getattr(conv, name, None)),
        "the result is in training mode": result.training,
        "keys of the state dict": " ".join(sorted(result.state_dict())),
    }
    for name in ("weight", "bias"):
        tensor = parameters.get(name)
        seen[Place("{name} is a parameter that learns", name=name)] = tensor is not None and tensor.requires_grad and tensor.is_leaf
        seen[Place("{name} has a gradient already", name=name)] = tensor is not None and tensor.grad is not None
    return seen


def originals(
    impl, kind, x, numbers, other, bias=True, affine=True, training=False, frozen=False, gradients="as usual", by_name=False, eps=1e-5
):
    """Fold a convolution and a norm that have gradients, which an optimiser waits for, and look at both afterwards. Then write other
    numbers into the result, and into the originals: neither changes the other."""
    conv, norm = pair(kind, numbers, bias, affine, eps, exact(x, "float32"))
    conv.train(training)
    given = {f"conv.{name}": each for name, each in conv.named_parameters()} | {
        f"bn.{name}": each for name, each in norm.named_parameters()
    }
    for number, each in enumerate(given.values()):
        each.grad = torch.full_like(each, 0.5 + number)
        each.requires_grad_(not frozen)
    before, kept = state_of(conv, norm), plain(conv) | plain(norm)
    with torch.set_grad_enabled(gradients == "as usual"):
        result = impl.fold(bn=norm, conv=conv) if by_name else impl.fold(conv, norm)
        grad_mode = torch.is_grad_enabled() == (gradients == "as usual")
    seen = what_it_is(result, conv) | {
        "the grad mode is as before": grad_mode,
        "the result is another object": result is not conv,
        "numbers that changed": changed(before, state_of(conv, norm)),
        "attributes that changed": changed(kept, plain(conv) | plain(norm)),
        "gradients left alone": all(bool((each.grad == 0.5 + number).all()) for number, each in enumerate(given.values())),
        "what needs a gradient": " ".join(name for name, each in given.items() if each.requires_grad),
        "parameters that are other objects": " ".join(name for name, each in given.items() if each is not named(conv, norm).get(name)),
    }
    go_back(result(x.clone()), torch.ones_like(result(x.clone())))
    seen["gradients left alone by training the result"] = all(
        bool((each.grad == 0.5 + number).all()) for number, each in enumerate(given.values())
    )
    with torch.no_grad():
        for each in result.parameters():
            each.data.copy_(other.flatten()[: each.numel()].reshape(each.shape))
        seen["numbers that change with the result"] = changed(before, state_of(conv, norm))
        output = result(x.clone())
        for each in [*given.values(), *(getattr(norm, name) for name in STATISTICS)]:
            each.data.fill_(3.0)
        seen["the result changes with the originals"] = not torch.equal(result(x.clone()), output)
    return seen


def named(conv, norm):
    return {f"{owner}.{name}": each for owner, module in (("conv", conv), ("bn", norm)) for name, each in module.named_parameters()}


def state_of(conv, norm):
    return {
        f"{owner}.{name}": each.clone() for owner, module in (("conv", conv), ("bn", norm)) for name, each in module.state_dict().items()
    }


def plain(module):
    """The plain attributes of a module, and its mode."""
    kept = {key: value for key, value in vars(module).items() if isinstance(value, (bool, int, float, str, tuple, type(None)))}
    return {f"{type(module).__name__}.{key}": value for key, value in kept.items()}


def changed(before, after):
    """The names under which there is something else than before."""
    return " ".join(sorted(name for name in {**before, **after} if not same(before.get(name), after.get(name))))


def same(one, other):
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one.dtype == other.dtype and torch.equal(one, other)
    return type(one) is type(other) and one == other


def refused(impl, numbers):
    """Fold what cannot be folded, and tell the exception; then what is nearly the same, and can be, with its numbers."""
    seen = {}
    for name, spoil in REFUSED.items():
        for kind in ("2d", "transposed groups"):
            conv, norm = spoil(*pair(kind, numbers))
            seen[Place("{name}, {kind}", name=name, kind=kind)] = attempt(impl, conv, norm)
    seen["gradients are on after the refusals"] = torch.is_grad_enabled()
    for name, mend in LEGAL.items():
        seen[Place("{name}", name=name)] = attempt(impl, *mend(*pair("2d", numbers)))
    seen["weight after the refusals"] = impl.fold(*pair("2d", numbers, dtype=exact(numbers["weight"], "float32"))).weight.detach()
    return seen


def seeds(impl, numbers):
    """Fold after two seeds. Building a convolution may draw random numbers, but what is drawn afterwards depends on the seed."""
    drawn = {"torch": set(), "NumPy": set(), "random": set()}
    for seed in (1, 2):
        torch.manual_seed(seed)
        np.random.seed(seed)
        random.seed(seed)
        impl.fold(*pair("2d", numbers))
        drawn["torch"].add(torch.rand(()).item())
        drawn["NumPy"].add(np.random.rand())
        drawn["random"].add(random.random())
    return {Place("random numbers of {name} that follow", name=name): len(each) for name, each in drawn.items()}


def attempt(impl, conv, norm):
    """The kind of the exception that folding raises."""
    try:
        impl.fold(conv, norm)
    except Exception as error:
        return "ValueError" if isinstance(error, ValueError) else type(error).__name__
    return "no exception"


REFUSED = {
    "a norm in training": lambda conv, norm: (conv.eval(), norm.train()),
    "both in training": lambda conv, norm: (conv.train(), norm.train()),
    "a norm without running statistics": lambda conv, norm: (conv, norm_after(conv, track_running_stats=False)),
    "a norm of one channel": lambda conv, norm: (conv, nn.BatchNorm2d(1).eval()),
    "a norm of the input's channels": lambda conv, norm: (conv, nn.BatchNorm2d(conv.in_channels).eval()),
    "a norm of more channels": lambda conv, norm: (conv, nn.BatchNorm2d(2 * conv.out_channels).eval()),
    "a bare norm of one channel": lambda conv, norm: (conv, nn.BatchNorm2d(1, affine=False).eval()),
}
LEGAL = {
    "a convolution in training": lambda conv, norm: (conv.train(), norm),
    "a norm that averages all batches": lambda conv, norm: (conv, norm_after(conv, momentum=None)),
    "a new norm": lambda conv, norm: (conv, norm_after(conv)),
}


class Folding(nn.Module):
    """At every call it folds its norm, which stays in evaluation, into its convolution, and calls the result. Building a convolution may
    draw random numbers, which are put back."""

    def __init__(self, fold, conv, bn):
        super().__init__()
        self.fold, self.conv, self.bn = fold, conv, bn

    def train(self, mode=True):
        super().train(mode)
        self.bn.training = False
        return self

    def forward(self, x):
        self.bn.training = False
        states = torch.get_rng_state(), random.getstate(), np.random.get_state()
        result = self.fold(self.conv, self.bn)
        torch.set_rng_state(states[0])
        random.setstate(states[1])
        np.random.set_state(states[2])
        return result(x)


def folding(impl, kind, bias=True, affine=True, eps=1e-5):
    conv = convolution(kind, bias)
    with torch.no_grad():
        for parameter in conv.parameters():
            parameter.copy_((torch.arange(parameter.numel()) * 7 % 13 - 6.5).reshape(parameter.shape) / 8)  # always the same, and none is 0
    return Folding(impl.fold, conv, norm_after(conv, eps, affine))


BUILDERS = {"folding": folding}
