"""Hidden suite of `l1_batch_norm`.

Mostly three channels, and never three values in one, but where the channels must not be found by their number. Channels differ in mean and
scale. Values lie well above the mean or below it, never near it, where |x − μ| has no slope. Where eps is not the point, the inputs are so
large that it cannot matter.
"""

import numpy as np
from shared import lopsided

from normgrade.suite import build, claim, evaluate, ones, randn, train, uniform, use

SHAPES = [(4, 3), (5, 3, 2), (2, 3, 4, 5)]


def batch(*shape):
    """A random batch whose channels have each a mean and a scale of their own, and no value near that mean."""
    places = np.indices(shape)
    sign = np.where((places.sum(axis=0) - places[1]) % 3, -1.0, 1.0)  # a third of the values lies above the mean, the others below
    per_channel = (1, shape[1], *[1] * (len(shape) - 2))
    values = sign * uniform(0.9, 1.3, *shape) * uniform(0.4, 2.0, *per_channel) + uniform(-1.5, 1.5, *per_channel)
    return values.astype(np.float32)


def large(*shape):
    """A random batch beside whose deviations the usual eps is nothing."""
    return batch(*shape) * 1000


def typical():
    """The layer as it is used, for images, for vectors and for one channel; and the ranks that it refuses."""
    uses = (
        (build(3, 0.1, 0.3), (2, 3, 4, 3), (5, 3)),
        (build(5, 1e-3, 0.65), (4, 5, 7), (6, 5)),
        (build(1, 1e-3), (4, 1, 5, 2, 3), (2, 1, 5, 4)),
    )
    return [use(built, batch(*shape), batch(*other), [1], [randn(shape[1]), randn(), randn(2)]) for built, shape, other in uses]


def real():
    """Two hundred and sixty channels."""
    return [
        use(build(264, 1e-3), batch(2, 264, 2, 3), batch(5, 264), [1]),
    ]


@claim(
    "formula",
    points=2,
    hint="One mean per channel, over every other dimension together; then the mean of |x − mean| over the same dimensions.",
)
def test_training(agree):
    """In training every channel is normalised by the mean and the mean absolute deviation of the batch, then scaled and shifted."""
    for shape in [*SHAPES, (3, 3), (3, 3, 3, 3), (2, 3, 2, 5, 4), (2, 3, 4, 1, 2, 5)]:
        agree(build(3, momentum=0.0), train(large(*shape)), train(large(*shape)))
    agree(build(70, momentum=0.0), train(large(4, 70, 2)))
    agree(build(2, momentum=0.0), train(large(2, 2, 9, 35)))
    agree(build(2), train(large(1, 2, 70, 60), backward=False))
    agree(build(2100), train(large(3, 2100), backward=False))
    outlier = large(20, 3, 10)
    outlier[7, 1, 2] = 1e5
    agree(build(3, momentum=0.0), train(outlier))


@claim(
    "formula",
    hint="In evaluation running_mean and running_dev take the place of the batch's statistics, in the same formula, and nothing is "
    "updated.",
)
def test_evaluation(agree):
    """In evaluation the running statistics are used, and they stay as they are."""
    trained = build(3).filled(running_mean=uniform(-900, 900, 3), running_dev=uniform(500, 2000, 3))
    agree(trained, evaluate(large(4, 3)), evaluate(large(1, 3)), evaluate(large(2, 3, 4, 5)))


@claim(
    "formula", hint="The formula is (x − μ) / (D + eps), in training and in evaluation: eps is added to the deviation; its default is 1e-5."
)
def test_eps(agree):
    """Where the deviation is as small as eps, or 0, eps decides: it is added to the deviation; its default is 1e-5."""
    for eps, layer in ((1e-5, build(3)), (1e-3, build(3, eps=1e-3)), (1e-15, build(3, eps=1e-15))):
        small = layer.filled(running_mean=uniform(-2, 2, 3) * eps, running_dev=uniform(0.5, 2.0, 3) * eps)
        agree(small, evaluate(batch(5, 3) * eps), train(batch(4, 3) * eps), evaluate(batch(5, 3) * eps))
    agree(build(3, eps=0.1), train(uniform(0.5, 2.0, 1, 3) * ones(5, 1)), evaluate(batch(5, 3)))


@claim(
    "state", hint="running ← running + momentum · (batch − running), for the mean and for the deviation; the momentum is 0.1 by default."
)
def test_running_statistics(agree):
    """The running statistics follow the batches by the momentum, 0.1 by default; the deviation goes in as it is."""
    for shape in SHAPES:
        agree(build(3, momentum=0.3), train(large(*shape)), train(large(*shape) * 2 + 1), evaluate(large(*shape)))
    for layer in (build(3), build(3, momentum=0.0), build(3, momentum=1.0)):
        moved = layer.filled(running_mean=uniform(-900, 900, 3), running_dev=uniform(500, 2000, 3))
        agree(moved, train(large(4, 3)), evaluate(large(4, 3)))
    agree(build(3, 0.1, 1.0), train(batch(4, 3)), evaluate(batch(4, 3)))


@claim(
    "state",
    hint="weight, bias: parameters; running_mean, running_dev: buffers, registered with self.register_buffer; they start at 1, 0, 0, 1.",
)
def test_new_layer(agree):
    """A new layer's state dict has weight, bias, running_mean and running_dev, with their shapes and initial values."""
    agree(build(3))


@claim(
    "gradient",
    hint="In training, mean and deviation depend on x: differentiate through them. The running statistics carry no gradient at all.",
)
def test_gradients(agree):
    """In training the gradients flow through the batch's statistics; the running ones carry none from one step to the next."""
    agree(build(3), train(large(2, 3, 2)), train(large(1, 3, 2)), train(large(5, 3)), evaluate(large(5, 3)))
    agree(build(3).filled(weight=[0.0, 1.5, -1.0]), train(large(4, 3)))


@claim(
    "edge",
    hint="The mean absolute deviation of a single value is 0: training gives bias, and moves running_dev towards 0. Nothing is refused.",
)
def test_one_value(agree):
    """One value per channel is fine in training and in evaluation: its deviation is 0."""
    for shape in [(1, 3), (1, 3, 1, 1)]:
        agree(build(3, 0.1, 0.3), train(batch(*shape)), evaluate(batch(*shape)), train(batch(*shape)))


@claim("edge", hint="Raise a ValueError where x has fewer than 2 dimensions, in both modes.", courtesy=True)
def test_refusals(refuses):
    """An input of fewer than 2 dimensions is a ValueError, in training and in evaluation."""
    refuses(ValueError, build(3), train(randn(3)), legal=train(batch(2, 3)))
    refuses(ValueError, build(3), evaluate(randn(3)), legal=evaluate(batch(1, 3)))


@claim("stability", hint="Subtract the mean first, then take absolute values; nothing else is accurate where the mean is large.")
def test_large_offset(agree):
    """The result stays accurate where the mean is much larger than the deviation."""
    agree(build(3), train((batch(8, 3, 2, 4) + 1000) * 1000), train((batch(8, 3) - 1000) * 1e7))
    agree(build(3), train((batch(8, 3, 5) + 10000) * 1000, gradients="no_grad"))


@claim("precision", hint="Compute the statistics in float32, whatever comes in; cast the result back to the input's dtype.")
def test_half_precision(agree):
    """Half-precision input is normalised with float32 statistics, in training and evaluation, and comes back in its own dtype."""
    for dtype, offset in (("float16", 1000), ("bfloat16", 10)):
        layer = build(3, 1e-12, 0.3).filled(running_mean=0.0).to(dtype)
        agree(layer, train(batch(16, 3, 4) * 200, dtype=dtype), evaluate(batch(16, 3, 4), dtype=dtype))
        agree(layer, train(batch(16, 3, 4) * 1e-3, dtype=dtype), train(batch(16, 3, 4) + offset, dtype=dtype))
        agree(build(3, 1e-12), train(lopsided(16, 3, 4), dtype=dtype))  # distances from the mean that float16 does not hold
        far = build(3).filled(running_mean=offset + uniform(-1, 1, 3))  # float32: it is not rounded for the input
        agree(far, evaluate(randn(8, 3, 2) + offset, dtype=dtype))
    agree(build(3, 2e-8).to("float16"), train(batch(8, 3, 4) * 1e-6, dtype="float16"))  # such an eps is 0 in float16
