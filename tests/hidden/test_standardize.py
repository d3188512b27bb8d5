"""Hidden suite of `standardize`.

N and D never agree, and every feature has a mean and a scale of its own. Constant features are made inside a probe, so that they stay
constant in every arithmetic.
"""

import numpy as np
from shared import lopsided

from normgrade.suite import call, claim, evaluate, function, probe, randn, uniform, use


def features(samples, number):
    """Random features, each with a mean and a scale of its own."""
    return randn(samples, number) * uniform(0.3, 3.0, 1, number) + uniform(-2.0, 2.0, 1, number)


def with_constants(samples, *constants):
    """Features of which some are constant: their numbers, None for those that are not."""
    x = features(samples, len(constants))
    return probe("constant_features", x=x, constants=list(constants), upstream=randn(samples, len(constants)))


def typical():
    """The function as it is used: it has no switches, but sizes."""
    illegal = [randn(), randn(4), randn(2, 4, 3), randn(2, 1, 4, 3), randn(2, 1, 4, 3, 2)]
    return [
        use(function("standardize"), features(5, 3), features(4, 7), [], illegal),
        use(function("standardize"), features(6, 1), features(3, 2), [], illegal),
    ]


def real():
    """A thousand samples."""
    return [
        use(function("standardize"), features(1100, 2), features(20, 70), []),
    ]


@claim("formula", points=4, hint="z = (x − μ) / σ, with mean and biased variance (correction=0) over the samples: dim=0.")
def test_formula(agree):
    """Every feature is centred and divided by its own standard deviation over the samples."""
    for samples, number in [(5, 3), (4, 7), (3, 1), (3, 140), (4, 4)]:
        agree(call("standardize", features(samples, number)))
    agree(function("standardize"), evaluate(features(4200, 2), backward=False), evaluate(features(3, 4200), backward=False))
    x = features(6, 3)
    x[1:5, 1], x[5, 2] = x[0, 1], x[0, 2]
    x[:, 0] = 0, 1, 1, 0, 1, 1
    agree(call("standardize", x))
    x = features(8, 3)
    agree(call("standardize", (x - x.mean(0)) / x.std(0) * np.float32(1.0006) + np.float32(0.0004)))
    outliers = features(1030, 3)
    outliers[7] += np.array([5000.0, -100.0, 30.0], np.float32)  # up to 32 deviations from the mean
    agree(call("standardize", outliers))


@claim("edge", hint="Divide by N: with N − 1, two samples become ±0.71 and not ±1.")
def test_two_samples(agree):
    """Of two samples that differ, one becomes 1 and the other −1."""
    agree(call("standardize", np.array([[-1.5], [2.5]], np.float32) + features(2, 5) * np.float32(0.3)))


@claim(
    "edge",
    points=2,
    hint="Equal numbers have a rounded mean: σ need not be 0. Find constant features by x.amax(0) == x.amin(0), and set them to 0.",
)
def test_constant_features(agree):
    """A constant feature becomes exactly 0, also where its mean is rounded; the features beside it are as ever."""
    agree(with_constants(7, 0.0, None, 1.0, None))
    for samples in (3, 6, 7, 10, 13):
        agree(with_constants(samples, 0.1, None, -731.1, 1234.567))
        agree(with_constants(samples, 0.7))
    agree(with_constants(12, None, 1e-7, None, 3e7 + 0.1, 4.35))
    agree(with_constants(10, 0.1, np.nan, None))


@claim("edge", hint="No eps and no threshold: a feature is constant only if its numbers are equal.")
def test_scales(agree):
    """Features of very small and of very large numbers, in one input, all get variance 1."""
    agree(call("standardize", features(6, 5) * np.array([[1e-9, 1e-5, 1.0, 1e4, 1e9]], np.float32)))
    agree(function("standardize"), evaluate(features(5, 3) * np.array([[1e-15, 1.0, 1e15]], np.float32), gradients="no_grad"))


@claim("stability", hint="Subtract the mean first, then square. The mean of x² minus the square of the mean loses nearly all digits.")
def test_large_mean(agree):
    """A mean that is much larger than the standard deviation does no harm."""
    agree(call("standardize", randn(8, 3) + np.array([[3000.0, -5000.0, 1000.0]], np.float32)))
    close = np.array([[0, 1], [1, 0], [0, 0], [1, 1], [0, 1]], np.float32) * 2.0**-7
    agree(probe("above_mean", x=close + np.array([[1024, -1024]], np.float32)))


@claim(
    "gradient", points=2, hint="Mean and variance depend on x: let autograd differentiate through both, without detach, item or no_grad."
)
def test_gradients(agree):
    """The gradient flows through the mean and the variance."""
    for samples, number in [(6, 4), (3, 5)]:
        agree(call("standardize", features(samples, number)))


@claim("gradient", hint="Replace the variance of a constant feature by 1 before the root: where(…) after it sends 0 · ∞ = NaN back.")
def test_gradient_of_constants(agree):
    """The gradient of a constant feature is finite."""
    agree(with_constants(5, 0.0, None, 2.0))
    agree(with_constants(7, 0.1, None, -7.3))


@claim("edge", hint="Look at x.dim() before anything else, and raise a ValueError unless it is 2.", courtesy=True)
def test_dimensions(refuses):
    """An input that does not have two dimensions is refused with a ValueError."""
    for x in (randn(4), randn(2, 4, 3), randn(2, 1, 4, 3)):
        refuses(ValueError, call("standardize", x), legal=[call("standardize", randn(4, 3))])


@claim("edge", hint="A feature with a NaN is not constant: its mean is NaN, and so is all of it, even of a single sample.")
def test_nan(agree):
    """A NaN makes its own feature NaN, also where there is no other number, or where the others are equal."""
    for position in (0, 2, 5):
        x = features(6, 3)
        x[:, 1] = 0.5
        x[position, 1] = np.nan
        agree(function("standardize"), evaluate(x), evaluate(x[position : position + 1]))


@claim("precision", hint="Widen to float32 before anything else, whatever comes in, and cast the result back with .to(x.dtype).")
def test_half_precision(agree):
    """Half-precision input is standardised in float32 and comes back in its own dtype."""
    for dtype in ("float16", "bfloat16"):
        x, large = features(9, 4), features(7, 3) * 300 + 1500
        without = evaluate(large, dtype=dtype, gradients="no_grad")
        agree(function("standardize"), evaluate(x, dtype=dtype, witness=True, backward=True), evaluate(large, dtype=dtype), without)
        tiny = evaluate(features(9, 4) * 3e-6, dtype=dtype, backward=False)  # float16 does not hold one over such a deviation
        agree(function("standardize"), tiny, evaluate(lopsided(9, 4), dtype=dtype, backward=False))  # nor such a distance from the mean
    x = features(10, 3).astype(np.float16)
    agree(probe("constant_features", x=x, constants=[0.1, None, 2.0], upstream=None))
