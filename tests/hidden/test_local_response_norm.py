"""Hidden suite of `local_response_norm`.

alpha is about 1, so that the denominator matters: with the default 1e-4 hardly a mistake shows. No two sizes in a shape agree, and every
channel has a scale of its own. Windows are odd and even, narrower and wider than the channels.
"""

import numpy as np
from shared import channels

from normgrade.suite import call, claim, evaluate, function, ones, randn, uniform, use


def lrn(*args, **kwargs):
    return call("local_response_norm", *args, **kwargs)


def typical():
    """An odd window on maps, an even one on rows, a wide one with the usual alpha on large numbers."""
    illegal = [randn(4, 6), randn(5)]
    return [
        use(function("local_response_norm", 3, 1.3, 0.6, 0.8), channels(3, 7, 4, 2), channels(2, 5, 6), [], illegal=illegal),
        use(function("local_response_norm", 4, alpha=2.0, k=1.5), channels(4, 6, 5), channels(2, 7, 1, 3, 2), [], illegal=illegal),
        use(function("local_response_norm", size=9), channels(2, 5, 3) * 100, channels(3, 4, 2, 5) * 100, [], illegal=illegal),
    ]


def real():
    """Two hundred and sixty channels."""
    return [
        use(function("local_response_norm", 5), channels(2, 264, 2, 3), channels(1, 96, 4, 4), []),
    ]


@claim(
    "formula",
    points=3,
    hint="y = x / (k + alpha / size · Σ x²) ** beta; the sum runs over size channels, size // 2 of them before c for an odd size.",
)
def test_odd_window(agree):
    """Every number is divided by a power of the squares in its window of channels, whose middle is its own channel."""
    for shape, size in (((2, 9, 4), 3), ((3, 8, 2, 5), 5), ((2, 11, 3), 7), ((2, 4, 3), 1), ((1, 130, 75), 5), ((1, 2100, 1), 65)):
        agree(lrn(channels(*shape), size, 1.3, 0.6, 0.8))


@claim("formula", points=2, hint="An even window has one more channel before c than after it: size // 2 before, (size - 1) // 2 after.")
def test_even_window(agree):
    """A window of even size has one more channel before its own channel than after it."""
    for shape, size in (((2, 7, 4), 2), ((3, 9, 2, 5), 4), ((2, 8, 3), 6)):
        agree(lrn(channels(*shape), size, 1.3, 0.6, 0.8))


@claim("edge", hint="Divide by size at the border too; beyond the first and the last channel there are zeros.")
def test_border(agree):
    """At the first and the last channel the window is cut off, and alpha is divided by size all the same."""
    x = ones(1, 7, 2) * uniform(0.8, 1.2, 1, 1, 2)
    for size in (3, 4, 5):
        agree(lrn(x, size, 1.0, 0.75, 1.0))


@claim("edge", hint="Size may exceed the number of channels: what is missing counts as zero, and the divisor stays size.")
def test_wide_window(agree):
    """The window may be wider than there are channels; a single channel is one too."""
    for shape, size in (((2, 3, 4), 4), ((2, 3, 4), 5), ((2, 4, 3), 50), ((3, 1, 4), 5), ((3, 1, 4), 1), ((2, 5, 3), 9)):
        agree(lrn(channels(*shape), size, 1.7, 0.75, 1.2))


@claim("formula", points=2, hint="alpha, beta and k are used as they are given: (k + alpha / size · Σ x²) ** beta.")
def test_arguments(agree):
    """alpha multiplies the mean of the squares, k is added to it, beta is the power; they are used as they are given."""
    x = channels(2, 6, 4)
    for alpha, beta, k in ((0.4, 0.5, 1.0), (3.0, 1.5, 2.0), (1.0, 0.25, 0.1), (0.0, 0.75, 2.5), (2.0, 0.0, 1.0), (1.0, 2.0, 5.0)):
        agree(lrn(x, 3, alpha, beta, k))
    agree(lrn(x, 3, 1.5, -0.5, 0.6))
    agree(lrn(channels(2, 6, 4) * 0.01, size=4, alpha=50.0, beta=0.75, k=0.01))


@claim("formula", hint="The defaults are alpha=1e-4, beta=0.75, k=1.0.")
def test_defaults(agree):
    """Without further arguments alpha is 1e-4, beta 0.75 and k 1; numbers around 100 show it."""
    agree(lrn(channels(2, 7, 3) * 100, 5))
    agree(lrn(channels(3, 6, 2, 4) * 60, size=3))
    agree(lrn(channels(2, 7, 3) * 5000, 2))
    agree(lrn(channels(2, 7, 3) * 0.01, 3))


@claim("gradient", points=2, hint="The denominator depends on x: let autograd differentiate through it, without detach, item or no_grad.")
def test_gradient(agree):
    """The gradient of every number comes from all windows that hold it, of odd and of even size."""
    for size in (3, 4, 9):
        x = channels(2, 5, 3)
        x[0, 2] = 0
        agree(lrn(x, size, 2.0, 0.9, 0.7))


@claim("edge", hint="`if x.dim() < 3: raise ValueError(…)`; every input with three dimensions or more is legal.")
def test_dimensions(agree, refuses):
    """An input with fewer than three dimensions is a ValueError; any number of dimensions after the channels is legal."""
    for shape in ((4, 6), (5,)):
        refuses(ValueError, lrn(randn(*shape), 3), legal=[lrn(randn(4, 6, 1), 3)])
    for shape in ((2, 5, 3, 4), (2, 5, 1, 3, 2), (2, 4, 1, 3, 1, 2), (1, 5, 3)):
        agree(lrn(channels(*shape), 3, 1.0))


@claim("stability", hint="Sum the numbers of each window by themselves. A running sum of all channels brings in those outside it.")
def test_only_the_window(agree):
    """A huge number has no effect on channels whose windows do not hold it, and a position of NaN alone has none on other positions."""
    for size in (3, 4):
        x = channels(2, 9, 3)
        x[:, 2] *= 1e5
        agree(lrn(x, size, 1.0))
        x = channels(2, 9, 3)
        x[1, :, 1] = np.nan
        agree(function("local_response_norm", size, 1.0), evaluate(x))


@claim(
    "edge",
    points=0,
    hint="Sum the numbers of each window by themselves: 0 times a NaN or an infinity is NaN, so a product with a matrix spoils all "
    "channels.",
    courtesy=True,
)
def test_not_finite(agree):
    """A NaN or an infinity has no effect on channels whose windows do not hold it."""
    for size in (3, 4):
        steps = []
        for spoilt in (np.nan, np.inf, -np.inf):
            x = channels(2, 9, 3)
            x[1, 4, 1] = spoilt
            steps.append(evaluate(x))
        agree(function("local_response_norm", size, 1.0), *steps)  # without gradients: sqrt(y)·sqrt(sqrt(y)) has none at infinity


@claim(
    "precision",
    hint="Widen x with x.to(torch.promote_types(x.dtype, torch.float32)) before it is squared, and return the result in x.dtype.",
)
def test_half_precision(agree):
    """Half-precision input is squared and summed in float32, and comes back in its own dtype."""
    for dtype in ("float16", "bfloat16"):
        steps = [evaluate(channels(2, 9, 4) * scale, dtype=dtype, witness=True) for scale in (1, 3000, 0.003)]
        agree(function("local_response_norm", 5, alpha=1.0), *steps)
        agree(function("local_response_norm", 4), *steps)
        agree(function("local_response_norm", 4, 1e-12, 0.3, 1e-12), steps[0])  # both are 0 in float16
