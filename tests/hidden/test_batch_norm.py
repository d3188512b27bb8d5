"""Hidden suite of `batch_norm`.

Mostly three channels, and never three values in one. Channels differ in mean and scale. Where eps is not the point,
the inputs are so large that it cannot matter.
"""

from shared import lopsided

from normgrade.suite import build, claim, copy, evaluate, ones, pickle, randn, reload, train, uniform, use, words

COUNTER = "num_batches_tracked"
SHAPES = [(4, 3), (5, 3, 2), (2, 3, 4, 5)]


def batch(*shape):
    """A random batch whose channels have each a mean and a scale of their own."""
    per_channel = (1, shape[1], *[1] * (len(shape) - 2))
    return randn(*shape) * uniform(0.4, 2.0, *per_channel) + uniform(-1.5, 1.5, *per_channel)


def large(*shape):
    """A random batch beside whose variances the usual eps is nothing."""
    return batch(*shape) * 1000


def typical():
    """The layer as it is used, with every switch, and what it refuses: one value per channel in training, and strange ranks."""
    return [
        used(build(3, 0.1, 0.3), (2, 3, 4, 3), (5, 3)),
        used(build(5, 1e-3, None).watching(COUNTER), (4, 5, 7), (5, 5), single=False),
        used(build(4, 1e-3, 0.3, affine=False).watching(COUNTER), (4, 4, 4, 4), (5, 4)),
        used(build(1, 1e-3, track_running_stats=False), (4, 1, 6), (2, 1, 5, 4), tracks=False),
        used(build(3, 1e-3, affine=False, track_running_stats=False), (5, 3), (2, 3, 5, 4), tracks=False),
    ]


def real():
    """Two hundred and sixty channels, and maps of forty by forty."""
    return [
        use(build(264, 1e-3), batch(2, 264, 2, 3), batch(5, 264), [1]),
        use(build(2, 1e-3), batch(1, 2, 40, 40), batch(4, 2), [1]),
    ]


def used(layer, shape, other, tracks=True, single=True):
    """A use of the layer on these shapes, and what it refuses: strange ranks, and one value per channel.

    One value in the evaluation of a layer that does not track is not graded: there `shape` keeps its samples where it has no positions.
    PyTorch counts a batch of `single` values before it refuses it, and with momentum=None the count is a part of the average.
    """
    ones = ((), (1,), (1, 1)) if tracks and single else ()
    many = (2, shape[1], *[2] * (7 - len(shape)))  # five dimensions or more
    illegal = [*(randn(1, shape[1], *rest) for rest in ones), randn(shape[1]), randn(*many)]
    fixed = [1] if tracks or len(shape) > 2 else [1, -2]
    return use(layer, batch(*shape), batch(*other), fixed, illegal)


@claim("interface", hint="Build it with `BatchNorm(3)` and call it on a tensor of shape (4, 3): a tensor of that shape must come back.")
def test_call(observe):
    """The layer can be built and called, and returns a tensor of its input's shape and dtype."""
    for step, shape in ((train, (4, 3)), (evaluate, (2, 3, 4, 5))):
        output = observe(build(3), step(randn(*shape), backward=False))["step 1 · output"]
        assert output.dtype == "float32", words("the output should be float32, as the input is, but is {dtype}", dtype=output.dtype)


@claim("formula", hint="One mean and one variance per channel, over every other dimension together; the variance divided by n.")
def test_training(agree):
    """In training every channel is normalised by the mean and the biased variance of the batch, then scaled and shifted."""
    for shape in SHAPES:
        agree(build(3, track_running_stats=False), train(large(*shape)), train(large(*shape)))
    outlier = large(20, 3, 10)
    outlier[7, 1, 2] = 1e6
    agree(build(3, track_running_stats=False), train(outlier))
    agree(build(2), train(large(1, 2, 70, 60), backward=False))
    agree(build(2100), train(large(3, 2100), backward=False))


@claim("formula", hint="In evaluation the running statistics take the place of the batch's, in the same formula, and nothing is updated.")
def test_evaluation(agree):
    """In evaluation the running statistics are used, so a single value per channel will do, and they stay as they are."""
    trained = build(3).filled(running_mean=uniform(-900, 900, 3), running_var=uniform(5e5, 2e6, 3))
    agree(trained, evaluate(large(4, 3)), evaluate(large(1, 3)), evaluate(large(2, 3, 4, 5)))


@claim(
    "formula",
    hint="The formula is (x − μ) / sqrt(σ² + eps), in training and in evaluation: eps stands inside the root; its default is 1e-5.",
)
def test_eps(agree):
    """Where the variance is as small as eps, or 0, eps decides: it is added to the variance, inside the root; its default is 1e-5."""
    for eps, layer in ((1e-5, build(3)), (1e-3, build(3, eps=1e-3))):
        small = layer.filled(running_mean=uniform(-0.01, 0.01, 3), running_var=uniform(0.5, 2.0, 3) * eps)
        agree(small, evaluate(batch(5, 3) * eps**0.5), train(batch(5, 3) * eps**0.5))
    agree(build(3, eps=0.1), train(uniform(0.5, 2.0, 1, 3) * ones(5, 1)), evaluate(batch(5, 3)))


@claim(
    "state",
    hint="running ← (1 − momentum) · running + momentum · batch, with the unbiased variance: n − 1, where n counts all values of a "
    "channel.",
)
def test_running_statistics(agree):
    """The running statistics follow the batches by the momentum, with the unbiased variance."""
    for shape in SHAPES:
        agree(build(3, momentum=0.3), train(large(*shape)), train(large(*shape) * 2 + 1), evaluate(large(*shape)))


@claim(
    "state",
    hint="The default momentum is 0.1, the weight of the new batch. momentum=None means the mean over all batches: a weight of 1 / count.",
)
def test_momentum(agree):
    """The momentum is 0.1 by default, 0 freezes the statistics, and None averages over all batches so far."""
    agree(build(3), train(large(4, 3)), evaluate(large(4, 3)))
    for momentum in (0, 0.65, 1):
        moved = build(3, momentum=momentum).filled(running_var=uniform(5e5, 2e6, 3))
        agree(moved, train(large(4, 3)), evaluate(large(4, 3)))
    start = build(3, momentum=None).filled(running_mean=0.0, running_var=1.0, num_batches_tracked=0)
    agree(start, train(large(4, 3)), train(large(4, 3) * 2 - 1), train(large(5, 3)), evaluate(large(4, 3)))
    much = build(3, momentum=None, affine=False).filled(running_var=uniform(5e5, 2e6, 3), num_batches_tracked=100)
    agree(much, train(large(4, 3)), copy(), train(large(2, 3, 2, 2)), evaluate(large(4, 3)))
    agree(build(3, momentum=None, track_running_stats=False), train(large(4, 3)), evaluate(large(4, 3)))


@claim(
    "state",
    hint="weight, bias: parameters; running_mean, running_var, num_batches_tracked: buffers; a switched-off one is registered as None.",
)
def test_new_layer(agree):
    """A new layer's state dict has PyTorch's keys, shapes and initial values, and none for what is switched off."""
    agree(build(3))
    agree(build(5, affine=False))
    agree(build(5, track_running_stats=False))


@claim("state", hint="num_batches_tracked is an integer buffer that grows by one at every training step, and only there.")
def test_counter(agree):
    """The batches are counted in training, whatever the momentum, and not in evaluation; every copy of the layer counts on."""
    for momentum, moved in ((0.1, pickle()), (0, copy()), (None, reload())):
        layer = build(3, momentum=momentum).filled(running_var=1e6).watching(COUNTER)
        agree(layer, train(large(4, 3)), evaluate(large(4, 3)), moved, train(large(4, 3)), train(large(4, 3), gradients="no_grad"))


@claim(
    "gradient",
    hint="In training, mean and variance depend on x: differentiate through them. The running statistics carry no gradient at all.",
)
def test_gradients(agree):
    """In training the gradients flow through the batch's statistics; the running ones carry none from one step to the next."""
    agree(build(3), train(large(2, 3, 2)), train(large(1, 3, 2)), train(large(5, 3)), evaluate(large(5, 3)))
    agree(build(3).filled(weight=[0.0, 1.5, -1.0]), train(large(4, 3)))


@claim("edge", hint="Raise a ValueError in training when every channel has a single value, whatever the switches.")
def test_refusals(refuses):
    """Training on one value per channel is a ValueError."""
    refuses(ValueError, build(3), train(randn(1, 3)), legal=train(randn(2, 3)))
    refuses(ValueError, build(3, track_running_stats=False), train(randn(1, 3)), legal=train(randn(2, 3)))
    refuses(ValueError, build(3), train(randn(1, 3, 1)), legal=train(randn(1, 3, 2)))
    refuses(ValueError, build(3), train(randn(1, 3, 1, 1)), legal=train(randn(1, 3, 2, 1)))
    refuses(ValueError, build(3), train(randn(1, 3, 1, 1)), legal=train(randn(1, 3, 1, 2)))
    for layer in (build(3, momentum=None), build(3, affine=False), build(3, affine=False, track_running_stats=False)):
        refuses(ValueError, layer, train(randn(1, 3), gradients="no_grad"), legal=train(randn(2, 3), gradients="no_grad"))


@claim(
    "edge", points=0, hint="Raise a ValueError for any number of dimensions but 2, 3 and 4, in training and in evaluation.", courtesy=True
)
def test_dimensions(refuses):
    """An input that does not have 2, 3 or 4 dimensions is a ValueError."""
    refuses(ValueError, build(3), train(randn(2, 3, 2, 2, 2)), legal=train(randn(4, 3, 1, 1)))
    refuses(ValueError, build(3), evaluate(randn(3)), legal=evaluate(randn(1, 3)))


@claim(
    "stability",
    hint="The formula is right, but numerically unstable: E[x²] − E[x]² cancels when the mean is large. Subtract the mean first, then "
    "square.",
)
def test_large_offset(agree):
    """The result stays accurate where the mean is much larger than the standard deviation."""
    for layer in (build(3), build(3, affine=False), build(3, track_running_stats=False)):
        agree(layer, train((randn(8, 3, 2, 4) + 1000) * 1000), train((randn(8, 3) - 1000) * 1000))
        agree(layer, train((randn(8, 3, 2, 4) + 10000) * 1000), train((randn(8, 3, 5) + 10000) * 1000, gradients="no_grad"))


@claim("precision", hint="Compute the statistics in float32, whatever comes in; cast the result back to the input's dtype.")
def test_half_precision(agree):
    """Half-precision input is normalised with float32 statistics, in training and evaluation, and comes back in its own dtype."""
    for dtype, offset, momentum in (("float16", 1000, None), ("bfloat16", 10, 0.3)):
        layer = build(3, 1e-12, momentum).filled(running_mean=0.0).watching(COUNTER).to(dtype)
        agree(layer, train(randn(16, 3, 4) * 200, dtype=dtype), evaluate(randn(16, 3, 4), dtype=dtype), train(randn(16, 3, 4), dtype=dtype))
        agree(
            layer,
            train(randn(16, 3, 4) * 1e-3, dtype=dtype),
            train(randn(16, 3, 4) + offset, dtype=dtype),
            evaluate(randn(16, 3, 4) + 1, dtype=dtype),
        )
        agree(build(3, 1e-12).filled(running_mean=0.0, running_var=1e-9), evaluate(randn(4, 3) * 1e-4, dtype=dtype))
        agree(build(3, 1e-12), train(lopsided(16, 3, 4), dtype=dtype))  # distances from the mean, and variances, that float16 does not hold
        agree(build(3, 1e-12), train(randn(16, 3, 4) * 3e-6, dtype=dtype))  # nor one over such a deviation
        far = build(3).filled(running_mean=offset + uniform(-1, 1, 3))  # float32: it is not rounded for the input
        agree(far, evaluate(randn(8, 3, 2) + offset, dtype=dtype))
