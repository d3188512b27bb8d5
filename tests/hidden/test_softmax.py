"""Hidden suite of `softmax`.

No two sizes in a shape agree. Rows differ in mean and scale, so that a maximum or a sum over the wrong numbers shows.
"""

import numpy as np
from shared import rows

from normgrade.suite import call, claim, evaluate, function, probe, randn, uniform, use


def typical():
    """The function as it is used: over the last dimension, as it is unless said otherwise, and over another one."""
    return [
        use(function("softmax"), rows(5, 6), rows(2, 3, 4), []),
        use(function("softmax", 1), rows(2, 5, 3), rows(4, 3), []),
        use(function("softmax", dim=-3), rows(5, 2, 3), rows(2, 4, 1, 3), []),
    ]


def real():
    """Rows of a thousand numbers, and three hundred rows."""
    return [
        use(function("softmax"), rows(2, 1100), rows(300, 5), []),
    ]


@claim("formula", points=3, hint="Take exp, and divide by the sum of the same exps over the row, with keepdim=True.")
def test_formula(agree):
    """Every weight is exp(x) over the sum of exp(x) in its row."""
    for shape in [(4, 7), (6, 5, 8), (9,), (3, 2)]:
        agree(call("softmax", rows(*shape), dim=len(shape) - 1))
    agree(call("softmax", rows(2, 2500) * np.float32(0.05)))
    agree(
        function("softmax"),
        *(evaluate(rows(*shape) * np.float32(0.05), backward=False) for shape in [(1, 8200), (4200, 3), (1, 2, 65, 65)]),
    )


@claim(
    "formula",
    points=3,
    hint="Pass dim on to every reduction, the maximum and the sum; keepdim=True lets them line up, whichever dimension it is.",
)
def test_dim(agree):
    """The rows lie along `dim`, which may be any dimension, counted from either end."""
    for shape, dims in [((6,), (0, -1)), ((4, 7), (0, -2, 1)), ((4, 3, 5), (0, 1, -3, -2)), ((2, 3, 5, 4), (0, 1, 2, -3, -4))]:
        for dim in dims:
            agree(call("softmax", rows(*shape), dim=dim))
    for shape, dims in [((2, 3, 1, 4, 5), (1, 3, -5)), ((2, 3, 1, 2, 1, 4), (3, -6)), ((4, 4), (0,))]:
        for dim in dims:
            agree(call("softmax", rows(*shape), dim=dim))


@claim("edge", hint="Write the signature with dim=-1: the default is the last dimension.")
def test_default_dim(agree):
    """Without a `dim` the rows lie along the last dimension."""
    for shape in [(4, 7), (5,), (4, 3, 5), (2, 3, 4, 5)]:
        agree(call("softmax", rows(*shape)))


@claim(
    "stability",
    points=2,
    hint="exp(89) is infinite in float32, exp(−104) is 0. Subtract the row's largest number before exp: on paper it cancels.",
)
def test_magnitudes(agree):
    """Rows of very large and of very negative numbers become weights too, and so do numbers far apart in one row."""
    for offset in (100.0, -120.0, 1000.0, -1000.0):
        agree(call("softmax", rows(4, 6) + np.float32(offset)))
        agree(function("softmax"), evaluate(rows(3, 5) + np.float32(offset), gradients="no_grad"))
        agree(call("softmax", rows(5, 3) + np.float32(offset), dim=0, dtype="float64"))
    far_apart = np.array([[-130, 0, 130, 60, 130, -130, 0]], np.float32)  # but nothing 87 to 104 below, where exp has few digits
    agree(call("softmax", uniform(-5, 5, 3, 7) + far_apart))
    x = rows(3, 9)
    x[:, 4] += 130
    agree(call("softmax", x))
    x = uniform(-101, -99, 3, 5)
    x[:, 2] += 24  # above −80, so that small numbers do not vanish as a whole
    agree(call("softmax", x))
    for power in (3, 20, 30):
        agree(probe("huge", x=randn(5, 7), power=power, dim=0))
        agree(probe("huge", x=-uniform(0.1, 1, 4, 6), power=power, dim=-1))


@claim(
    "stability",
    hint="Every row needs its own largest number: amax(dim, keepdim=True). Beside that of the whole tensor a small row vanishes.",
)
def test_rows_far_apart(agree):
    """Rows of one input may lie far apart: each is treated as if it were alone."""
    agree(call("softmax", rows(4, 6) + np.array([[-900], [0], [300], [2000]], np.float32)))
    agree(call("softmax", rows(5, 3) + np.array([[700, 0, -800]], np.float32), dim=0))


@claim(
    "gradient", points=2, hint="Let autograd go through the numerator and the denominator: no detach, item or no_grad but on the maximum."
)
def test_gradients(agree):
    """The gradient flows through the numerator and through the sum."""
    agree(call("softmax", rows(5, 3)))
    agree(call("softmax", rows(4, 2, 9), dim=1))
    agree(call("softmax", rows(3, 4) + 200))


@claim(
    "edge", hint="exp(−∞) is 0, and 0 adds nothing to the sum: −∞ needs no treatment, if the largest number of its own row is subtracted."
)
def test_masked(agree):
    """−∞ gets the weight 0 and the gradient 0; the other weights of its row sum to 1."""
    x = rows(5, 6)
    x[0, 0] = x[1, 2:] = x[2, 1:] = x[4, 5] = -np.inf
    agree(call("softmax", x))
    agree(call("softmax", x[[0, 2, 4, 3]], dim=0))
    agree(call("softmax", x[:2] - 500))


@claim(
    "edge", hint="Let NaN come out where the formula gives it: no nan_to_num, no where, no eps; and let nothing of it reach another row."
)
def test_nan(agree):
    """A row of nothing but −∞ is NaN, as in PyTorch, and so is a row with a NaN; no other row changes."""
    x = rows(5, 4)
    x[1] = -np.inf
    agree(call("softmax", x))
    half = (evaluate(x, dtype=dtype) for dtype in ("float16", "bfloat16"))
    agree(function("softmax"), evaluate(x, gradients="no_grad"), *half)
    agree(call("softmax", np.stack([x.T, rows(4, 5)], 2), dim=0))
    agree(call("softmax", x.T.copy(), dim=0))
    x = rows(5, 1)
    x[1], x[3] = -np.inf, np.nan
    agree(call("softmax", x))
    x = rows(4, 6)
    x[2, 3] = np.nan
    agree(call("softmax", x))
    agree(call("softmax", x, dim=0))


@claim("precision", hint="Widen to float32 before anything else, whatever comes in, and cast the result back with .to(x.dtype).")
def test_half_precision(agree):
    """Half-precision input becomes weights in float32, which come back in the input's dtype; a long row still sums to 1."""
    for dtype in ("float16", "bfloat16"):
        x = uniform(-0.5, 0.5, 2, 700)
        agree(function("softmax"), evaluate(x, dtype=dtype, witness=True), evaluate(rows(5, 6) * 200, dtype=dtype))
        agree(function("softmax", 0), evaluate(rows(7, 3), dtype=dtype, backward=True))
    wide = uniform(-0.02, 0.02, 1, 70_000)  # the sum of its exponentials is no number of float16
    agree(function("softmax"), evaluate(wide, dtype="float16", backward=False))
