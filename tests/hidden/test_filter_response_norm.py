"""Hidden suite of `filter_response_norm`.

No two sizes in a shape agree, except for one shape whose sizes are all the same. Every feature map has a mean and a scale of its own. Where
the threshold is not the point it lies so low that nothing is cut off, for what is cut off hides mistakes. Where eps is not the point, the
inputs are so large that it cannot matter.
"""

import numpy as np
from shared import powers

from normgrade.suite import build, claim, evaluate, randn, train, uniform, use

SHAPES = [(4, 6, 3, 5), (2, 70, 4, 3), (3, 3, 3, 3)]
LOW = -20.0  # a threshold below everything


def maps(samples, channels, height, width):
    """Random images, each feature map of which has a mean and a scale of its own."""
    per_map = (samples, channels, 1, 1)
    return randn(samples, channels, height, width) * uniform(0.4, 2.0, *per_map) + uniform(-1.5, 1.5, *per_map)


def large(*shape):
    """Random images beside whose mean squares the usual eps is nothing."""
    return maps(*shape) * 1000


def typical():
    """The layer as it is used, for several channels and for one; and the ranks that it refuses.

    Some of each channel is cut off and some is kept: of a gradient that is 0, half precision leaves right code nothing but rounding.
    """
    uses = (
        (cut(build(3, 0.1), [0.5, -0.6, 0.9], [0.4, -0.5, 0.7]), (4, 3, 2, 5), (2, 3, 4, 3)),
        (cut(build(4, 1e-3), [-0.8, 0.6, 1.1, -0.5], [-0.7, 0.8, 1.0, -0.6]), (2, 4, 3, 5), (5, 4, 2, 3)),
        (cut(build(1, 1e-3), [0.7], [0.5]), (3, 1, 4, 2), (2, 1, 3, 5)),
    )
    return [
        use(built, balanced(*shape), balanced(*other), [1], [randn(4, shape[1], *rest) for rest in ((), (2,), (4, 5, 2))])
        for built, shape, other in uses
    ]


def real():
    """Two hundred and sixty channels."""
    return [
        use(build(264, 1e-3).filled(bias=0.4, threshold=0.3), balanced(2, 264, 3, 3), balanced(1, 264, 3, 2), [1]),
    ]


def cut(layer, bias, threshold):
    """The layer with a threshold that lies near the bias of its channel."""
    return layer.filled(bias=bias, threshold=threshold)


def balanced(*shape):
    """Random images, each feature map of which has a scale of its own, and numbers of either sign."""
    per_map = (*shape[:2], 1, 1)
    return (randn(*shape) + uniform(-0.5, 0.5, *per_map)) * uniform(0.4, 2.0, *per_map)


@claim(
    "formula",
    points=2,
    hint="Square x, average over H and W alone with keepdim=True, add eps, take the root; divide x by that; then weight and bias.",
)
def test_feature_maps(agree):
    """Every feature map is divided by its own root mean square, then scaled and shifted by the numbers of its channel."""
    for shape in SHAPES:
        agree(build(shape[1]).filled(threshold=LOW), train(large(*shape)), evaluate(large(*shape)))
    outlier = large(1, 2, 40, 33)
    outlier[0, 1, 37, 29] = 1e6
    agree(build(2).filled(threshold=LOW), train(outlier))
    for shape in [(1, 2, 70, 60), (1, 2100, 2, 1)]:
        agree(build(shape[1]).filled(threshold=LOW), evaluate(large(*shape), backward=False))


@claim(
    "formula",
    points=2,
    hint="After weight and bias, take the larger one of y and threshold: torch.maximum(y, threshold), with one threshold per channel.",
)
def test_threshold(agree):
    """The output is the larger one of y and the threshold of its channel, be that positive, negative or 0."""
    layer = build(4).filled(threshold=[0.4, -0.6, 0.0, 1.1], bias=[0.3, -0.4, 0.5, 0.8])
    agree(layer, train(large(5, 4, 3, 2)), evaluate(large(4, 4, 4, 4)))


@claim(
    "formula",
    hint="Subtract nothing: the mean of x stays in x, and in the mean of the squares. With the variance it would be instance norm.",
)
def test_mean_stays(agree):
    """A feature map whose mean is far from 0 keeps it: nothing is subtracted, neither above the fraction line nor below."""
    layer = build(3).filled(threshold=LOW)
    agree(layer, train(randn(4, 3, 2, 5) * 300 + 2000), evaluate(randn(2, 3, 4, 3) * 300 - 2000))


@claim("formula", hint="The formula is x / sqrt(mean(x²) + eps): eps stands inside the root, added to the mean, and its default is 1e-6.")
def test_eps(agree):
    """Where the mean square is as small as eps, or 0, eps decides: it is added to the mean square, inside the root; its default is 1e-6."""
    for eps, layer in ((1e-6, build(3)), (1e-3, build(3, eps=1e-3))):
        agree(layer.filled(threshold=LOW), train(maps(4, 3, 2, 5) * eps**0.5), evaluate(maps(2, 3, 4, 3) * eps**0.5))
    x = maps(4, 3, 2, 5)
    x[1, 2] = x[3] = 0
    agree(build(3, 0.1).filled(threshold=LOW), train(x), evaluate(x[1:3]))
    agree(build(3), train(x), evaluate(x[1:3]))


@claim(
    "state", hint="weight, bias and threshold are nn.Parameters of shape (num_features,) that start at 1, 0 and 0; there is nothing else."
)
def test_new_layer(agree):
    """A new layer's state dict has weight, bias and threshold: parameters of shape (C,) that start at 1, 0 and 0."""
    agree(build(70))


@claim(
    "gradient",
    hint="Differentiate through the root mean square. Where y is cut off, the gradient is threshold's; elsewhere that of x, weight and "
    "bias.",
)
def test_gradients(agree):
    """The gradient flows through the root mean square as well, and reaches x, weight and bias, or the threshold."""
    agree(build(3), train(large(4, 3, 2, 5)), evaluate(large(2, 3, 4, 3)))
    agree(build(3).filled(weight=[0.0, 1.5, -1.0], threshold=[-2.0, 0.2, 0.1]), train(large(4, 3, 2, 5)))
    agree(build(3).filled(threshold=[100.0, LOW, 0.2]), train(large(4, 3, 2, 5)))


@claim("edge", hint="The mean of a single square is that square: with one position x̂ is x / sqrt(x² + eps), not an error.")
def test_one_position(agree):
    """A feature map of one position is divided by its own magnitude, up to eps; so is one of a single row or column by its own."""
    layer = build(3, 0.1)
    agree(layer, train(maps(4, 3, 1, 1)), evaluate(maps(1, 3, 1, 1)), train(maps(2, 3, 1, 5)), evaluate(maps(2, 3, 4, 1)))


@claim("edge", hint="Raise a ValueError for any number of dimensions but 4, in both modes.", courtesy=True)
def test_refusals(refuses):
    """An input that does not have 4 dimensions is a ValueError, in training and in evaluation."""
    for shape in [(3,), (4, 3), (4, 3, 5), (4, 3, 2, 5, 2), (4, 3, 2, 5, 1, 2)]:
        refuses(ValueError, build(3), train(randn(*shape)), legal=train(maps(4, 3, 2, 5)))
    refuses(ValueError, build(3), evaluate(randn(3, 2, 5)), legal=evaluate(maps(1, 3, 2, 5)))


@claim(
    "precision", hint="Square and average in float32, whatever comes in, each map by itself, and cast the result back to the input's dtype."
)
def test_magnitudes(agree):
    """Very small and very large feature maps are all normalised accurately, in float32 and, with float32 statistics, in half precision."""
    layer = build(3, 1e-30).filled(threshold=LOW)
    extreme = [evaluate(randn(2, 3, 4, 3) * scale, backward=False) for scale in (1e17, 1e-12)]
    agree(layer, train(randn(4, 3, 2, 5) * powers(10, -9, 9, 4, 3, 1, 1)), *extreme)
    side_by_side = randn(2, 3, 4, 3) * np.array([1e-12, 1.0, 1e17], np.float32)[:, None, None]
    agree(layer, evaluate(side_by_side, backward=False))
    for dtype in ("float16", "bfloat16"):
        half = build(3, 1e-12).filled(threshold=-10.0).to(dtype)
        agree(half, evaluate(randn(4, 3, 5, 6) * 3e-6, dtype=dtype))  # one over its root mean square is no number of float16
        agree(half, train(randn(4, 3, 5, 6) * 300, dtype=dtype), evaluate(randn(4, 3, 5, 6) * 1e-4, dtype=dtype))
