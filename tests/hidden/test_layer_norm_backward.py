"""Hidden suite of `layer_norm_backward`.

No two sizes in a shape agree. Rows differ in mean and scale, weights differ from 1 and from each other. Where eps is not the point, the
inputs are so large that it cannot matter.
"""

from shared import rows, weight_and_bias

from normgrade.suite import claim, evaluate, forward_backward, ones, probe, randn, use, words, zeros


def inputs(*shape, scale=1.0):
    """Random rows, a weight and a bias."""
    return [rows(*shape) * scale, *weight_and_bias(shape[-1])]


def large(*shape):
    """Rows beside whose variances the usual eps is nothing."""
    return inputs(*shape, scale=1000)


def typical():
    """Rows in two and three dimensions, with different eps."""
    return [
        use(forward_backward(0.1), inputs(5, 6), inputs(2, 3, 6), fixed=[-1]),
        use(forward_backward(1e-3), inputs(2, 4, 2, 7), inputs(3, 7), fixed=[-1]),
    ]


def real():
    """Rows of a thousand features."""
    return [
        use(forward_backward(), inputs(2, 1100), inputs(300, 8), [-1]),
    ]


@claim(
    "interface",
    hint="`y, cache = forward(x, weight, bias)`; `backward(dy, cache)` gives `dx, dweight, dbias`, of the shapes of x, weight and bias.",
)
def test_call(observe):
    """Both functions can be called: forward gives y and a cache, backward one gradient for each of its three inputs."""
    seen = observe(forward_backward(), evaluate(*inputs(4, 6)))
    assert seen["step 1 · output"].values.shape == (4, 6)
    number = seen["step 1 · number of gradients"]
    assert number == 3, words("backward should return 3 gradients, but returned {number}", number=number)


@claim(
    "formula",
    points=2,
    hint="Mean and biased variance of each row along axis -1, with keepdims=True; then weight and bias, feature by feature.",
)
def test_forward(agree):
    """forward normalises every row by its own mean and biased variance, then scales and shifts it."""
    for shape in [(4, 6), (2, 5, 3), (3, 3), (3, 3, 3), (2, 3, 1, 4), (7,), (3, 70)]:
        agree(forward_backward(), evaluate(*large(*shape), backward=False))
    x, weight, bias = large(2, 70)
    x[1, 5] += 20_000  # more than eight standard deviations from the others
    agree(forward_backward(), evaluate(x, weight, bias, backward=False))


@claim("edge", points=2, hint="√(σ² + ε) in both passes: keep that root in the cache. The default of eps is 1e-5.")
def test_eps(agree):
    """eps is added to the variance, inside the root, in both passes; it is 1e-5 unless told otherwise."""
    for eps in (0.1, 2.0):
        agree(forward_backward(eps), evaluate(*inputs(4, 6)), evaluate(*inputs(2, 3, 5)))
    agree(
        forward_backward(), evaluate(*inputs(4, 6, scale=0.003)), evaluate(*inputs(3, 4, scale=1e-4)), evaluate(*inputs(5, 3, scale=1e-10))
    )
    agree(forward_backward(1e-3), evaluate(*inputs(4, 6, scale=0.03)))


@claim("gradient", points=4, hint="With dx̂ = dy · weight: dx = (dx̂ − mean(dx̂) − x̂ · mean(dx̂ · x̂)) / σ, with the means of each row.")
def test_gradient_of_x(agree):
    """The gradient of x flows directly, through the mean, and through the standard deviation of its row."""
    for shape in [(4, 6), (2, 5, 3), (3, 2), (2, 3, 1, 4), (3, 70), (1, 8200)]:
        agree(forward_backward(), evaluate(*large(*shape)))


@claim("gradient", points=2, hint="All rows share weight and bias: sum dy · x̂ and dy over every axis but the last.")
def test_gradients_of_parameters(agree):
    """The gradients of weight and bias are sums over all rows, however many axes these have."""
    for shape in [(7,), (1, 5), (4, 4), (3, 2, 3, 5), (2, 1, 3, 2, 4), (4, 4, 4), (700, 3)]:
        agree(forward_backward(), evaluate(*large(*shape)))


@claim(
    "state", points=2, hint="Whatever backward needs goes into the cache of its own call: no globals, and nothing that backward uses up."
)
def test_cache(agree):
    """A cache belongs to its call: other calls may come in between, and backward may run twice."""
    first, second = inputs(4, 6), inputs(3, 2, 6)
    agree(forward_backward(0.1), evaluate(*first, between=rows(4, 6)), evaluate(*second, between=rows(5, 6)))
    agree(forward_backward(0.1), evaluate(*first, twice=True), evaluate(*first, between=rows(4, 6), twice=True))
    agree(probe("calls_apart", inputs=first, dy=rows(4, 6), calls=[[0.1], [2.0], []]))


@claim("edge", hint="A constant row has x̂ = 0 and σ = √ε: y is bias, and dx is finite. Nothing needs an `if`.")
def test_constant_rows(agree):
    """Constant rows, rows of one feature, and gradients that are constant or zero are treated as the formula says."""
    x, weight, bias = inputs(4, 6)
    x[1], x[3] = 0.0, 0.5
    agree(forward_backward(0.1), evaluate(x, weight, bias), evaluate(zeros(2, 6), weight, bias))
    agree(forward_backward(), evaluate(ones(3, 6), weight, bias))
    agree(forward_backward(0.1), evaluate(*inputs(4, 1)), evaluate(*inputs(2, 3, 1)))
    agree(forward_backward(0.1), evaluate(rows(4, 6), ones(6), zeros(6)), evaluate(rows(4, 6), zeros(6), bias))


@claim("stability", hint="Subtract the mean before squaring: E[x²] − E[x]² cancels where the mean is large.")
def test_large_mean(agree):
    """Both passes stay accurate where the mean is much larger than the standard deviation."""
    weight, bias = weight_and_bias(8)
    for offset in (100, 3000):
        agree(forward_backward(), evaluate(randn(4, 8) + offset, weight, bias), evaluate((randn(2, 3, 8) - offset) * 50, weight, bias))


@claim(
    "precision",
    points=2,
    hint="x.astype(np.promote_types(x.dtype, np.float32)) first, .astype(x.dtype) last, for y and for every gradient.",
)
def test_dtypes(agree):
    """Results have the dtype of x; half precision is computed in float32, and float64 stays float64."""
    for scale in (300, 1e-3):
        agree(forward_backward(), evaluate(*inputs(40, 16, scale=scale), dtype="float16", backward=True))
    weight, bias = weight_and_bias(6)
    steep = evaluate(rows(2, 6) * 300, weight * 5, bias, dtype="float16", backward=True, steep=True)  # dy · weight is no number of float16
    agree(forward_backward(), steep)
    agree(forward_backward(), evaluate(randn(4, 6) + 300, weight, bias, dtype="float16"))
    agree(forward_backward(1e-12), evaluate(*inputs(4, 6), dtype="float64"), evaluate(*inputs(2, 3, 6, scale=1e-3), dtype="float64"))
