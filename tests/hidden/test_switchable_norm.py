"""Hidden suite of `switchable_norm`.

No two sizes in a shape agree. Every plane (one channel of one sample) has a mean and a scale of its own, so that the three kinds of
statistics differ. The weights that mix them are six different random numbers, unless a check says otherwise. Where eps is not the point,
the inputs are so large that it cannot matter. Where the running statistics are not the point, the momentum is 0: what is wrong with them
fails the checks of kind state. No float32 input lies far from zero: variances from second moments, as in the paper, are right.
"""

from shared import lopsided

from normgrade.suite import build, claim, evaluate, ones, randn, train, uniform, use

SHAPES = [(4, 6, 3, 5), (5, 3, 4, 2)]


def planes(samples, channels, height, width):
    """Random images, each plane of which has a mean and a scale of its own."""
    return randn(samples, channels, height, width) * uniform(0.4, 2.0, samples, channels, 1, 1) + uniform(
        -1.5, 1.5, samples, channels, 1, 1
    )


def large(*shape):
    """Random images beside whose variances the usual eps is nothing."""
    return planes(*shape) * 1000


def layer(channels, **arguments):
    """A layer whose running statistics are as large as those of `large`; they stay as they are unless a momentum is given."""
    built = build(channels, **{"momentum": 0.0, **arguments})
    return built.filled(running_mean=uniform(-900, 900, channels), running_var=uniform(5e5, 2e6, channels))


def typical():
    """The layer as it is used, for several channels and for one; and the ranks that it refuses."""
    uses = (
        (build(3, 0.1, 0.27), (4, 3, 2, 5), (2, 3, 4, 3)),
        (build(4, 1e-3, 0.3), (4, 4, 4, 4), (2, 4, 5, 3)),
        (build(1, 1e-3), (3, 1, 4, 2), (2, 1, 3, 5)),
    )
    return [
        use(built, planes(*shape), planes(*other), [1], [randn(4, shape[1], *rest) for rest in ((), (2,), (4, 5, 2))])
        for built, shape, other in uses
    ]


def real():
    """Two hundred and sixty channels."""
    return [
        use(build(264, 1e-3), planes(2, 264, 2, 3), planes(1, 264, 3, 3), [1]),
    ]


@claim(
    "formula",
    hint="Three means and three biased variances; a softmax of mean_weight mixes the means, one of var_weight the variances, in the "
    "order instance, layer, batch.",
)
def test_training(agree):
    """In training x is normalised by the mixed mean and the mixed variance of instance, layer and batch, then scaled and shifted."""
    for shape in SHAPES:
        agree(layer(shape[1]), train(large(*shape)), train(large(*shape)))
    for shape in [(1, 2, 70, 60), (1, 2100, 2, 1)]:
        agree(layer(shape[1]), train(large(*shape), backward=False))


@claim(
    "formula",
    hint="Instance: over H and W. Layer: over C, H and W. Batch: over N, H and W. Each variance is that of all those numbers, divided "
    "by n.",
)
def test_one_kind(agree):
    """With all weight on one kind of statistics, the layer is instance norm, layer norm over (C, H, W), or batch norm."""
    for kind in range(3):
        chosen = [0.0 if kind == other else -200.0 for other in range(3)]  # shares of 1, 0 and 0
        agree(layer(5).filled(mean_weight=chosen, var_weight=chosen), train(large(3, 5, 4, 2)), evaluate(large(2, 5, 3, 4)))


@claim(
    "formula",
    hint="In evaluation running_mean and running_var stand in for the batch's statistics alone; instance and layer still come from x.",
)
def test_evaluation(agree):
    """In evaluation only the batch's statistics are replaced, by the running ones, so that no sample depends on another."""
    agree(layer(5), evaluate(large(3, 5, 4, 2)), evaluate(large(1, 5, 2, 3)))


@claim("formula", hint="The formula is (x − μ) / sqrt(σ² + eps) with the mixed σ²: eps stands inside the root, and its default is 1e-5.")
def test_eps(agree):
    """Where the variances are as small as eps, or 0, eps decides: it is added to the variance, inside the root; its default is 1e-5."""
    for eps, built in ((1e-5, build(3, momentum=0.0)), (1e-3, build(3, 1e-3, 0.0))):
        small = built.filled(running_mean=uniform(-0.01, 0.01, 3), running_var=uniform(0.5, 2.0, 3) * eps)
        agree(small, evaluate(planes(4, 3, 2, 5) * eps**0.5), train(planes(4, 3, 2, 5) * eps**0.5))
    plane, image = uniform(-2.0, 2.0, 4, 3, 1, 1) * ones(2, 5), uniform(-2.0, 2.0, 4, 1, 1, 1) * ones(3, 2, 5)
    agree(build(3, 0.1, 0.0), train(plane), evaluate(image), train(image), evaluate(plane))


@claim(
    "state",
    hint="running ← (1 − momentum) · running + momentum · batch, with the biased variance of the batch; evaluation changes nothing.",
)
def test_running_statistics(agree):
    """The running statistics follow the batch's own mean and biased variance by the momentum, and only in training, whatever the batch's
    share is.
    """
    alone = [0.0, -200.0, -200.0]  # the batch's share is 0
    agree(layer(5, momentum=0.27).filled(mean_weight=alone, var_weight=alone), train(large(3, 5, 4, 2)))
    for shape in SHAPES:
        moving = layer(shape[1], momentum=0.27)
        agree(moving, train(large(*shape)), train(large(*shape) * 2 + 1000), evaluate(large(*shape)), evaluate(large(*shape)))


@claim("state", hint="The default momentum is 0.1, the weight of the new batch; with 0 the running statistics stay as they are.")
def test_momentum(agree):
    """The momentum is the weight of the new batch: 0.1 by default; 0 keeps the old statistics, 1 replaces them."""
    for built in (build(3), build(3, momentum=0), build(3, momentum=1.0), build(3, momentum=0.65)):
        known = built.filled(running_mean=uniform(-900, 900, 3), running_var=uniform(5e5, 2e6, 3))
        agree(known, train(large(4, 3, 2, 5)), evaluate(large(4, 3, 2, 5)))


@claim(
    "state",
    hint="Parameters: weight (ones) and bias (zeros) of shape (C,), mean_weight and var_weight (ones) of shape (3,). Buffers: "
    "running_mean (zeros), running_var (ones).",
)
def test_new_layer(agree):
    """A new layer's state dict has the six keys, with their shapes and initial values."""
    agree(build(5))


@claim(
    "gradient",
    hint="All six statistics depend on x in training, and instance and layer statistics in evaluation too: differentiate through them, "
    "and through both softmaxes. The running statistics carry no gradient from earlier batches.",
)
def test_gradients(agree):
    """The gradients flow through all statistics that come from x, and reach weight, bias and both kinds of mixing weights."""
    agree(layer(3), train(large(2, 3, 4, 5)), train(large(5, 3, 2, 4)))
    agree(layer(3).filled(weight=[0.0, 1.5, -1.0]), train(large(2, 3, 4, 5)))
    agree(layer(3, momentum=0.27), train(large(2, 3, 4, 5)), evaluate(large(4, 3, 2, 5)), train(large(5, 3, 2, 4)))


@claim("edge", hint="Raise a ValueError for any number of dimensions but 4, in training and in evaluation.", courtesy=True)
def test_refusals(refuses):
    """Inputs that are not (N, C, H, W) are ValueErrors."""
    refuses(ValueError, build(3), train(randn(4, 3)), legal=train(randn(4, 3, 2, 5)))
    refuses(ValueError, build(3), train(randn(4, 3, 2)), legal=train(randn(1, 3, 4, 2)))
    refuses(ValueError, build(3), train(randn(2, 3, 4, 5, 2)), legal=train(randn(2, 3, 4, 5)))
    refuses(ValueError, build(3), evaluate(randn(3, 4, 2)), legal=evaluate(randn(1, 3, 4, 2)))


@claim(
    "stability",
    hint="The formula is right, but numerically unstable: exp overflows at 100, vanishes at −110. Use torch.softmax, or subtract the "
    "largest weight first.",
)
def test_large_mixing_weights(agree):
    """Only the differences between the mixing weights count, however large or small they are."""
    above, below = uniform(100, 102, 3), uniform(-112, -110, 3)
    agree(layer(3).filled(mean_weight=above, var_weight=below), train(large(4, 3, 2, 5)), evaluate(large(4, 3, 2, 5)))
    agree(layer(3).filled(mean_weight=below, var_weight=above), train(large(4, 3, 2, 5)))


@claim("precision", hint="Compute the statistics in float32, whatever comes in; cast the result back to the input's dtype.")
def test_half_precision(agree):
    """Half-precision input is normalised with float32 statistics, in training and evaluation, and comes back in its own dtype."""
    for dtype in ("float16", "bfloat16"):
        even = build(3, 1e-12, 0.27).filled(mean_weight=uniform(0.8, 1.2, 3), running_mean=0.0).to(dtype)
        agree(even, train(randn(5, 3, 8, 4) * 200, dtype=dtype), evaluate(randn(5, 3, 8, 4), dtype=dtype))
        agree(
            even,
            train(randn(5, 3, 8, 4) * 1e-3, dtype=dtype),
            train(randn(5, 3, 8, 4) + 1, dtype=dtype),
            evaluate(randn(5, 3, 8, 4) + 1, dtype=dtype),
        )
        agree(build(3, 1e-12), train(lopsided(5, 3, 8, 4), dtype=dtype))  # distances from the mean that float16 does not hold
        tiny = train(randn(5, 3, 8, 4) * 3e-6, dtype=dtype)  # nor one over such a deviation
        agree(build(3, 1e-12).filled(mean_weight=0.0, running_mean=0.0), tiny)
