"""Hidden suite of `partial_rms_norm`.

No two sizes in a shape agree where that is not the point. Rows differ in mean and scale, and the features of a row in scale, so that it
shows which of them were measured. Where eps is not the point, the inputs are so large that it cannot matter. dim · p is a whole number
exactly, or far from one.
"""

import numpy as np
from shared import powers

from normgrade.suite import build, claim, evaluate, randn, train, uniform, use


def rows(*shape):
    """Random rows, each with a mean and a scale of its own, each feature of which has a scale of its own."""
    ones_last = (*shape[:-1], 1)
    return (randn(*shape) * uniform(0.3, 2.0, *ones_last) + uniform(-1.5, 1.5, *ones_last)) * uniform(0.5, 2.0, shape[-1])


def large(*shape):
    """Random rows beside whose mean squares the usual eps is nothing."""
    return rows(*shape) * 1000


def typical():
    """The layer as it is used: with a few of the features measured, with most of them, and with one."""
    return [
        use(build(12, 0.25, eps=0.1), rows(5, 12), rows(2, 3, 12), [-1]),
        use(build(9, 0.7, eps=1e-3), rows(2, 1, 2, 1, 2, 9), rows(9), [-1]),
        use(build(8, eps=1e-3), rows(4, 8), rows(3, 2, 8), [-1]),
    ]


def real():
    """A layer of a thousand features."""
    return [
        use(build(1100), rows(2, 1100), rows(1, 2, 1100), [-1]),
    ]


@claim(
    "formula",
    points=2,
    hint="Square x[..., :k], average over the last dimension with keepdim=True, add eps, take the root; divide the whole of x by that.",
)
def test_first_features(agree):
    """Every position is divided, as a whole, by the root mean square of its own first k features, then scaled element by element."""
    for shape, p in [
        ((4, 16), 0.25),
        ((6, 5, 8), 0.5),
        ((2, 3, 5, 12), 0.75),
        ((2, 3, 1, 5, 4), 0.5),
        ((3, 7), 1.0),
        ((3, 4, 4), 0.5),
        ((2, 640), 0.75),
    ]:
        agree(build(shape[-1], p), train(large(*shape)), evaluate(large(*shape)))
    agree(build(8200, 0.75), evaluate(large(1, 8200), backward=False))


@claim(
    "formula",
    hint="k = max(1, math.ceil(dim * p)): rounded up, a whole number stays as it is, and p = 0 gives 1. The default of p is 0.0625.",
)
def test_rounding(agree):
    """k is dim · p rounded up, and at least 1; the default of p is 0.0625."""
    for dim, p in [(7, 0.3), (9, 0.5), (10, 0.0625), (11, 0.72), (6, 0.0), (8, 0.375), (5, 1), (1, 0.5)]:
        agree(build(dim, p), train(large(3, dim)))
    for dim, p in [
        (101, 0.01),
        (40, 0.96),
        (300, 0.005),
        (40, 0),
        (40, 1),
    ]:  # just above a whole number, nearly all, less than the default, and both ends
        agree(build(dim, p), train(large(2, dim)))
    for dim in (20, 48, 1000):
        agree(build(dim), train(large(2, dim)))


@claim("formula", hint="Subtract nothing: the mean stays in x, and in the mean of the squares.")
def test_mean_stays(agree):
    """A position whose mean is far from 0 keeps it: nothing is subtracted, neither above the fraction line nor below."""
    agree(build(9, 0.5), train(randn(4, 9) * 300 + 2000), evaluate(randn(5, 2, 9) * 300 - 2000))


@claim(
    "formula", hint="The formula is x / sqrt(mean(first²) + eps): eps stands inside the root, added to the mean, and its default is 1e-6."
)
def test_eps(agree):
    """Where the mean square is as small as eps, or 0, eps decides: it is added to the mean square, inside the root; its default is 1e-6."""
    for eps, layer in ((1e-6, build(8, 0.375)), (1e-3, build(8, 0.375, eps=1e-3))):
        agree(layer, train(rows(6, 5, 8) * eps**0.5), evaluate(rows(6, 5, 8) * eps**0.5))
    x = rows(5, 12)
    x[1, :3] = x[4] = 0
    agree(build(12, 0.25, 0.1), train(x), evaluate(x[1:3]))
    agree(build(12, 0.25), train(x), evaluate(x[1:3]))


@claim("state", hint="`weight` is an nn.Parameter of shape (dim,) that starts at ones, and there is nothing else: no bias.")
def test_new_layer(agree):
    """A new layer's state dict has `weight` alone: a parameter of shape (dim,), all ones, whatever p is."""
    agree(build(1000))
    agree(build(6, p=0.5))


@claim(
    "gradient",
    hint="The root mean square depends on the first k features: let autograd differentiate through it, without detach, item or no_grad.",
)
def test_gradients(agree):
    """The gradient flows through the root mean square as well, into the first k features; it reaches input and weight."""
    for shape in [(5, 3), (4, 2, 9)]:
        agree(build(shape[-1], 0.5), train(large(*shape)), evaluate(large(*shape)))
    agree(build(4, 0.5).filled(weight=[0.0, 1.5, -1.0, 0.0]), train(large(3, 4)))


@claim("edge", hint="Cut the first k features out, x[..., :k]. A sum over all of them, with a factor of 0 for the rest, still sees a NaN.")
def test_rest_has_no_say(agree):
    """The features after the first k have no say in the root mean square, whatever they are: huge, NaN or infinite."""
    x = large(4, 8)
    x[:, 3:] *= 1e6
    agree(build(8, 0.375), train(x), evaluate(x))
    for value in (float("nan"), float("inf")):
        spoilt = large(4, 8)
        spoilt[0, 3] = spoilt[2, 7] = value
        agree(build(8, 0.375), train(spoilt), evaluate(spoilt, gradients="no_grad"))


@claim("edge", hint="Count the dimension from the end: then an input may be a single position, and a position a single feature.")
def test_one_position(agree):
    """An input may be a single position, and a position a single feature."""
    agree(build(6, 0.5), train(large(6)), evaluate(large(6)))
    agree(build(1, eps=0.1), train(uniform(-2, -0.5, 4, 1)), evaluate(uniform(0.5, 2, 3, 2, 1)))


@claim(
    "stability", hint="Each row has a statistic of its own, computed in float32 from its own numbers: nothing is shared with larger rows."
)
def test_magnitudes(agree):
    """Rows of very small and of very large numbers, in one input, are all normalised accurately."""
    ends = np.array([[1e-12], [1.0], [1e17]], np.float32)
    for step, scale in ((train, 1e17), (evaluate, 1e-12)):
        agree(build(8, 0.5, eps=1e-30), step(randn(3, 8) * ends, backward=False))
        agree(build(8, 0.5, eps=1e-30), step(randn(6, 8) * powers(10, -9, 9, 6, 1)), step(randn(5, 3, 8) * scale, backward=False))


@claim(
    "precision",
    hint="Square and average in float32, whatever comes in, and cast the result back: a float32 weight must not widen it again.",
)
def test_half_precision(agree):
    """Half-precision input is divided by a root mean square in float32 and comes back in its own dtype."""
    for dtype in ("float16", "bfloat16"):
        layer = build(64, 0.5, eps=1e-12).to(dtype)
        agree(layer, train(randn(5, 64) * 300, dtype=dtype), evaluate(randn(5, 64) * 1e-4, dtype=dtype), train(randn(5, 64), dtype=dtype))
