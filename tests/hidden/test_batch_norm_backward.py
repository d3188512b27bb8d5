"""Hidden suite of `batch_norm_backward`.

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
    """Images and vectors, with different eps."""
    illegal = [inputs(1, 4)[0][0], *weight_and_bias(4)]
    return [
        use(forward_backward(0.1), inputs(5, 3, 4), inputs(4, 3), fixed=[1], illegal=[illegal]),
        use(forward_backward(1e-3), inputs(2, 4, 3, 2), inputs(6, 4, 1, 3), fixed=[1], illegal=[illegal]),
    ]


def real():
    """Two hundred and sixty channels, and three hundred rows."""
    return [
        use(forward_backward(), inputs(2, 264, 2, 3), inputs(300, 8), [1]),
    ]


@claim(
    "interface",
    hint="`y, cache = forward(x, weight, bias)`; `backward(dy, cache)` gives `dx, dweight, dbias`, of the shapes of x, weight and bias.",
)
def test_call(observe):
    """Both functions can be called: forward gives y and a cache, backward one gradient for each of its three arrays."""
    x = inputs(2, 3, 4, 3)  # what was written for images alone can be called, and what lets weight lie along the last axis
    seen = observe(forward_backward(), evaluate(*x))
    assert seen["step 1 · output"].values.shape == (2, 3, 4, 3)
    number = seen["step 1 · number of gradients"]
    assert number == 3, words("backward should return 3 gradients, but returned {number}", number=number)


@claim(
    "formula",
    points=2,
    hint="Mean and biased variance over every axis but 1, with keepdims=True; weight and bias reshaped so that they lie along axis 1.",
)
def test_forward(agree):
    """forward normalises every channel by its own mean and biased variance, then scales and shifts each channel."""
    for shape in [(4, 6), (5, 3, 2), (2, 3, 4, 5), (3, 3), (3, 3, 3, 3), (2, 3, 2, 5, 4), (2, 3, 2, 1, 2, 3)]:
        agree(forward_backward(), evaluate(*large(*shape), backward=False))
    x, weight, bias = large(30, 2, 2)
    x[7, 1, 1] += 30_000  # many standard deviations from the others
    agree(forward_backward(), evaluate(x, weight, bias, backward=False))


@claim("edge", points=2, hint="√(σ² + ε) in both passes: keep that root in the cache. The default of eps is 1e-5.")
def test_eps(agree):
    """eps is added to the variance, inside the root, in both passes; it is 1e-5 unless told otherwise."""
    for eps in (0.1, 2.0):
        agree(forward_backward(eps), evaluate(*inputs(5, 4, 3)), evaluate(*inputs(3, 2)))
    agree(forward_backward(), evaluate(*inputs(5, 4, 3, scale=0.003)), evaluate(*inputs(4, 2, 3, scale=1e-4)))
    agree(forward_backward(1e-3), evaluate(*inputs(3, 4, 2, scale=0.03)))


@claim("gradient", points=5, hint="With dx̂ = dy · weight: dx = (dx̂ − mean(dx̂) − x̂ · mean(dx̂ · x̂)) / σ, with the means of each channel.")
def test_gradient_of_x(agree):
    """The gradient of x flows directly, through the mean, and through the standard deviation of its channel."""
    for shape in [(5, 3), (4, 3, 2), (2, 3, 4, 5), (3, 2, 2, 1, 3), (70, 2), (1, 2, 70, 60), (2, 2100)]:
        agree(forward_backward(), evaluate(*large(*shape)))


@claim(
    "gradient", points=2, hint="All samples and positions share the weight and bias of a channel: sum dy · x̂ and dy over every axis but 1."
)
def test_gradients_of_parameters(agree):
    """The gradients of weight and bias are sums over samples and positions, one for each channel."""
    for shape in [(4, 4), (1, 3, 5), (3, 3, 3), (2, 3, 2, 5), (2, 2, 3, 1, 2, 3), (700, 3)]:
        agree(forward_backward(), evaluate(*large(*shape)))


@claim("state", hint="Whatever backward needs goes into the cache of its own call: no globals, and nothing that backward uses up.")
def test_cache(agree):
    """A cache belongs to its call: other calls may come in between, and backward may run twice."""
    first, second = inputs(5, 4, 2), inputs(3, 4)
    agree(forward_backward(0.1), evaluate(*first, between=channels(5, 4, 2)), evaluate(*second, between=channels(6, 4)))
    agree(forward_backward(0.1), evaluate(*first, twice=True), evaluate(*first, between=channels(5, 4, 2), twice=True))
    agree(probe("calls_apart", inputs=first, dy=randn(5, 4, 2), calls=[[0.1], [2.0], []]))


@claim(
    "edge", hint="A constant channel, also one of a single value, has x̂ = 0 and σ = √ε: y is bias, and dx is finite. Nothing needs an `if`."
)
def test_constant_channels(agree):
    """Constant channels, channels of one value, and weights of zero are treated as the formula says."""
    x, weight, bias = inputs(5, 4, 3)
    x[:, 1] = 0.5
    agree(forward_backward(0.1), evaluate(x, weight, bias), evaluate(zeros(2, 4, 3), weight, bias))
    agree(forward_backward(0.1), evaluate(ones(3, 4), weight, bias))
    agree(forward_backward(0.1), evaluate(*inputs(1, 3)), evaluate(*inputs(1, 3, 1, 1)), evaluate(*inputs(1, 1)), evaluate(*inputs(4, 1)))
    agree(forward_backward(0.1), evaluate(channels(5, 4, 2), ones(4), zeros(4)), evaluate(channels(5, 4, 2), zeros(4), bias))


@claim("stability", hint="Subtract the mean before squaring: E[x²] − E[x]² cancels where the mean is large.")
def test_large_mean(agree):
    """Both passes stay accurate where the mean is much larger than the standard deviation."""
    weight, bias = weight_and_bias(4)
    for offset in (100, 3000):
        agree(forward_backward(), evaluate(randn(8, 4) + offset, weight, bias), evaluate((randn(3, 4, 5) - offset) * 50, weight, bias))


@claim(
    "precision",
    points=2,
    hint="x.astype(np.promote_types(x.dtype, np.float32)) first, .astype(x.dtype) last, for y and for every gradient.",
)
def test_dtypes(agree):
    """Results have the dtype of x; half precision is computed in float32."""
    for scale in (300, 1e-3):
        agree(forward_backward(), evaluate(*inputs(40, 16, 2, scale=scale), dtype="float16", backward=True))
    weight, bias = weight_and_bias(4)
    agree(forward_backward(), evaluate(randn(6, 4, 2) + 300, weight, bias, dtype="float16"))
    steep = evaluate(
        channels(2, 4) * 300, weight * 5, bias, dtype="float16", backward=True, steep=True
    )  # dy · weight is no number of float16
    agree(forward_backward(), steep)
    agree(forward_backward(1e-12), evaluate(*inputs(5, 4, 2), dtype="float64"), evaluate(*inputs(3, 2, scale=1e-3), dtype="float64"))
