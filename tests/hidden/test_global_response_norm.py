"""Hidden suite of `global_response_norm`.

No two sizes in a shape agree, except for one shape whose sizes are all the same. Every channel of a sample has a mean and a scale of its
own. If eps is not the point, the lengths are so large that it cannot matter.
"""

import numpy as np
from shared import powers

from normgrade.suite import build, claim, evaluate, randn, train, uniform, use

SHAPES = [(4, 3, 5, 6), (2, 7, 9), (3, 3, 3, 3), (2, 4, 2, 3, 5)]


def maps(*shape):
    """Random inputs (N, …, dim): every channel of a sample has a mean and a scale of its own."""
    each = (shape[0], *(1 for _ in shape[1:-1]), shape[-1])
    return randn(*shape) * uniform(0.3, 2.0, *each) + uniform(-1.5, 1.5, *each)


def large(*shape):
    """Random inputs beside whose lengths the usual eps is nothing."""
    return maps(*shape) * 100


def typical():
    """The layer as it is used, for images, for sequences and for one channel; and the ranks that it refuses."""
    return [
        use(build(3, 0.1), maps(4, 2, 5, 3), maps(2, 4, 3), [-1], [randn(3), randn(4, 3)]),
        use(build(5, 1e-3), maps(2, 4, 5), maps(3, 2, 6, 5), [-1], [randn(5), randn(2, 5)]),
        use(build(1, 1e-3), maps(3, 4, 2, 1), maps(2, 5, 1), [-1], [randn(1), randn(4, 1)]),
    ]


def real():
    """Eleven hundred channels, as after the first layer of an MLP."""
    return [use(build(1100), maps(2, 2, 2, 1100), maps(1, 3, 1100), [-1])]


@claim(
    "formula",
    points=2,
    hint="The length is the root of the sum of squares over all positions of one sample, each channel by itself; divide it by the mean "
    "length of the channels of that sample.",
)
def test_shares(agree):
    """Every channel of a sample is multiplied by its length over the positions, divided by the mean length of the channels."""
    for shape in SHAPES:
        agree(build(shape[-1]).filled(bias=0.0), train(large(*shape)), evaluate(large(*shape)))
    outlier = large(2, 40, 33, 3)
    outlier[1, 37, 29, 1] = 1e5
    agree(build(3), train(outlier))
    agree(build(2), evaluate(large(1, 4200, 1, 2), backward=False))
    uneven = large(3, 4, 2, 9)
    uneven[..., 5] *= 40  # a share of nearly 9, beside some near 0
    agree(build(9), train(uneven))
    uneven = large(2, 3, 400)
    uneven[..., 7] *= 300  # a share of more than a hundred
    agree(build(400), evaluate(uneven, backward=False))
    agree(build(8400), evaluate(large(1, 2, 8400), backward=False))


@claim("formula", hint="y = weight · (x · S) + bias + x: weight scales the product alone, and x is added as it came.")
def test_sum(agree):
    """The product is scaled by weight and shifted by bias, one number each per channel, and x is added to that."""
    layer = build(4).filled(weight=[0.4, -0.6, 0.0, 1.1], bias=[0.3, -0.4, 0.5, 0.0])
    agree(layer, train(maps(5, 3, 2, 4)), evaluate(maps(4, 4, 4, 4)), train(maps(2, 6, 4)))
    agree(build(3).filled(weight=-1.0, bias=2.0), train(maps(2, 4, 3)))


@claim("formula", hint="S = G / (mean(G) + eps): eps is added to the mean of the lengths and to nothing else, and its default is 1e-6.")
def test_eps(agree):
    """If the lengths are as small as eps, eps decides: it is added to the mean length; its default is 1e-6."""
    for eps, layer in ((1e-6, build(3)), (1e-3, build(3, eps=1e-3)), (0.5, build(3, 0.5))):
        agree(layer, train(maps(4, 2, 5, 3) * eps), evaluate(maps(2, 4, 3) * eps))


@claim("state", hint="weight and bias are nn.Parameters of shape (dim,), and both start at zeros; there is nothing else.")
def test_new_layer(agree):
    """A new layer has weight and bias of shape (dim,), both 0, so that it returns x as it came."""
    agree(build(70))
    agree(build(5).as_built(), train(maps(3, 4, 2, 5)), evaluate(maps(2, 3, 5)))


@claim(
    "gradient",
    points=2,
    hint="Differentiate through the lengths and through their mean: a channel also changes the shares of all others of its sample.",
)
def test_gradients(agree):
    """The gradient flows through the lengths and their mean as well, and reaches x, weight and bias."""
    agree(build(3), train(large(4, 2, 5, 3)), evaluate(large(2, 4, 3)))
    agree(build(4).filled(weight=[0.0, 1.5, -1.0, 3.0]), train(large(2, 3, 4)), train(large(1, 5, 2, 4)))


@claim("edge", hint="The slope of a root is infinite at 0, and infinity times 0 is NaN. torch.linalg.vector_norm has a slope of 0 there.")
def test_zero_channels(agree):
    """A channel of zeros becomes bias, and the gradient through its length is 0; so it is if a whole sample is zeros."""
    x = maps(4, 2, 5, 3)
    x[1, :, :, 2] = x[2, ..., :2] = x[3] = 0
    agree(build(3), train(x), evaluate(x[1:3]))
    agree(build(3, 0.1), train(x[:, 0]), train(x[2:]))


@claim("edge", hint="The length of a single number is its magnitude, and the mean of one length is that length: nothing is special there.")
def test_single_numbers(agree):
    """A single position gives magnitudes as lengths, and a single channel has a share of 1, except for eps."""
    agree(build(3, 0.1), train(maps(4, 1, 1, 3)), evaluate(maps(2, 1, 3)), train(maps(2, 1, 5, 3)), evaluate(maps(2, 4, 1, 3)))
    agree(build(1, 0.1), train(maps(4, 3, 2, 1)), evaluate(maps(2, 1, 1)))


@claim("edge", hint="Raise a ValueError if x.dim() is below 3, in both modes.", courtesy=True)
def test_refusals(refuses):
    """An input with fewer than 3 dimensions is a ValueError, in training and in evaluation."""
    for shape in [(), (3,), (4, 3)]:
        for step in (train, evaluate):
            refuses(ValueError, build(3), step(randn(*shape)), legal=step(maps(4, 2, 3)))


@claim("precision", hint="Square and sum in float32, whatever comes in, and cast the result back to the input's dtype.")
def test_magnitudes(agree):
    """Samples of very small and very large numbers are as accurate as any, in float32 and, with float32 statistics, in half precision."""
    layer = build(3, 1e-30).filled(bias=0.0)
    extreme = [evaluate(maps(2, 4, 3) * np.float32(scale), backward=False) for scale in (1e17, 1e-16)]
    agree(layer, train(maps(6, 2, 5, 3) * powers(10, -6, 6, 6, 1, 1, 1)), *extreme)
    agree(layer.to("float64"), train(maps(3, 4, 2, 3) * 1e-16, dtype="float64"), evaluate(maps(2, 4, 3) * 1e-16, dtype="float64"))
    for dtype in ("float16", "bfloat16"):
        half = build(3, 1e-12).to(dtype)
        agree(half, train(maps(4, 5, 6, 3) * 300, dtype=dtype), evaluate(maps(4, 5, 6, 3) * 1e-4, dtype=dtype))
    agree(build(3).to("float16"), evaluate(uniform(4000, 6000, 2, 1200, 3), dtype="float16"))  # nor these lengths, or their mean
    agree(build(3, 1e5).to("float16"), evaluate(maps(4, 5, 6, 3) * 2000, dtype="float16"))  # float16 does not hold this eps
