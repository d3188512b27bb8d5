"""Hidden suite of `group_norm`.

Samples, channels, groups, channels per group and positions are of different number, and the channels of every sample differ in mean and
scale, so that statistics over the wrong numbers show. Where eps is not the point, the inputs are so large that it cannot matter.
"""

from itertools import product

from shared import lopsided

from normgrade.suite import build, claim, evaluate, ones, randn, train, uniform, use


def batch(*shape):
    """A random batch: every channel of every sample has a mean and a scale of its own."""
    per_channel = (*shape[:2], *[1] * (len(shape) - 2))
    return randn(*shape) * uniform(0.4, 2.0, *per_channel) + uniform(-1.5, 1.5, *per_channel)


def large(*shape):
    """A random batch beside whose variances the usual eps is nothing."""
    return batch(*shape) * 1000


def typical():
    """The layer as it is used: with groups of several channels, of all and of one; with weight and bias, and without."""
    return [
        use(build(3, 12, eps=0.1), batch(2, 12, 5), batch(3, 12), [1]),
        use(build(2, 4, eps=1e-3), batch(4, 4, 4, 4), batch(2, 4, 1, 2, 1, 3), [1]),
        use(build(2, 6, eps=1e-3, affine=False), batch(6, 6, 5), batch(6, 6), [1]),
        use(build(1, 4, eps=1e-3), batch(2, 4, 3, 1, 2), batch(3, 4), [1]),
        use(build(4, 4, eps=1e-3, affine=False), batch(3, 4, 2, 5), batch(2, 4, 2, 3, 2), [1]),
    ]


def real():
    """Thirty-three groups of eight channels."""
    return [
        use(build(33, 264), batch(2, 264, 2, 3), batch(3, 264), [1]),
    ]


@claim(
    "formula",
    points=2,
    hint="C/G neighbouring channels at all positions share one mean and one biased variance, in every sample; weight and bias are per "
    "channel.",
)
def test_groups(agree):
    """Every sample is normalised group by group, over neighbouring channels and all positions, then scaled and shifted per channel."""
    for groups, shape in [(3, (2, 12, 7)), (4, (3, 8, 5)), (3, (2, 12, 5, 7)), (2, (2, 80, 30)), (64, (2, 128, 3))]:
        agree(build(groups, shape[1]), train(large(*shape)), train(large(*shape)))
    for groups, shape in [(1, (1, 2, 50, 45)), (32, (1, 4224, 2))]:
        agree(build(groups, shape[1]), evaluate(large(*shape), backward=False))
    outlier = large(2, 12, 20)
    outlier[1, 7, 3] = 1e6
    agree(build(3, 12), train(outlier))


@claim("edge", hint="Whatever comes after the channels is positions: flatten it, reshape(N, G, -1), or count the dimensions of x.")
def test_any_number_of_dimensions(agree):
    """The input may have no positions at all, or positions in three dimensions."""
    for groups, shape in [(3, (5, 12)), (4, (3, 8, 6, 1, 5)), (2, (2, 4, 3, 2, 5))]:
        agree(build(groups, shape[1]), train(large(*shape)))


@claim(
    "formula", hint="One group holds all channels of a sample; as many groups as channels means one channel each. Weights stay per channel."
)
def test_fewest_and_most_groups(agree):
    """A single group takes all channels together, and with as many groups as channels each is on its own."""
    for groups, channels in ((1, 6), (6, 6), (1, 1)):
        agree(build(groups, channels), train(large(1, channels, 5)), evaluate(large(3, channels, 4, 5)))


@claim("formula", hint="The formula is (x − μ) / sqrt(σ² + eps): eps stands inside the root, and its default is 1e-5.")
def test_eps(agree):
    """Where the variance is as small as eps, or 0, eps decides: it is added to the variance, inside the root; its default is 1e-5."""
    for eps, layer in ((1e-5, build(3, 12)), (1e-3, build(1, 12, eps=1e-3)), (1e-3, build(12, 12, eps=1e-3))):
        agree(layer, train(batch(2, 12, 5) * eps**0.5), evaluate(batch(2, 12, 5) * eps**0.5))
    constant = (uniform(0.5, 2.0, 4, 3, 1) * ones(10)).reshape(4, 6, 5)
    agree(build(3, 6, eps=0.1), train(constant), evaluate(uniform(-2.0, -0.5, 4, 1) * ones(1, 6)))
    agree(build(6, 6, eps=0.1), train(batch(4, 6)), evaluate(batch(4, 6, 1, 1)))


@claim("formula", hint="affine=False means neither weight nor bias; everything else stays.")
def test_not_affine(agree):
    """With affine=False the rest of the formula stays as it is."""
    for groups in (3, 1, 12):
        agree(build(groups, 12, affine=False), train(large(2, 12, 5)), evaluate(large(2, 12, 5, 7)))


@claim(
    "state", hint="`weight` and `bias` are nn.Parameters of shape (num_channels,), ones and zeros; affine=False registers None for both."
)
def test_new_layer(agree):
    """A new layer's state dict has PyTorch's keys, shapes and initial values, and none for what is switched off."""
    agree(build(3, 12))
    agree(build(4, 8, affine=False))


@claim("gradient", hint="Mean and variance depend on x too: let autograd differentiate through both of them, without detach or no_grad.")
def test_gradients(agree):
    """The gradients flow through mean and variance as well, and reach input, weight and bias."""
    agree(build(2, 6), train(large(5, 6)), evaluate(large(4, 6, 5)))
    agree(build(2, 6).filled(weight=[0.0, 1.5, -1.0, 0.0, 0.5, 2.0]), train(large(5, 6)))


@claim("edge", hint="Raise a ValueError in __init__, before anything else is done, if num_groups does not divide num_channels.")
def test_uneven_groups(refuses):
    """Channels that cannot be split into groups of the same size are refused with a ValueError, at construction."""
    refuses(ValueError, build(8, 6), legal=build(6, 6))
    refuses(ValueError, build(3, 10), legal=build(5, 10))
    refuses(ValueError, build(5, 12, affine=False), legal=build(3, 12, affine=False))


@claim(
    "stability",
    hint="The formula is right, but numerically unstable: E[x²] − E[x]² cancels when the mean is large. Subtract the mean first, then "
    "square.",
)
def test_large_offset(agree):
    """The result stays accurate where the mean is much larger than the standard deviation."""
    for layer in (build(3, 12), build(3, 12, affine=False), build(1, 12), build(12, 12)):
        agree(layer, train((randn(2, 12, 5, 4) + 1000) * 1000), evaluate((randn(2, 12, 7) - 1000) * 1000))
        agree(layer, train((randn(2, 12, 5, 4) + 10000) * 1000), evaluate((randn(2, 12, 5) + 10000) * 1000, gradients="no_grad"))


@claim("precision", hint="Compute mean and variance in float32, whatever comes in; cast the result back to the input's dtype.")
def test_half_precision(agree):
    """Half-precision input is normalised with float32 statistics, and comes back in its own dtype."""
    shape = 2, 12, 5, 4
    for (dtype, offset), groups in product((("float16", 1000), ("bfloat16", 10)), (3, 1, 12)):
        layer = build(groups, 12, eps=1e-12).to(dtype)
        agree(
            layer,
            train(randn(*shape) * 300, dtype=dtype),
            evaluate(randn(*shape) * 1e-3, dtype=dtype),
            train(randn(*shape) + offset, dtype=dtype),
            train(lopsided(*shape), dtype=dtype),  # what float16 does not hold: a distance from the mean
            evaluate(randn(*shape) * 3e-6, dtype=dtype),  # and one over a deviation
        )
