"""Hidden suite of `min_max`.

N and D never agree, and every feature has a mean and a scale of its own. The numbers of a feature lie apart, also when they are rounded, so
that minimum and maximum are one sample each. Constant features are made inside a probe, so that they stay constant in every arithmetic.
"""

import numpy as np

from normgrade.suite import call, claim, evaluate, function, probe, randn, uniform, use


def features(samples, number):
    """Features with a scale and an offset of their own, each with its numbers in another order and at some distance from each other."""
    order = np.argsort(randn(samples, number), axis=0) + uniform(-0.15, 0.15, samples, number)
    return ((order - samples / 2) * uniform(0.7, 3.0, 1, number) + uniform(-9.0, 9.0, 1, number)).astype(np.float32)


def squeezed(samples, number):
    """The same, mapped to the range from 0 to 1."""
    x = features(samples, number)
    return (x - x.min(0)) / (x.max(0) - x.min(0))


def with_constants(samples, *constants):
    """Features of which some are constant: their numbers, None for those that are not."""
    x = features(samples, len(constants))
    return probe("constant_features", x=x, constants=list(constants), upstream=randn(samples, len(constants)))


def typical():
    """The function as it is used: it has no switches, but sizes."""
    illegal = [randn(), randn(4), randn(2, 4, 3), randn(2, 1, 4, 3), randn(2, 1, 4, 3, 2)]
    return [
        use(function("min_max"), features(5, 3), features(4, 7), [], illegal),
        use(function("min_max"), features(6, 1), features(3, 2), [], illegal),
    ]


def real():
    """A thousand samples."""
    return [
        use(function("min_max"), features(1100, 2), features(20, 70), []),
    ]


@claim("formula", points=4, hint="y = (x − low) / (high − low), with the minimum and the maximum of each feature over the samples: dim=0.")
def test_formula(agree):
    """The smallest number of every feature becomes 0, the largest 1, and the others lie between in proportion."""
    for samples, number in [(5, 3), (4, 7), (3, 1), (3, 140), (2, 5), (4, 4)]:
        agree(call("min_max", features(samples, number)))
    agree(function("min_max"), evaluate(features(3, 4200), backward=False))
    many = features(4200, 2)
    many[-2], many[-1] = many.max(0) + 9, many.min(0) - 9
    agree(call("min_max", many))
    agree(call("min_max", squeezed(6, 3) * np.float32(0.6) + np.float32(0.2)))


@claim("formula", points=2, hint="The minimum stands in the numerator and in the denominator, whatever its sign: (x − low) / (high − low).")
def test_offsets(agree):
    """Features whose numbers are all positive, or all negative, get the whole range as well."""
    agree(call("min_max", features(6, 4) + np.array([[100, -100, 900, -900]], np.float32)))
    close = np.array([[0, 1], [1, 0], [0, 0], [1, 1], [0, 1]], np.float32) * 2.0**-11  # a few units in the last place
    agree(probe("upper_half", x=close + np.array([[1024, -1024]], np.float32)))


@claim("edge", points=2, hint="Where high == low, divide by 1 in place of 0: the numerator is exactly 0 there.")
def test_constant_features(agree):
    """A constant feature becomes exactly 0; the features beside it are as ever."""
    agree(with_constants(7, 0.0, None, 1.0, None, -0.1))
    for samples in (2, 3, 10):
        agree(with_constants(samples, 0.7))
        agree(with_constants(samples, 1e-9, None, 3e7 + 0.1))


@claim("edge", hint="No eps and no threshold: a feature is constant only if its numbers are equal.")
def test_scales(agree):
    """Features of very small and of very large numbers, in one input, all get the whole range."""
    agree(call("min_max", features(6, 5) * np.array([[1e-15, 1e-5, 1.0, 1e5, 1e15]], np.float32)))
    huge_and_tiny = features(5, 3) * np.array([[1e-30, 1.0, 1e30]], np.float32)
    agree(function("min_max"), evaluate(huge_and_tiny, gradients="no_grad"))
    x = features(6, 3)
    x[1, 2] = x[0, 2] = x[2:, 2].mean()
    x[0, 1] = x[5, 1] = x[1:5, 1].mean()
    agree(call("min_max", x))


@claim(
    "gradient", points=2, hint="Minimum and maximum depend on x: let autograd differentiate through both, without detach, item or no_grad."
)
def test_gradients(agree):
    """The gradient flows through minimum and maximum, in the numerator and in the denominator."""
    for samples, number in [(6, 4), (3, 5)]:
        agree(call("min_max", features(samples, number)))


@claim("gradient", hint="Choose the divisor of a constant feature before the division: where(…) after it sends 0 · ∞ = NaN back.")
def test_gradient_of_constants(agree):
    """The gradient of a constant feature is finite."""
    agree(with_constants(5, 0.0, None, 2.0))
    agree(with_constants(7, 0.1, None, -7.3))


@claim("edge", hint="Look at x.dim() before anything else, and raise a ValueError unless it is 2.", courtesy=True)
def test_dimensions(refuses):
    """An input that does not have two dimensions is refused with a ValueError."""
    for x in (randn(4), randn(2, 4, 3), randn(2, 1, 4, 3)):
        refuses(ValueError, call("min_max", x), legal=[call("min_max", features(4, 3))])


@claim("edge", hint="Use amin and amax, which let a NaN through, and nothing that looks at more than one feature.")
def test_not_finite(agree):
    """A NaN makes its own feature NaN; no other feature notices it, nor an infinity."""
    for position in (0, 3, 5):
        x = features(6, 4)
        x[position, 1] = np.nan
        agree(function("min_max"), evaluate(x))
        for infinity in (np.inf, -np.inf):
            x[position, 1] = infinity
            agree(probe("beside", x=x, feature=1))
        x = features(6, 4)
        x[:, 2] = 0.5
        x[position, 2] = np.nan
        agree(function("min_max"), evaluate(x), evaluate(x[position : position + 1]))


@claim("precision", hint="Widen to float32 before anything else, whatever comes in, and cast the result back with .to(x.dtype).")
def test_half_precision(agree):
    """Half-precision input is mapped in float32 and comes back in its own dtype, also where its range is larger than any float16."""
    for dtype in ("float16", "bfloat16"):
        agree(function("min_max"), evaluate(features(7, 4), dtype=dtype, backward=True), evaluate(features(5, 3), dtype=dtype))
        x = features(5, 3)
        agree(function("min_max"), evaluate((x - x.mean(0)) / np.abs(x - x.mean(0)).max(0) * 60000, dtype=dtype))
        agree(function("min_max"), evaluate(features(5, 3) * 1e-6, dtype=dtype))  # nor does float16 hold one over such a range
    x = features(5, 3).astype(np.float16)
    agree(probe("constant_features", x=x, constants=[0.1, None, 2.0], upstream=None))
