"""How the grader uses your DeepNorm: it reads the coefficients by name, puts sublayers into blocks, and measures the initial weights.

Nothing here is secret, and every probe is played on the right answer too. `take_step` calls a block once, goes back once, and looks at the
output, the gradients of x, `norm.weight` and `norm.bias`, and whether x is as it was.
"""

from functools import partial

import torch
from shared_probes import Called, distance_from_normal_and_uniform, fingerprint, spread_of_lengths

from normgrade.probes import Estimate, Place, fill, gradient_of, settings, take_step

NAMES = ("encoder_alpha", "encoder_beta", "decoder_alpha", "decoder_beta")
HALF_ERROR = 0.1 / 7  # two such estimates may be five times √2 as far apart
FLATNESS = (0.866 + 0.798) / 2  # mean |w| / standard deviation, between that of uniform numbers and that of normal ones
FLATNESS_ERROR = 0.025 / 7


def coefficients(impl, by_place=(), asked_next=(), **by_name):
    """Ask for the coefficients, ask again for those of another Transformer where it is given, and read the first by name."""
    result = impl.deepnorm_coefficients(*by_place, **by_name)
    if asked_next:
        impl.deepnorm_coefficients(*asked_next)
    seen = {}
    for name in NAMES:
        value = getattr(result, name, None)
        seen[Place("result has {name}", name=name)] = hasattr(result, name)
        seen[Place("{name}", name=name)] = None if value is None else float(value)
    return seen


def feed_forward(w1, b1, w2, b2):
    """A sublayer that is no multiple of its input: Linear, tanh, Linear, both with a bias."""
    (hidden, dim), layers = w1.shape, torch.nn.Sequential()
    layers.extend([torch.nn.Linear(dim, hidden), torch.nn.Tanh(), torch.nn.Linear(hidden, dim)])
    fill(layers, {"0.weight": w1, "0.bias": b1, "2.weight": w2, "2.bias": b2})
    return layers


class Mixing(torch.nn.Module):
    """A sublayer that mixes the features and bends them: a linear layer, tanh. Its first weights are always the same; nothing is drawn."""

    def __init__(self, dim):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.linspace(-1, 1, dim * dim).reshape(dim, dim).sin())
        self.bias = torch.nn.Parameter(torch.full((dim,), 0.5))

    def forward(self, x):
        return torch.nn.functional.linear(x, self.weight, self.bias).tanh()


class Pair(torch.nn.Module):
    """A block and the sublayer that it was given, whose parameters are found here whatever the block calls it."""

    def __init__(self, sublayer, block):
        super().__init__()
        self.sublayer = sublayer
        self.block = block

    def forward(self, x):
        return self.block(x)


def block_around_mixing(impl, dim, alpha):
    """A block around layers."""
    sublayer = Mixing(dim)
    return Pair(sublayer, impl.DeepNorm(dim, alpha, sublayer))


def block_around_nothing(impl, dim, alpha):
    """A block around a layer that returns the very tensor it was given, or, beyond two dimensions, a view of it."""
    return impl.DeepNorm(dim, alpha, Called(lambda x: x if x.dim() == 2 else x.view_as(x)))


BUILDERS = {"block_around_mixing": block_around_mixing, "block_around_nothing": block_around_nothing}


def block(impl, x, alpha, feed_forward_state, norm, upstream, training=True, sublayer_training=None, scattered=False):
    """Put a feed-forward net into a block, in training or in evaluation mode; `norm` holds the norm's weight and bias.

    With `sublayer_training` the sublayer alone is then put into that mode. A hook counts its calls, to the end of the backward pass.
    """
    sublayer, calls = feed_forward(*feed_forward_state), []
    sublayer.register_forward_pre_hook(lambda *_call: calls.append(1))
    layer = impl.DeepNorm(x.shape[-1], alpha, sublayer)
    state = dict(zip(("norm.weight", "norm.bias"), norm, strict=True))
    fill(layer, state)
    layer.train(training)
    if sublayer_training is not None:
        sublayer.train(sublayer_training)
    seen = take_step(layer, x, upstream, scattered, state)
    seen["the sublayer is in training mode"] = sublayer.training
    seen["calls of the sublayer"] = len(calls)
    return seen | {gradient_of("the sublayer's {name}", name=name): parameter.grad for name, parameter in sublayer.named_parameters()}


def block_around_function(impl, x, alpha, weight, norm, upstream):
    """The sublayer may be any callable: here a function whose weight is filled in. It is called once by each of three forwards, the last of
    which has a backward pass, and with x itself; this one mixes neighbouring positions and neighbouring samples."""
    received = []

    def sublayer(weight, given):
        received.append(given.detach().clone())
        return torch.tanh(given.roll((1, 1), dims=(0, -2)) @ weight + 0.5)

    layer = impl.DeepNorm(alpha=alpha, sublayer=partial(sublayer, weight), dim=x.shape[-1])
    state = dict(zip(("norm.weight", "norm.bias"), norm, strict=True))
    fill(layer, state)
    for training in (True, False):
        layer.train(training)
        with torch.no_grad():
            layer(x.clone())
    seen = take_step(layer, x, upstream, False, state)
    return seen | {"calls of the sublayer": len(received), "what the sublayer receives": received[0] if received else None}


def block_around_identity(impl, x, alpha, norm, upstream):
    """The sublayer may return the very tensor it was given, as dropout does in evaluation."""
    layer = impl.DeepNorm(x.shape[-1], alpha, torch.nn.Identity())
    state = dict(zip(("norm.weight", "norm.bias"), norm, strict=True))
    fill(layer, state)
    return take_step(layer, x, upstream, False, state)


def new_block(impl, dim, hidden, alpha):
    """A new block around a sublayer in evaluation mode, half of whose parameters are frozen: its norm's initial state, what it learns,
    and whether the sublayer is as it was."""
    sublayer = torch.nn.Sequential(torch.nn.Linear(dim, hidden), torch.nn.Tanh(), torch.nn.Linear(hidden, dim)).eval()
    sublayer[0].requires_grad_(False)
    layer = impl.DeepNorm(dim, alpha, sublayer)
    state, inner = layer.state_dict(keep_vars=True), {id(parameter) for parameter in sublayer.parameters()}
    learnt = [parameter for parameter in layer.parameters() if parameter.requires_grad]
    further = {name for name, value in state.items() if id(value) not in inner} - {"norm.weight", "norm.bias"}
    return {
        Place("state_dict · {name}", name="norm.weight"): state.get("norm.weight"),
        Place("state_dict · {name}", name="norm.bias"): state.get("norm.bias"),
        "parameters() gives the sublayer's": inner <= {id(parameter) for parameter in layer.parameters()},
        "learnt numbers of the sublayer": sum(parameter.numel() for parameter in learnt if id(parameter) in inner),
        "learnt numbers beside the sublayer's": sum(parameter.numel() for parameter in learnt if id(parameter) not in inner),
        Place("further keys of the state dict"): ", ".join(sorted(further)),
        "the sublayer is in training mode": sublayer.training,
    }


def half_block(impl, x, alpha, dtype, norm_dtype=None):
    """A block in half precision around `Mixing`, or, with a `norm_dtype` of its own, around tanh: what comes out, which may be off by as
    much as 0.1, and the norm's weight, which stays as it is."""
    narrow = x.to(getattr(torch, dtype))
    layer = impl.DeepNorm(x.shape[-1], alpha, torch.nn.Tanh() if norm_dtype else Mixing(x.shape[-1]))
    layer.to(getattr(torch, norm_dtype or dtype))
    seen = {"output": Estimate(layer(narrow), HALF_ERROR)}
    return seen | {Place("{name}", name="norm.weight"): layer.state_dict().get("norm.weight")}


def projections(sizes, biased):
    """Six torch.nn.Linear, by name: (in, out) as `sizes` says. Every weight is 0.5 and every bias 0.25, whatever you make of them."""
    linears = {name: torch.nn.Linear(*size, bias=name in biased) for name, size in sizes.items()}
    for linear in linears.values():
        torch.nn.init.constant_(linear.weight, 0.5)
        if linear.bias is not None:
            torch.nn.init.constant_(linear.bias, 0.25)
    return linears


def initial_weights(impl, sizes, beta):
    """Initialise, and measure every matrix: its gain, which is its standard deviation in units of Xavier's, its mean, and whether its
    numbers are drawn one by one, from a normal or a uniform distribution."""
    linears = projections(sizes, biased=sizes)
    impl.deepnorm_init_(**linears, beta=beta)
    seen = {}
    for name, linear in linears.items():
        seen |= measured(f"{name}.weight", linear.weight)
    together = torch.cat([linear.weight.detach().flatten() / linear.weight.detach().square().mean().sqrt() for linear in linears.values()])
    seen["all matrices · distance from normal and uniform"] = distance_from_normal_and_uniform(together)
    first, second = drawn(impl, sizes, beta), drawn(impl, sizes, beta)
    seen["matrices that share their numbers"] = len(first + second) - len({*first, *second})
    torch.manual_seed(1)
    first = drawn(impl, sizes, beta)
    torch.manual_seed(1)
    seen["the same seed gives the same numbers"] = drawn(impl, sizes, beta) == first
    return seen


def drawn(impl, sizes, beta):
    """Initialise six layers, and tell the random numbers of their matrices apart."""
    linears = projections(sizes, biased=sizes)
    impl.deepnorm_init_(**linears, beta=beta)
    return [fingerprint(linear.weight) for linear in linears.values()]


def measured(name, weight):
    """What is expected of n random numbers has a standard error, and is compared with regard to it."""
    weight, fans, n = weight.detach(), sum(weight.shape), weight.numel()
    deviation, squares = weight.std(correction=0), weight.square().mean()
    gain = deviation / (2 / fans) ** 0.5
    overlap = (weight @ weight.mT).square().sum() / (n * (fans + 1) * squares**2)  # 1, but for chance, if no number depends on another
    return {
        Place("{matrix} · gain", matrix=name): Estimate(gain, gain / (2 * n) ** 0.5),
        Place("{matrix} · mean", matrix=name): Estimate(weight.mean(), deviation / n**0.5),
        Place("{matrix} · overlap of its rows", matrix=name): Estimate(overlap, 2 / fans),
        Place("{matrix} · spread of the lengths of its rows", matrix=name): spread_of_lengths(weight),
        Place("{matrix} · spread of the lengths of its columns", matrix=name): spread_of_lengths(weight.mT),
        Place("{matrix} · distance from normal and uniform", matrix=name): Estimate(
            (weight.abs().mean() / squares.sqrt() - FLATNESS).abs(), FLATNESS_ERROR
        ),
    }


def initial_biases(impl, sizes, biased, beta):
    """Initialise layers of which only those in `biased` have a bias, and look at it."""
    linears = projections(sizes, biased)
    impl.deepnorm_init_(*linears.values(), beta)
    return {Place("{name}", name=f"{name}.bias"): linear.bias for name, linear in linears.items()}


def others_settings():
    """Those settings of PyTorch that hold for everybody; random numbers are drawn, so their state may move on."""
    return {name: value for name, value in settings().items() if name != "random state"}


def after_init(impl, sizes, beta, dtype="float32"):
    """Initialisation happens in place: the parameters are the same objects as before, keep their dtype, have the new numbers, and still
    learn; but those of `key`, which are frozen, still do not."""
    linears = {name: linear.to(getattr(torch, dtype)) for name, linear in projections(sizes, biased=sizes).items()}
    linears["key"].requires_grad_(False)
    others = others_settings()
    before = {f"{name}.{kind}": getattr(linear, kind) for name, linear in linears.items() for kind in ("weight", "bias")}
    impl.deepnorm_init_(*linears.values(), beta)
    seen = {"PyTorch's settings left alone": others_settings() == others}
    for name, parameter in before.items():
        linear, kind = name.split(".")
        seen[Place("{name} is the same parameter", name=name)] = getattr(linears[linear], kind) is parameter
        seen[Place("dtype of {name}", name=name)] = str(parameter.dtype)
        seen |= measured(name, parameter) if kind == "weight" else {Place("{name} · numbers", name=name): parameter}
        seen[Place("{name} learns", name=name)] = parameter.requires_grad and parameter.is_leaf
    return seen
