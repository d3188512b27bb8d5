"""Hidden suite of `batch_renorm`.

Mostly three channels, and never three values in one, but where the channels must not be found by their number. Channels differ in mean and
scale. Where the clipping is not the point, the bounds are so wide that nothing is clipped, or so narrow that everything is. Where eps is
not the point, the inputs are so large that it cannot matter.
"""

from math import inf

from shared import lopsided

from normgrade.suite import build, claim, evaluate, ones, randn, train, uniform, use

SHAPES = [(4, 3), (5, 3, 2), (2, 3, 4, 5)]
WIDE = {"r_max": 1000.0, "d_max": 1000.0}  # bounds that are never reached
PLAIN = {"r_max": 1.0, "d_max": 0.0}  # bounds that leave nothing of the correction


def batch(*shape):
    """A random batch whose channels have each a mean and a scale of their own."""
    per_channel = (1, shape[1], *[1] * (len(shape) - 2))
    return randn(*shape) * uniform(0.6, 1.6, *per_channel) + uniform(-1.5, 1.5, *per_channel)


def large(*shape):
    """A random batch beside whose variances the usual eps is nothing."""
    return batch(*shape) * 1000


def known(layer, number=3):
    """The layer, of that number of channels, with running statistics as large as those of `large`."""
    return layer.filled(running_mean=uniform(-900, 900, number), running_std=uniform(500, 2000, number))


def typical():
    """The layer as it is used, for images, for vectors and for one channel; and the ranks that it refuses."""
    uses = (
        (build(3, 1.5, 0.8, 0.1, 0.3), (2, 3, 4, 3), (5, 3)),
        (build(5, 2.0, 1.2, 1e-3, 0.65), (4, 5, 7), (6, 5)),
        (build(1, eps=1e-3), (4, 1, 5, 2, 3), (2, 1, 5, 4)),
    )
    return [use(built, batch(*shape), batch(*other), [1], [randn(shape[1]), randn(), randn(2)]) for built, shape, other in uses]


def real():
    """Two hundred and sixty channels."""
    return [
        use(build(264, 1.5, 0.8, 1e-3), batch(2, 264, 2, 3), batch(5, 264), [1]),
    ]


@claim(
    "formula",
    hint="Without a correction it is batch norm: one mean and one biased standard deviation per channel, over every other dimension "
    "together.",
)
def test_batch_norm(agree):
    """With r_max=1 and d_max=0 training is batch norm: mean and biased standard deviation per channel, then weight and bias."""
    for shape in [*SHAPES, (3, 3), (3, 3, 3, 3), (2, 3, 2, 5, 4), (2, 3, 4, 1, 2, 5)]:
        agree(build(3, **PLAIN, momentum=0.0), train(large(*shape)), train(large(*shape)))
    agree(build(2, **PLAIN), train(large(1, 2, 70, 60), backward=False))
    agree(build(2100, **PLAIN), train(large(3, 2100), backward=False))


@claim("formula", hint="x̂ = (x − μ_B) / σ_B · r + d with r = σ_B / running_std and d = (μ_B − running_mean) / running_std.")
def test_correction(agree):
    """Where nothing is clipped, r and d bring the output of training to that of evaluation, by the statistics from before the batch."""
    for shape in SHAPES:
        agree(known(build(3, **WIDE, momentum=0.0)), train(large(*shape)), train(large(*shape)))
    agree(known(build(3, inf, inf, momentum=1.0)), train(large(4, 3)), train(large(5, 3)))
    agree(known(build(70, **WIDE), 70), train(large(4, 70, 2)))
    agree(known(build(2, **WIDE), 2), train(large(2, 2, 9, 35)))


@claim(
    "formula", hint="r lies between 1/r_max and r_max, d between −d_max and d_max: clamp both from both sides. The defaults are 3 and 5."
)
def test_clipping(agree):
    """r is clipped to [1/r_max, r_max] and d to [−d_max, d_max], where r_max is 3 and d_max is 5 by default."""
    x = randn(8, 3, 5) * 1000
    x[:, 0] += 6000
    x[:, 2] -= 7000
    for layer in (build(3), build(3, 1.7, 0.6), build(3, 2, 100), build(3, 100, 2), build(3, 1, 100), build(3, 100, 0)):
        clipped = layer.filled(running_mean=0.0, running_std=[100.0, 1200.0, 8000.0])
        agree(clipped, train(x), train(x[:, [2, 0, 1]]))  # in another order, each channel is clipped otherwise


@claim("formula", hint="Evaluation is (x − running_mean) / running_std, then weight and bias: no eps, no r, no d, and nothing is updated.")
def test_evaluation(agree):
    """In evaluation x is normalised by running_mean and running_std as they are, without eps, and they stay as they are."""
    agree(known(build(3)), evaluate(large(4, 3)), evaluate(large(1, 3)), evaluate(large(2, 3, 4, 5)))
    agree(build(3, eps=0.1).filled(running_std=[0.2, 0.03, 1.5]), evaluate(batch(4, 3)))


@claim(
    "formula",
    hint="σ_B is sqrt(var + eps), with eps inside the root, wherever it occurs: under x − μ_B, in r and in the update. The default is "
    "1e-5.",
)
def test_eps(agree):
    """Where the variance is as small as eps, or 0, eps decides: σ_B is √(var + eps) everywhere; its default is 1e-5."""
    for eps, layer in ((1e-5, build(3, momentum=0.5)), (1e-3, build(3, eps=1e-3, momentum=0.5))):
        small = layer.filled(running_mean=uniform(-1, 1, 3) * eps**0.5, running_std=uniform(0.7, 2.0, 3) * eps**0.5)
        agree(small, train(batch(5, 3) * eps**0.5), evaluate(batch(5, 3) * eps**0.5))
    agree(build(3, **PLAIN, momentum=0.5), train(batch(5, 3) * 1e-5**0.5))
    agree(build(3, eps=0.1, momentum=0.5), train(uniform(0.5, 2.0, 1, 3) * ones(5, 1)), evaluate(batch(5, 3)))


@claim(
    "state",
    hint="running ← running + momentum · (batch − running), for the mean and for σ_B itself, after r and d are computed; the default "
    "is 0.01.",
)
def test_running_statistics(agree):
    """The running statistics follow the batches by the momentum, 0.01 by default: the mean, and the standard deviation as it is."""
    for shape in SHAPES:
        agree(known(build(3, momentum=0.3)), train(large(*shape)), train(large(*shape) * 2 + 1), evaluate(large(*shape)))
    for layer in (build(3), build(3, momentum=0.0), build(3, momentum=1.0)):
        agree(known(layer), train(large(4, 3)), evaluate(large(4, 3)))
    tiny = build(3, eps=1e-20, momentum=0.5).filled(running_mean=0.0, running_std=[1e-9, 2e-9, 5e-9])
    agree(tiny, train(batch(5, 3) * 1e-9), evaluate(batch(4, 3) * 1e-9))


@claim(
    "state",
    hint="weight, bias: parameters; running_mean, running_std: buffers, registered with self.register_buffer; they start at 1, 0, 0, 1.",
)
def test_new_layer(agree):
    """A new layer's state dict has weight, bias, running_mean and running_std, with their shapes and initial values."""
    agree(build(3))


@claim("gradient", points=2, hint="r and d are constants, computed under no_grad or detached; μ_B and σ_B in (x − μ_B) / σ_B are not.")
def test_gradients(agree):
    """In training the gradient flows through the mean and the standard deviation of the batch, but not through r and d."""
    agree(known(build(3, **WIDE)), train(large(2, 3, 2)), train(large(1, 3, 2)), train(large(5, 3)), evaluate(large(5, 3)))
    agree(build(3, **PLAIN).filled(weight=[0.0, 1.5, -1.0]), train(large(4, 3)))


@claim("edge", hint="The standard deviation of a single value is sqrt(eps): nothing is refused.")
def test_one_value(agree):
    """One value per channel is fine in training and in evaluation."""
    for shape in [(1, 3), (1, 3, 1, 1)]:
        agree(build(3, eps=0.1, momentum=0.3), train(batch(*shape)), evaluate(batch(*shape)), train(batch(*shape)))


@claim("edge", points=0, hint="Raise a ValueError where x has fewer than 2 dimensions, in both modes.", courtesy=True)
def test_dimensions(refuses):
    """An input of fewer than 2 dimensions is a ValueError, in training and in evaluation."""
    refuses(ValueError, build(3), train(randn(3)), legal=train(batch(2, 3)))
    refuses(ValueError, build(3), evaluate(randn(3)), legal=evaluate(batch(1, 3)))


@claim("precision", hint="Subtract the mean before squaring, in float32 whatever comes in; cast the result back to the input's dtype.")
def test_accuracy(agree):
    """The result stays accurate where the mean is much larger than the standard deviation, and in half precision."""
    agree(build(3), train((randn(8, 3, 2, 4) + 1000) * 1000), train((randn(8, 3) - 1000) * 1e7))
    for dtype, offset in (("float16", 1000), ("bfloat16", 10)):
        layer = build(3, 2.0, 1.0, 1e-12, 0.3).filled(running_mean=0.0).to(dtype)
        agree(layer, train(randn(16, 3, 4) * 200, dtype=dtype), evaluate(randn(16, 3, 4), dtype=dtype))
        agree(layer, train(randn(16, 3, 4) * 1e-3, dtype=dtype), train(randn(16, 3, 4) + offset, dtype=dtype))
        agree(build(3), train(lopsided(16, 3, 4), dtype=dtype))  # distances from the mean that float16 does not hold
        tiny = train(randn(16, 3, 4) * 3e-6, dtype=dtype)  # nor one over such a deviation
        agree(
            build(3, eps=1e-12).filled(running_mean=0.0, running_std=uniform(2e-6, 5e-6, 3)),
            tiny,
            evaluate(randn(8, 3) * 3e-6, dtype=dtype),
        )
        far = build(3).filled(running_mean=offset + uniform(-1, 1, 3))  # float32: it is not rounded for the input
        agree(far, evaluate(randn(8, 3, 2) + offset, dtype=dtype))
