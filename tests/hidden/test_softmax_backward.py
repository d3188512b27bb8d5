"""Hidden suite of `softmax_backward`.

No two sizes in a shape agree where that is not the point. Rows differ in mean and scale, so that sums over the wrong numbers show. Weights
lie between 1 and less than a thousandth, so that no formula for equal weights passes.
"""

import numpy as np
from shared import rows

from normgrade.suite import claim, evaluate, forward_backward, ones, probe, randn, uniform, use, zeros


def typical():
    """Rows in two, three and four dimensions."""
    return [
        use(forward_backward(), rows(4, 6), rows(2, 3, 6), fixed=[]),
        use(forward_backward(), rows(2, 5, 2, 3), rows(5, 4), fixed=[]),
    ]


def real():
    """Rows of a thousand numbers, and three hundred rows."""
    return [
        use(forward_backward(), rows(2, 1100), rows(300, 5), []),
    ]


@claim("interface", hint="`y, cache = forward(x)`; then `backward(dy, cache)` gives a tuple with one gradient: `(dx,)`.")
def test_call(observe):
    """Both functions can be called: forward gives y and a cache, backward the gradient of x."""
    assert observe(forward_backward(), evaluate(randn(4, 6)))["step 1 · output"].values.shape == (4, 6)


@claim("interface", hint="return (dx,): the comma makes the tuple.", courtesy=True)
def test_tuple(agree):
    """backward returns a tuple of one, as it would with more inputs."""
    agree(probe("holder", x=rows(4, 6)))


@claim("formula", points=3, hint="exp(x) over its sum along the last axis, with keepdims=True.")
def test_forward(agree):
    """forward turns every row into weights whose sum is 1."""
    for shape in [(4, 6), (2, 3, 5), (3, 3), (3, 3, 3), (7,), (2, 3, 1, 2, 4), (2, 70), (1, 2, 65, 65)]:
        agree(forward_backward(), evaluate(rows(*shape) * 2, backward=False))


@claim("gradient", points=5, hint="Every y of a row depends on every x of it: dx = y · (dy − Σ y · dy), one sum per row.")
def test_gradient(agree):
    """The gradient of x flows through the numerator and through the denominator of its row."""
    for shape in [(4, 6), (2, 5, 3), (4, 4), (3, 3, 3), (7,), (2, 3, 1, 2, 4), (2, 70), (4200, 3)]:
        agree(forward_backward(), evaluate(rows(*shape) * 2))
    agree(forward_backward(), evaluate(rows(1, 8200)))


@claim("state", points=2, hint="What backward needs goes into the cache of its own call: no globals, and nothing that backward uses up.")
def test_cache(agree):
    """A cache belongs to its call: other calls may come in between, and backward may run twice."""
    first, second = rows(4, 6), rows(3, 2, 6)
    agree(forward_backward(), evaluate(first, between=rows(4, 6)), evaluate(second, between=rows(5, 6)))
    agree(forward_backward(), evaluate(first, twice=True), evaluate(first, between=rows(4, 6), twice=True))
    agree(forward_backward(), *(evaluate(first.reshape(shape)) for shape in [(4, 6), (6, 4), (2, 3, 4)]))  # the same numbers in other rows


@claim("edge", hint="One weight that is nearly 1, equal numbers, a row of one number: nothing needs an `if`.")
def test_extreme_rows(agree):
    """Rows with one large number, rows of equal numbers and rows of one number are treated as the formula says."""
    x = rows(4, 6)
    x[0, 2] += 9
    x[1] = 0.5
    x[2] *= 6
    agree(forward_backward(), evaluate(x), evaluate(rows(3, 1)), evaluate(uniform(0.5, 1.5, 3, 5)), evaluate(rows(2, 4, 1)))
    agree(forward_backward(), evaluate(zeros(4, 4)), evaluate(ones(3, 3, 3)))  # here any axis sums to 1


@claim("edge", hint="exp(−∞) is 0, and nothing has to be done for it; a row of nothing but −∞ is NaN.")
def test_masks(agree):
    """A number of −∞ gets the weight 0; a row of nothing but −∞ is NaN and touches no other."""
    x = rows(4, 6)
    x[0, 1:3], x[2] = -np.inf, -np.inf
    single = rows(5, 1)
    single[1], single[3] = -np.inf, np.nan
    agree(forward_backward(), evaluate(x, backward=False), evaluate(single, backward=False))


@claim("stability", points=2, hint="Subtract the maximum of each row before exp: it cancels, and nothing overflows.")
def test_magnitudes(agree):
    """Both passes are right at any magnitude, and where rows differ by a thousand."""
    x = rows(4, 6)
    agree(forward_backward(), evaluate(x + 1000), evaluate(x - 1000), evaluate(x * 1e-3))
    apart = np.array([[-1000], [0], [1000], [30_000]], np.float32)
    agree(forward_backward(), evaluate(x + apart), evaluate(x + np.array([[0, 0, 95, 0, 0, 92]], np.float32)))


@claim("precision", hint="x.astype(np.promote_types(x.dtype, np.float32)) first, .astype(x.dtype) last.")
def test_dtypes(agree):
    """Results have the dtype of x; half precision is computed in float32."""
    agree(forward_backward(), evaluate(rows(20, 16), dtype="float16", backward=True), evaluate(rows(3, 5) + 100, dtype="float16"))
    wide = uniform(-0.02, 0.02, 1, 70_000)  # the sum of its exponentials is no number of float16
    agree(forward_backward(), evaluate(wide, dtype="float16", backward=False))
    agree(forward_backward(), evaluate(rows(4, 6), dtype="float64"), evaluate(rows(2, 3, 6) * 3, dtype="float64"))
