"""Hidden suite of `rms_norm`.

No two sizes in a shape agree where that is not the point. Rows differ in mean and scale, so that centring and a statistic over the wrong
numbers show. Where eps is not the point, the inputs are so large that it cannot matter.
"""

import numpy as np
from shared import powers, rows

from normgrade.suite import build, claim, evaluate, probe, randn, train, uniform, use


def large(*shape):
    """Random rows beside whose mean squares the usual eps is nothing."""
    return rows(*shape) * 1000


def typical():
    """The layer as it is used: RMS norm has no switches, but sizes."""
    return [
        use(build(6, eps=0.1), rows(5, 6), rows(2, 3, 6), [-1]),
        use(build(9, eps=1e-3), rows(2, 1, 2, 1, 2, 9), rows(9), [-1]),
    ]


def real():
    """A layer of a thousand features."""
    return [
        use(build(1100), rows(2, 1100), rows(1, 2, 1100), [-1]),
    ]


@claim(
    "formula", points=2, hint="Square x, average over the last dimension alone with keepdim=True, add eps, take the root; divide x by that."
)
def test_last_dimension(agree):
    """Every position is divided by its own root mean square over the last dimension, then scaled element by element."""
    for shape in [(4, 7), (6, 5, 8), (2, 3, 5, 6), (2, 3, 1, 5, 4), (3, 2), (3, 4, 4), (2, 1030)]:
        agree(build(shape[-1]), train(large(*shape)), train(large(*shape)))
    agree(build(8200), evaluate(large(1, 8200), backward=False))
    outlier = large(3, 200)
    outlier[1, 60] = 1e6
    agree(build(200), train(outlier))


@claim(
    "formula", hint="Subtract nothing: the mean of x stays in x, and in the mean of the squares. With the variance it would be layer norm."
)
def test_mean_stays(agree):
    """A position whose mean is far from 0 keeps it: nothing is subtracted, neither above the fraction line nor below."""
    agree(build(9), train(randn(4, 9) * 300 + 2000), evaluate(randn(5, 2, 9) * 300 - 2000))


@claim("formula", hint="The formula is x / sqrt(mean(x²) + eps): eps stands inside the root, added to the mean, and its default is 1e-6.")
def test_eps(agree):
    """Where the mean square is as small as eps, or 0, eps decides: it is added to the mean square, inside the root; its default is 1e-6."""
    for eps, layer in ((1e-6, build(8)), (1e-3, build(8, eps=1e-3))):
        agree(layer, train(rows(6, 5, 8) * eps**0.5), evaluate(rows(6, 5, 8) * eps**0.5))
    x = rows(5, 6)
    x[1] = x[4] = 0
    agree(build(6, eps=0.1), train(x), evaluate(x[1:3]))
    agree(build(6), train(x), evaluate(x[1:3]))


@claim("state", hint="`weight` is an nn.Parameter of shape (dim,) that starts at ones.")
def test_new_layer(agree):
    """A new layer's state dict has `weight`: a parameter of shape (dim,), all ones."""
    agree(build(6))


@claim("state", hint="RMS norm learns one weight per feature, an nn.Parameter, and nothing else: it has no bias.")
def test_weight_only(agree):
    """One weight per feature is learnt, and nothing else: there is no bias."""
    agree(probe("learnable", dim=6))


@claim("gradient", hint="The root mean square depends on x too: let autograd differentiate through it, without detach, item or no_grad.")
def test_gradients(agree):
    """The gradient flows through the root mean square as well, and reaches input and weight."""
    for shape in [(5, 3), (4, 2, 9)]:
        agree(build(shape[-1]), train(large(*shape)), evaluate(large(*shape)))
    agree(build(3).filled(weight=[0.0, 1.5, -1.0]), train(large(4, 3)))


@claim("edge", hint="Count the dimension from the end, dim=-1: then it does not matter how many come before it, if any.")
def test_one_position(agree):
    """An input may be a single position, without a batch dimension."""
    agree(build(6), train(large(6)), evaluate(large(6)))


@claim("edge", hint="The mean of a single square is that square: with dim=1 the result is γ · x / sqrt(x² + eps), not an error.")
def test_single_feature(agree):
    """A single feature is divided by its own magnitude, up to eps."""
    agree(build(1), train(uniform(-2000, -500, 4, 1)), evaluate(uniform(500, 2000, 3, 2, 1)))


@claim(
    "stability", hint="Each row has a statistic of its own, computed in float32 from its own numbers: nothing is shared with larger rows."
)
def test_magnitudes(agree):
    """Rows of very small and of very large numbers, in one input, are all normalised accurately."""
    ends = np.array([[1e-11], [1.0], [1e12]], np.float32)
    for step in (train, evaluate):
        agree(build(8, eps=1e-30), step(randn(3, 8) * ends, gradients="no_grad"))
        agree(build(8, eps=1e-30), step(randn(6, 8) * powers(10, -9, 9, 6, 1)), step(randn(5, 3, 8) * 1e12, backward=False))
        agree(build(8, eps=1e-30), step(randn(6, 8) * powers(10, -11, 11, 6, 1), gradients="no_grad"))


@claim(
    "precision",
    hint="Square and average in float32, whatever comes in, and cast the result back: a float32 weight must not widen it again.",
)
def test_half_precision(agree):
    """Half-precision input is divided by a root mean square in float32 and comes back in its own dtype, whatever the weight's."""
    for dtype in ("float16", "bfloat16"):
        layer = build(64, eps=1e-12).to(dtype)
        agree(layer, train(randn(5, 64) * 300, dtype=dtype), evaluate(randn(5, 64) * 1e-4, dtype=dtype), train(randn(5, 64), dtype=dtype))
        agree(probe("wide_statistics", x=randn(5, 64), dtype=dtype))
