"""Hidden suite of `instance_norm`.

Three channels, several samples, and no two sizes of a shape agree; instances differ in mean and scale within a sample and within a channel;
the momentum is not one half. Where eps is not the point, the inputs are so large that it cannot matter.
"""

from shared import lopsided

from normgrade.suite import build, claim, evaluate, ones, randn, train, uniform, use

COUNTER = "num_batches_tracked"


def instances(*shape):
    """A random batch whose instances, each a channel of a sample, have a mean and a scale of their own."""
    per_instance = (*shape[:2], *[1] * (len(shape) - 2))
    return randn(*shape) * uniform(0.4, 2.0, *per_instance) + uniform(-1.5, 1.5, *per_instance)


def large(*shape):
    """A random batch beside whose variances the usual eps is nothing."""
    return instances(*shape) * 1000


def tracking(**arguments):
    """A layer that tracks, whose running statistics are as large as those of `large`."""
    layer = build(3, track_running_stats=True, **arguments)
    return layer.filled(running_mean=uniform(-900, 900, 3), running_var=uniform(5e5, 2e6, 3))


def typical():
    """The layer as it is used, with every switch, for one channel and for several."""
    return [
        used(build(3, 0.1, 0.27, True, True), (4, 3, 7, 2), (2, 3, 4, 5), tracks=True),
        used(build(5, 1e-3, affine=False), (2, 5, 7), (5, 5, 3, 2)),
        used(build(4, 1e-3, affine=True), (4, 4, 4), (4, 4, 4, 4)),
        used(build(1, 1e-3, 0.27, track_running_stats=True).watching(COUNTER), (2, 1, 7, 3), (4, 1, 2, 5), tracks=True),
    ]


def real():
    """Two hundred and sixty channels, and maps of forty by forty."""
    return [
        use(build(264, 1e-3, affine=True, track_running_stats=True), instances(2, 264, 2, 3), instances(1, 264, 4), [1]),
        use(build(2, 1e-3), instances(1, 2, 40, 40), instances(2, 2, 30), [1]),
    ]


def used(layer, shape, other, tracks=False):
    """A use of the layer on these shapes, and what it refuses: strange ranks, and one value per instance.

    One value in the evaluation of a layer that tracks is not graded.
    """
    ones = () if tracks else ((1,), (1, 1))
    illegal = [randn(2, shape[1], *rest) for rest in (*ones, (), (2, 2, 2), (1, 2, 1, 2))]
    return use(layer, instances(*shape), instances(*other), [1], illegal)


@claim("formula", hint="One mean and one variance per sample and channel, over all positions together; the variance divided by n.")
def test_instances(agree):
    """Every channel of every sample is normalised by its own mean and biased variance, and nothing else is done unless asked for."""
    for shape in ((4, 3, 7), (2, 3, 4, 5)):
        agree(build(3), train(large(*shape)), train(large(*shape)), evaluate(large(*shape)))
    agree(build(2), train(large(1, 2, 70, 60), backward=False), evaluate(large(1, 2, 4200), backward=False))
    agree(build(2100), evaluate(large(1, 2100, 3), backward=False))


@claim("formula", hint="With affine=True there is one weight and one bias per channel: multiply by the weight, then add the bias.")
def test_affine(agree):
    """With affine=True every channel is scaled by its weight and shifted by its bias, the same for all samples."""
    agree(build(3, affine=True), train(large(2, 3, 4, 5)), train(large(4, 3, 7)))


@claim("formula", hint="The running statistics take the place of the instance's, in the same formula, and nothing is updated.")
def test_evaluation_with_tracking(agree):
    """With tracking, evaluation normalises by the running statistics and leaves them as they are."""
    agree(tracking(affine=True), evaluate(large(2, 3, 4, 5)), evaluate(large(4, 3, 7)))


@claim(
    "formula",
    hint="The formula is (x − μ) / sqrt(σ² + eps), with and without tracking: eps stands inside the root, and its default is 1e-5.",
)
def test_eps(agree):
    """Where the variance is as small as eps, or 0, eps decides: it is added to the variance, inside the root; its default is 1e-5."""
    for eps, arguments in ((1e-5, {}), (1e-3, {"eps": 1e-3})):
        agree(build(3, **arguments), train(instances(4, 3, 7) * eps**0.5))
        small = build(3, track_running_stats=True, **arguments)
        small = small.filled(running_mean=uniform(-0.01, 0.01, 3), running_var=uniform(0.5, 2.0, 3) * eps)
        agree(small, evaluate(instances(4, 3, 7) * eps**0.5))
    agree(
        build(3, 0.1, affine=True), train(uniform(0.5, 2.0, 2, 3, 1) * ones(1, 1, 5)), evaluate(uniform(0.5, 2.0, 2, 3, 1, 1) * ones(4, 5))
    )


@claim(
    "state",
    hint="running ← (1 − momentum) · running + momentum · new. New is the mean over the samples of each instance's own mean and "
    "variance, the latter divided by n − 1, where n counts the positions.",
)
def test_running_statistics(agree):
    """With tracking, the running statistics follow the averages over the batch of the instances' means and unbiased variances."""
    layer = build(3, momentum=0.27, track_running_stats=True)
    agree(layer, train(large(4, 3, 7)), train(large(2, 3, 4, 5) * 2 + 1000), train(large(3, 3, 2)), evaluate(large(4, 3, 7)))


@claim("state", hint="momentum is the weight of the new statistics, and 0.1 by default.")
def test_momentum(agree):
    """The momentum is 0.1 by default, 0 freezes the running statistics, and 1 replaces them."""
    for arguments in ({}, {"momentum": 0}, {"momentum": 0.0}, {"momentum": 1.0}, {"momentum": 0.65}):
        agree(tracking(**arguments), train(large(4, 3, 7)), evaluate(large(4, 3, 7)))


@claim(
    "state",
    hint="weight, bias: parameters; running_mean, running_var, num_batches_tracked: buffers, and nothing ever changes the last; a "
    "switched-off one, as all are by default, is registered as None.",
)
def test_new_layer(agree):
    """A new layer's state dict is empty by default, and has PyTorch's keys, shapes and initial values for what is switched on;
    num_batches_tracked stays 0.
    """
    agree(build(3))
    agree(build(5, affine=True))
    agree(build(5, track_running_stats=True))
    agree(build(3, affine=True, track_running_stats=True))
    agree(tracking().filled(num_batches_tracked=5).watching(COUNTER), train(large(4, 3, 7)), evaluate(large(4, 3, 7)))


@claim(
    "gradient", hint="The mean and the variance of an instance depend on x: differentiate through both. The running ones carry no gradient."
)
def test_gradients(agree):
    """The gradients flow through the instances' statistics; the running ones carry none from one step to the next."""
    agree(build(3, affine=True), train(large(2, 3, 5)), evaluate(large(4, 3, 3)))
    agree(build(3, affine=True).filled(weight=[0.0, 1.5, -1.0]), train(large(2, 3, 5)))
    agree(tracking(affine=True), train(large(2, 3, 5)), train(large(4, 3, 3)), evaluate(large(2, 3, 5)))


@claim("edge", hint="Raise a ValueError where the number of positions, L or H · W, is 1, however many samples there are.")
def test_refusals(refuses):
    """One value per channel where a variance is needed is a ValueError."""
    plain, tracks = build(3), build(3, track_running_stats=True)
    refuses(ValueError, plain, train(randn(1, 3, 1)), legal=train(randn(1, 3, 2)))
    refuses(ValueError, plain, train(randn(4, 3, 1)), legal=train(randn(4, 3, 2)))
    refuses(ValueError, plain, evaluate(randn(2, 3, 1, 1)), legal=evaluate(randn(2, 3, 1, 4)))
    refuses(ValueError, tracks, train(randn(2, 3, 1, 1)), legal=train(randn(2, 3, 4, 1)))
    for layer in (build(3, affine=True), build(3, affine=True, track_running_stats=True)):
        refuses(ValueError, layer, train(randn(2, 3, 1), gradients="no_grad"), legal=train(randn(2, 3, 2), gradients="no_grad"))


@claim("edge", points=0, hint="Raise a ValueError for any number of dimensions but 3 and 4, in training and in evaluation.", courtesy=True)
def test_dimensions(refuses):
    """An input that does not have 3 or 4 dimensions is a ValueError."""
    plain, tracks = build(3), build(3, track_running_stats=True)
    for shape in ((4, 3), (2, 3, 4, 5, 6)):
        refuses(ValueError, plain, train(randn(*shape)), legal=train(randn(4, 3, 2)))
        refuses(ValueError, tracks, evaluate(randn(*shape)), legal=evaluate(randn(2, 3, 4, 5)))


@claim(
    "stability",
    hint="The formula is right, but numerically unstable: E[x²] − E[x]² cancels when the mean is large. Subtract the mean first, then "
    "square.",
)
def test_large_offset(agree):
    """The result stays accurate where the mean is much larger than the standard deviation."""
    agree(build(3), train((randn(2, 3, 4, 8) + 1000) * 1000), evaluate((randn(4, 3, 32) - 1000) * 1000))
    agree(build(3), train((randn(2, 3, 4, 8) + 10000) * 1000))
    agree(build(3, track_running_stats=True), train((randn(4, 3, 16) + 1000) * 1000))


@claim("precision", hint="Compute the statistics in float32, whatever comes in; go back to the input's dtype after scale and shift.")
def test_half_precision(agree):
    """Half-precision input is normalised with float32 statistics, and comes back in its own dtype."""
    for dtype in ("float16", "bfloat16"):
        for layer in (build(3, 1e-12), build(3, 1e-12, 0.27, True, True).filled(running_mean=0.0)):
            layer = layer.to(dtype)
            agree(layer, train(randn(2, 3, 32) * 200, dtype=dtype), evaluate(randn(2, 3, 32), dtype=dtype))
            agree(
                layer,
                train(randn(2, 3, 32) * 1e-3, dtype=dtype),
                train(randn(2, 3, 32) + 10, dtype=dtype),
                evaluate(randn(2, 3, 32) + 1, dtype=dtype),
            )
        for layer in (build(3, 1e-12), build(3, 1e-12, track_running_stats=True)):  # distances and variances that float16 does not hold
            agree(layer, train(lopsided(2, 3, 32), dtype=dtype), train(randn(2, 3, 32) * 3e-6, dtype=dtype))
        far = build(3, track_running_stats=True).filled(running_mean=100 + uniform(-1, 1, 3))  # float32: it is not rounded for the input
        agree(far, evaluate(randn(2, 3, 8) + 100, dtype=dtype))
