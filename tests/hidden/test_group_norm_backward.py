"""Hidden suite of `group_norm_backward`.

No two sizes in a shape agree where that is not the point. Channels differ in mean and scale from sample to sample, weights differ from 1
and from each other. Where eps is not the point, the inputs are so large that it cannot matter.
"""

from shared import channels, weight_and_bias

from normgrade.suite import claim, evaluate, forward_backward, ones, probe, randn, use, words, zeros


def inputs(*shape, scale=1.0):
    """Random channels, a weight and a bias."""
    return [channels(*shape) * scale, *weight_and_bias(shape[1])]


def large(*shape):
    """Channels beside whose variances the usual eps is nothing."""
    return inputs(*shape, scale=1000)


def typical():
    """Images, sequences and vectors, with different eps."""
    illegal = [inputs(1, 4)[0][0], *weight_and_bias(4)]
    unequal = inputs(2, 5, 3)
    return [
        use(forward_backward(2, 0.1), inputs(5, 6, 4), inputs(3, 6, 2, 5), fixed=[1], illegal=[illegal, unequal]),
        use(forward_backward(3, 1e-3), inputs(2, 12, 3, 2), inputs(5, 12), fixed=[1], illegal=[unequal]),
        use(forward_backward(1, 1e-3), inputs(4, 3, 2), inputs(2, 3, 4, 2), fixed=[1]),
        use(forward_backward(4, 1e-3), inputs(3, 4, 5), inputs(2, 4, 2, 3), fixed=[1]),
    ]


def real():
    """Thirty-three groups of eight channels."""
    return [
        use(forward_backward(33), inputs(2, 264, 2, 3), inputs(3, 264), [1]),
    ]


@claim(
    "interface",
    hint="`y, cache = forward(x, weight, bias, 2)`; `backward(dy, cache)` gives `dx, dweight, dbias`, of the shapes of x, weight and bias.",
)
def test_call(observe):
    """Both functions can be called: forward gives y and a cache, backward one gradient for each of its three arrays."""
    x = inputs(2, 4, 3, 4)  # what was written for images alone can be called, and what lets weight lie along the last axis
    seen = observe(forward_backward(2), evaluate(*x))
    assert seen["step 1 · output"].values.shape == (2, 4, 3, 4)
    number = seen["step 1 · number of gradients"]
    assert number == 3, words("backward should return 3 gradients, but returned {number}", number=number)


@claim(
    "formula",
    points=2,
    hint="Mean and biased variance along the last axis of x.reshape(N, G, -1); weight and bias in the shape of x, along axis 1.",
)
def test_forward(agree):
    """forward normalises every group of channels of every sample by its own mean and biased variance, then scales and shifts each
    channel.
    """
    for groups, shape in [
        (2, (4, 6)),
        (3, (2, 12, 3)),
        (2, (3, 4, 2, 5)),
        (1, (2, 3, 4)),
        (4, (2, 4, 3)),
        (3, (2, 3, 2, 2, 4)),
        (2, (3, 2, 1, 2, 1, 4)),
        (40, (2, 80, 3)),
    ]:
        agree(forward_backward(groups), evaluate(*large(*shape), backward=False))
    x, weight, bias = large(2, 4, 30)
    x[1, 1, 7] += 30_000  # many standard deviations from the others
    agree(forward_backward(2), evaluate(x, weight, bias, backward=False))


@claim("edge", points=2, hint="√(σ² + ε) in both passes: keep that root in the cache. The default of eps is 1e-5.")
def test_eps(agree):
    """eps is added to the variance, inside the root, in both passes; it is 1e-5 unless told otherwise."""
    for eps in (0.1, 2.0):
        agree(forward_backward(2, eps), evaluate(*inputs(5, 4, 3)), evaluate(*inputs(3, 2)))
    agree(
        forward_backward(2),
        evaluate(*inputs(5, 4, 3, scale=0.003)),
        evaluate(*inputs(4, 2, 3, scale=1e-4)),
        evaluate(*inputs(5, 2, scale=1e-10)),
    )
    agree(forward_backward(2, 1e-3), evaluate(*inputs(3, 4, 2, scale=0.03)))


@claim("gradient", points=5, hint="With dx̂ = dy · weight: dx = (dx̂ − mean(dx̂) − x̂ · mean(dx̂ · x̂)) / σ, with the means of each group.")
def test_gradient_of_x(agree):
    """The gradient of x flows directly, through the mean, and through the standard deviation of its group."""
    for groups, shape in [
        (2, (4, 6)),
        (3, (2, 12, 3)),
        (2, (3, 4, 2, 5)),
        (1, (2, 3, 4)),
        (4, (2, 4, 3)),
        (2, (2, 4, 35)),
        (3, (2, 3, 2, 2, 2)),
        (1, (1, 2, 50, 45)),
        (40, (2, 80, 3)),
    ]:
        agree(forward_backward(groups), evaluate(*large(*shape)))


@claim(
    "gradient", points=2, hint="All samples and positions share the weight and bias of a channel: sum dy · x̂ and dy over every axis but 1."
)
def test_gradients_of_parameters(agree):
    """The gradients of weight and bias are sums over samples and positions, one for each channel."""
    for shape in [(4, 4), (1, 6, 5), (4, 4, 4), (2, 4, 2, 5), (2, 2, 3, 1, 2, 3), (700, 4)]:
        agree(forward_backward(2), evaluate(*large(*shape)))


@claim("state", hint="Whatever backward needs goes into the cache of its own call: no globals, and nothing that backward uses up.")
def test_cache(agree):
    """A cache belongs to its call: other calls may come in between, and backward may run twice."""
    first, second = inputs(5, 4, 2), inputs(3, 4)
    agree(forward_backward(2, 0.1), evaluate(*first, between=channels(5, 4, 2)), evaluate(*second, between=channels(6, 4)))
    agree(forward_backward(2, 0.1), evaluate(*first, twice=True), evaluate(*first, between=channels(5, 4, 2), twice=True))
    agree(probe("calls_apart", inputs=first, dy=randn(5, 4, 2), calls=[[2, 0.1], [1, 0.1], [4, 2.0], [2]]))


@claim(
    "edge", hint="A constant group, also one of a single value, has x̂ = 0 and σ = √ε: y is bias, and dx is finite. Nothing needs an `if`."
)
def test_constant_groups(agree):
    """Constant groups, groups of one value, and weights of zero are treated as the formula says."""
    x, weight, bias = inputs(5, 4, 3)
    x[:, 2:] = 0.5
    agree(forward_backward(2, 0.1), evaluate(x, weight, bias), evaluate(zeros(2, 4, 3), weight, bias), evaluate(ones(3, 4), weight, bias))
    agree(forward_backward(3, 0.1), evaluate(*inputs(4, 3)), evaluate(*inputs(2, 3, 1, 1)), evaluate(*inputs(1, 3)))
    agree(forward_backward(1, 0.1), evaluate(*inputs(4, 1)), evaluate(*inputs(1, 1, 5)))
    agree(forward_backward(2, 0.1), evaluate(channels(5, 4, 2), ones(4), zeros(4)), evaluate(channels(5, 4, 2), zeros(4), bias))


@claim("stability", hint="Subtract the mean before squaring: E[x²] − E[x]² cancels where the mean is large.")
def test_large_mean(agree):
    """Both passes stay accurate where the mean is much larger than the standard deviation."""
    weight, bias = weight_and_bias(10)
    for offset in (100, 3000):
        agree(forward_backward(2), evaluate(randn(8, 10) + offset, weight, bias), evaluate((randn(3, 10, 4) - offset) * 50, weight, bias))


@claim(
    "precision",
    points=2,
    hint="x.astype(np.promote_types(x.dtype, np.float32)) first, .astype(x.dtype) last, for y and for every gradient.",
)
def test_dtypes(agree):
    """Results have the dtype of x; half precision is computed in float32."""
    for scale in (300, 1e-3):
        agree(forward_backward(2), evaluate(*inputs(40, 16, 2, scale=scale), dtype="float16", backward=True))
    weight, bias = weight_and_bias(4)
    agree(forward_backward(2), evaluate(randn(6, 4, 2) + 300, weight, bias, dtype="float16"))
    steep = evaluate(
        channels(2, 4) * 300, weight * 5, bias, dtype="float16", backward=True, steep=True
    )  # dy · weight is no number of float16
    agree(forward_backward(2), steep)
    agree(forward_backward(2, 1e-12), evaluate(*inputs(5, 4, 2), dtype="float64"), evaluate(*inputs(3, 2, scale=1e-3), dtype="float64"))
