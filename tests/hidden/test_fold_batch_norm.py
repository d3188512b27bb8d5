"""Hidden suite of `fold_batch_norm`.

Every channel has numbers of its own: no γ is 1, no β, bias or running mean is near 0, no running variance near 1. Convolutions have other
numbers of output than of input channels, except for those in which equal ones would hide a wrong axis.
"""

import numpy as np

from normgrade.suite import build, claim, probe, randn, uniform, use

PLAIN = {
    "1d": (2, 3, 6),
    "2d": (2, 3, 4, 5),
    "padded": (2, 3, 3, 4),
    "3d": (1, 2, 3, 4, 3),
    "1 × 1": (2, 4, 3, 2),
    "one channel": (2, 3, 3, 4),
}
GROUPED = {"groups": (2, 4, 5, 3), "depthwise": (2, 4, 5)}
TRANSPOSED = {
    "transposed 1d": (2, 3, 4),
    "transposed 2d": (2, 3, 3, 2),
    "transposed 3d": (1, 2, 3, 2, 3),
    "transposed, as many": (1, 4, 3, 2),
}
TRANSPOSED_GROUPS = {"transposed groups": (2, 4, 3, 2), "transposed depthwise": (2, 4, 3), "transposed groups of one": (2, 3, 4)}
PADDED = {"reflecting": (2, 2, 5, 4), "circular": (1, 2, 5), "replicating": (1, 2, 3, 2, 3), "the same size": (1, 3, 4, 5)}
SIZES = PLAIN | GROUPED | TRANSPOSED | TRANSPOSED_GROUPS | PADDED


def signs(number):
    """Signs, of which some are negative."""
    return np.where(np.arange(number) % 3 == 1, -1, 1).astype(np.float32)


def numbers(channels=6, weights=216):
    """Numbers for a convolution and a batch norm with at most so many channels and weights."""
    return {
        "weight": randn(weights),
        "bias": uniform(0.5, 2.0, channels) * signs(channels),
        "gamma": uniform(1.3, 2.5, channels) * signs(channels)[::-1],
        "beta": uniform(0.5, 3.0, channels) * signs(channels)[::-1],
        "running_mean": uniform(0.5, 2.5, channels) * -signs(channels),
        "running_var": uniform(2.0, 9.0, channels),
    }


def folded(kind, **more):
    """Fold a convolution of that kind, and call the result on x."""
    given = {"numbers": numbers()} | more
    return probe("folded", kind=kind, x=randn(*SIZES[kind]), **given)


def folding(*args, **kwargs):
    """A layer that folds its norm into its convolution in every call."""
    return build(*args, **kwargs).named("folding")


def typical():
    """A convolution as in a ResNet, without a bias; a transposed one with groups; without affine."""
    return [
        use(folding("padded", bias=False), randn(2, 3, 4, 5), randn(1, 3, 3, 6), [1]),
        use(folding("transposed groups", eps=0.1), randn(2, 4, 3, 2), randn(1, 4, 2, 4), [1]),
        use(folding("depthwise", affine=False), randn(2, 4, 5), randn(3, 4, 2), [1]),
    ]


def real():
    """A convolution of seventy channels."""
    return [
        use(folding("large", bias=False), randn(2, 40, 4, 5), randn(1, 40, 6, 3), [1]),
    ]


@claim(
    "interface",
    hint="Call `fold(conv, bn)` with a torch.nn.Conv2d(3, 5, 2) and a torch.nn.BatchNorm2d(5).eval(): a convolution comes back.",
)
def test_call(observe):
    """The function can be called with a convolution and a batch norm, and returns a layer that can be called."""
    observe(folded("2d"))


@claim(
    "formula",
    points=2,
    hint="w′ = s · w and b′ = β + s · (b − μ), with s = γ / √(σ² + ε), one number for each output channel, dimension 0 of the weight.",
)
def test_convolutions(agree):
    """The weight and the bias of the new convolution are those of bn(conv(x)), for inputs of one, two and three dimensions."""
    for kind in PLAIN:
        agree(folded(kind))
    agree(folded("2d", upstream=randn(2, 5, 3, 3)))


@claim("formula", hint="Without a bias b is 0, and what is left of b′ is β − s · μ. The new convolution has a bias in any case.")
def test_without_bias(agree):
    """A convolution without a bias gets one: the norm adds β and subtracts the running mean."""
    for kind in ("1d", "2d", "depthwise", "transposed 2d", "transposed groups"):
        agree(folded(kind, bias=False))
        agree(folded(kind, bias=False, affine=False))


@claim("formula", hint="bn.weight and bn.bias are None if affine is False: γ is 1 and β is 0 then.")
def test_without_affine(agree):
    """A batch norm with affine=False has no γ and no β."""
    for kind in ("2d", "3d", "groups", "transposed 1d", "transposed groups"):
        agree(folded(kind, affine=False))


@claim("formula", hint="ε is bn.eps, whatever it is, and it is added to the running variance, inside the root.")
def test_eps(agree):
    """The eps is that of the batch norm, inside the root."""
    small = numbers()
    small["running_var"] = uniform(0.3, 3.0, 6) * np.float32(1e-5)
    agree(folded("2d", numbers=small))
    for eps in (0.5, 1e-3, 0.0):
        agree(folded("2d", eps=eps))
        agree(folded("transposed groups", eps=eps, bias=False))
    tiny = numbers()
    tiny["running_var"] = uniform(0.3, 3.0, 6) * np.float32(1e-12)
    for eps in (1e-12, 0.0):
        agree(folded("2d", numbers=tiny, eps=eps))
    constant = numbers()
    constant["running_var"] = np.array([0.0, 4.0, 0.0, 1e-3, 1e6, 0.0], np.float32)
    agree(folded("2d", numbers=constant))


@claim(
    "formula", points=0, hint="With groups the output channels of a convolution are still dimension 0 of the weight: (out, in / groups, …)."
)
def test_groups(agree):
    """With groups, down to depthwise, each output channel has its own factor."""
    for kind in GROUPED:
        agree(folded(kind))


@claim(
    "formula",
    hint="The weight of a transposed convolution is (in, out / groups, …): the output channels are dimension 1.",
)
def test_transposed(agree):
    """In a transposed convolution the output channels are dimension 1 of the weight."""
    for kind in TRANSPOSED:
        agree(folded(kind))


@claim(
    "formula",
    points=2,
    hint="Group g has the rows from g · in / groups on, and in them the output channels from g · out / groups on: a factor for each "
    "group and column.",
)
def test_transposed_groups(agree):
    """In a transposed convolution with groups every group has output channels of its own."""
    for kind in TRANSPOSED_GROUPS:
        agree(folded(kind))


@claim("formula", points=0, hint="γ is a factor as it is: negative numbers turn signs round, and with 0 only β is left.")
def test_any_gamma(agree):
    """γ may be negative or 0."""
    given = numbers()
    given["gamma"] = np.array([-2.0, 0.0, 1e-3, -0.5, 30.0, 0.0], np.float32)
    for kind in ("2d", "transposed groups"):
        agree(folded(kind, numbers=given))


@claim(
    "state",
    hint="Every argument of the convolution stays: copy.deepcopy keeps all of them. Paddings of all modes stand before the weight.",
)
def test_arguments(agree):
    """Stride, padding, dilation, output_padding and padding_mode are those of conv, and the result computes with them."""
    for kind in ("groups", "transposed 2d", *PADDED):
        agree(folded(kind, bias=False))


@claim(
    "state",
    hint="The class, the dtype and the mode of conv; `weight` and `bias` are nn.Parameters that need gradients, whatever the old ones "
    "need.",
)
def test_new_convolution(agree):
    """The result is a convolution of the same class and mode, whose weight and bias are parameters that learn."""
    for kind in ("1d", "transposed groups"):
        for training in (True, False):
            for frozen in (True, False):
                agree(originals(kind, training=training, frozen=frozen, bias=training))


@claim(
    "state",
    hint="Change nothing in conv and bn, not even their gradients, and let the result share no tensor with them. copy.copy shares the "
    "dictionary of parameters.",
)
def test_originals(agree):
    """conv and bn stay as they are, and share no tensor with the result."""
    for kind in ("2d", "transposed 1d"):
        for bias in (True, False):
            agree(originals(kind, bias=bias, gradients="no_grad" if bias else "as usual", by_name=not bias))
            agree(originals(kind, bias=bias, affine=False))
        nothing = numbers() | {"running_mean": np.zeros(6, np.float32), "running_var": np.ones(6, np.float32)}
        agree(originals(kind, numbers=nothing, affine=False, eps=0.0, frozen=True))  # a norm that changes no number


def originals(kind, **more):
    """Fold a convolution and a norm, and look at both afterwards."""
    return probe("originals", kind=kind, x=randn(*SIZES[kind]), other=randn(216), **({"numbers": numbers()} | more))


@claim(
    "edge",
    hint="Raise a ValueError before all else: where bn.training, where bn.running_mean is None, and where bn.num_features is not "
    "conv.out_channels.",
)
def test_refusals(agree):
    """A batch norm in training, one without running statistics and one of another number of channels are a ValueError."""
    agree(probe("refused", numbers=numbers()))


@claim("edge", points=0, hint="Set no seed: the numbers that are drawn afterwards must depend on the seed of the caller.")
def test_seeds(agree):
    """Random numbers that are drawn after folding still depend on the seed."""
    agree(probe("seeds", numbers=numbers()))


@claim(
    "edge", points=0, hint="A weight need not lie in one piece, as in channels_last: use reshape, unflatten or broadcasting, and no view."
)
def test_memory(agree):
    """The weight may lie in memory in any order."""
    for kind in ("2d", "groups", "transposed 2d", "transposed groups"):
        agree(folded(kind, scattered=True))


@claim("edge", points=0, hint="Every channel has its own factor: nothing is replaced or clamped, and nothing is shared between channels.")
def test_not_finite(agree):
    """A NaN or an infinity in a channel of the norm reaches the weights of its own channel alone; in x it goes as far as the kernel."""
    for name in ("running_mean", "running_var", "beta"):
        spoilt = numbers()
        spoilt[name][2] = np.nan
        agree(folded("2d", numbers=spoilt))
    x = randn(*SIZES["2d"])
    x[1, 1, 2, 3] = np.inf
    agree(probe("folded", kind="2d", x=x, numbers=numbers()))


@claim("stability", points=0, hint="Subtract the running mean from the bias first, then scale: s · (b − μ).")
def test_magnitudes(agree):
    """Channels of very small and of very large variance are folded accurately side by side."""
    given = numbers()
    given["running_var"] = np.array([1e-10, 1e-4, 1.0, 1e4, 1e10, 1e15], np.float32)
    for kind in ("2d", "transposed groups"):
        agree(folded(kind, numbers=given, eps=1e-12))


@claim("precision", hint="Compute in torch.promote_types(conv.weight.dtype, torch.float32), and cast weight and bias to conv.weight.dtype.")
def test_half_precision(agree):
    """A convolution in half precision is folded in float32 and stays in half precision, whatever the dtype of the norm; float64 stays."""
    for dtype in ("float16", "bfloat16"):
        for norm_dtype in (dtype, "float32"):
            for kind in ("2d", "transposed groups"):
                agree(folded(kind, dtype=dtype, norm_dtype=norm_dtype))
        nearly = numbers()  # β takes most of the old bias away: what is rounded before shows
        deviation = np.sqrt(nearly["running_var"])
        nearly["beta"] = np.float32(-1.03) * (nearly["bias"] - nearly["running_mean"]) * nearly["gamma"] / deviation
        agree(folded("2d", numbers=nearly, dtype=dtype))
        wide = numbers()
        wide["running_var"] = uniform(1e5, 1e6, 6)  # which float16 does not hold
        agree(folded("2d", numbers=wide, dtype=dtype, norm_dtype="float32"))
        steep = numbers()  # below: a factor of 1e5, which float16 does not hold; the weight does
        steep["running_var"], steep["weight"] = uniform(0.5, 2, 6) * np.float32(1e-10), steep["weight"] * np.float32(2.0**-10)
        steep["bias"] = steep["running_mean"] = steep["bias"].round()
        for kind in ("2d", "transposed groups"):
            agree(folded(kind, numbers=steep, dtype=dtype, norm_dtype="float32", eps=0.0))
    agree(folded("2d", dtype="float64"))
