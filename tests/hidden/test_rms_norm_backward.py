"""Hidden suite of `rms_norm_backward`.

No two sizes in a shape agree. Rows differ in mean and scale, weights differ from 1 and from each other. Where eps is not the point, the
inputs are so large that it cannot matter.
"""

from shared import rows, weights

from normgrade.suite import claim, evaluate, forward_backward, ones, probe, use, words, zeros


def inputs(*shape, scale=1.0):
    """Random rows, and a weight."""
    return [rows(*shape) * scale, weights(shape[-1])]


def large(*shape):
    """Rows beside whose squares the usual eps is nothing."""
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


@claim("interface", hint="`y, cache = forward(x, weight)`; `backward(dy, cache)` gives `dx, dweight`, of the shapes of x and weight.")
def test_call(observe):
    """Both functions can be called: forward gives y and a cache, backward one gradient for each of its two inputs."""
    seen = observe(forward_backward(), evaluate(*inputs(4, 6)))
    assert seen["step 1 · output"].values.shape == (4, 6)
    number = seen["step 1 · number of gradients"]
    assert number == 2, words("backward should return 2 gradients, but returned {number}", number=number)


@claim(
    "formula",
    points=2,
    hint="The mean of x² of each row along axis -1, with keepdims=True; then weight, feature by feature. No mean is subtracted.",
)
def test_forward(agree):
    """forward divides every row by its own root mean square, then scales it."""
    for shape in [(4, 6), (2, 5, 3), (3, 3), (3, 3, 3), (2, 3, 1, 4), (7,), (3, 70)]:
        agree(forward_backward(), evaluate(*large(*shape), backward=False))
    x, weight = large(2, 70)
    x[1, 5] += 20_000  # more than eight times as large as the others
    agree(forward_backward(), evaluate(x, weight, backward=False))


@claim("edge", points=2, hint="√(mean(x²) + ε) in both passes: keep that root in the cache. The default of eps is 1e-6.")
def test_eps(agree):
    """eps is added to the mean square, inside the root, in both passes; it is 1e-6 unless told otherwise."""
    for eps in (0.1, 2.0):
        agree(forward_backward(eps), evaluate(*inputs(4, 6)), evaluate(*inputs(2, 3, 5)))
    agree(
        forward_backward(), evaluate(*inputs(4, 6, scale=1e-3)), evaluate(*inputs(3, 4, scale=3e-5)), evaluate(*inputs(5, 3, scale=1e-10))
    )
    agree(forward_backward(1e-3), evaluate(*inputs(4, 6, scale=0.03)))


@claim("gradient", points=4, hint="With dx̂ = dy · weight: dx = (dx̂ − x̂ · mean(dx̂ · x̂)) / √(mean(x²) + ε), with the mean of each row.")
def test_gradient_of_x(agree):
    """The gradient of x flows directly, and through the root mean square of its row."""
    for shape in [(4, 6), (2, 5, 3), (3, 2), (2, 3, 1, 4), (3, 70), (1, 8200)]:
        agree(forward_backward(), evaluate(*large(*shape)))


@claim("gradient", points=2, hint="All rows share weight: sum dy · x̂ over every axis but the last.")
def test_gradient_of_weight(agree):
    """The gradient of weight is a sum over all rows, however many axes these have."""
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


@claim("edge", points=2, hint="A row of zeros has x̂ = 0 and r = √ε: dx is dx̂/√ε, and finite. Nothing needs an `if`.")
def test_rows_of_zeros(agree):
    """Rows of zeros, constant rows, rows of one feature and weights of zero are treated as the formula says."""
    x, weight = inputs(4, 6)
    x[1], x[3] = 0.0, 0.5
    agree(forward_backward(0.1), evaluate(x, weight), evaluate(zeros(2, 6), weight))
    agree(forward_backward(), evaluate(zeros(3, 6), weight), evaluate(ones(3, 6), weight))
    agree(forward_backward(0.1), evaluate(*inputs(4, 1)), evaluate(*inputs(2, 3, 1)))
    agree(forward_backward(0.1), evaluate(rows(4, 6), ones(6)), evaluate(rows(4, 6), zeros(6)))


@claim(
    "precision",
    points=2,
    hint="x.astype(np.promote_types(x.dtype, np.float32)) first, .astype(x.dtype) last, for y and for every gradient.",
)
def test_dtypes(agree):
    """Results have the dtype of x; half precision is computed in float32."""
    for scale in (300, 1e-3):
        agree(forward_backward(1e-7), evaluate(*inputs(40, 16, scale=scale), dtype="float16", backward=True))
    steep = evaluate(rows(2, 6) * 300, weights(6) * 5, dtype="float16", backward=True, steep=True)  # dy · weight is no number of float16
    agree(forward_backward(), steep)
    agree(forward_backward(1e-12), evaluate(*inputs(4, 6), dtype="float64"), evaluate(*inputs(2, 3, 6, scale=1e-3), dtype="float64"))
