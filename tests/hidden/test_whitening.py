"""Hidden suite of `whitening`.

N and D never agree. Inputs are made from given standard deviations along random directions, so that no two eigenvalues come close and none
is small beside the others, and every feature has a mean of its own.
"""

import numpy as np
from shared import lopsided

from normgrade.suite import call, claim, evaluate, function, randn, uniform, use, words


def samples(number, features, ratio=4.0):
    """Samples whose standard deviations along some orthogonal directions go from about 0.6 up to `ratio` times that, in even steps."""
    white = randn(number, features).astype(np.float64)
    left, _values, right = np.linalg.svd(white - white.mean(0), full_matrices=False)
    steps = np.arange(features) + uniform(-0.1, 0.1, features) * (np.arange(features) % (features - 1) > 0 if features > 2 else 0)
    deviations = 0.6 * ratio ** (steps / max(features - 1, 1))
    return (left * deviations * number**0.5 @ right + uniform(-1.5, 1.5, 1, features)).astype(np.float32)


def typical():
    """The function as it is used: without eps, and with it."""
    illegal = [randn(), randn(4), randn(2, 4, 3), randn(2, 1, 4, 3), randn(2, 1, 4, 3, 2)]
    return [
        use(function("whiten"), samples(7, 3), samples(9, 4), [0], illegal),
        use(function("whiten", 0.3), samples(6, 2), samples(8, 3), [0], illegal),
        use(function("whiten", eps=0.02), samples(8, 3), samples(7, 2), [0], illegal),
    ]


def real():
    """Three hundred samples of eight features."""
    return [
        use(function("whiten", 0.3), samples(300, 8), samples(200, 6), []),
    ]


@claim(
    "formula",
    points=2,
    hint="Test yourself with z.T @ z / N: it should be the identity. N − 1, a missing root or a missing mean all show there.",
)
def test_covariance(observe):
    """Every feature of the result has mean 0, and the biased covariance of the result is the identity."""
    for number, features in ((9, 3), (30, 5), (6, 2), (4200, 3)):
        z = observe(call("whiten", samples(number, features)))["result"].values.astype(np.float64)
        mean = np.abs(z.mean(0)).max()
        off = np.abs(np.cov(z.T, bias=True) - np.eye(features)).max()
        assert mean < 1e-3, words("the mean of a feature is {mean:.3g} off 0", mean=mean)
        assert off < 1e-3, words("an entry of the covariance is {off:.3g} off the identity", off=off)


@claim(
    "formula",
    points=4,
    hint="Turn, scale and turn back: (x − μ) U Λ^(−1/2) Uᵀ. Without the last factor the result is white, but in other axes.",
)
def test_formula(agree):
    """The data is multiplied by the symmetric inverse root of its covariance, which leaves every feature in its place."""
    for number, features in [(7, 3), (9, 5), (6, 2), (1030, 3)]:
        agree(call("whiten", samples(number, features)))
    agree(function("whiten"), evaluate(samples(40, 17), backward=False))


@claim(
    "edge",
    hint="In U Λ^(−1/2) Uᵀ neither signs nor order of the eigenvectors matter, nor which ones are taken where eigenvalues are equal.",
)
def test_white_stays(agree):
    """Data that is white already, and centred, stays as it is; a single feature is standardised."""
    white = randn(8, 3).astype(np.float64)
    left, _values, right = np.linalg.svd(white - white.mean(0), full_matrices=False)
    white = (left @ right * 8**0.5).astype(np.float32)  # of `left` alone, the signs would be the library's
    agree(function("whiten"), evaluate(white, backward=False), evaluate(white * np.float32(1.003), backward=False))
    agree(call("whiten", uniform(2, 9, 6, 1)))


@claim("formula", points=2, hint="1 / √(λ + eps): eps stands inside the root, beside every eigenvalue; its default is 0.")
def test_eps(agree):
    """eps is added to every eigenvalue, inside the root; without it nothing is added, however small the numbers are."""
    agree(call("whiten", samples(7, 3), 0.5))
    agree(call("whiten", samples(9, 4), eps=0.1))
    agree(call("whiten", samples(7, 2) * 30, eps=500.0))
    agree(call("whiten", samples(8, 3) * np.float32(1e-8)))
    tiny, huge = (evaluate(samples(8, 3) * np.float32(scale), gradients="no_grad") for scale in (1e-12, 1e12))
    agree(function("whiten"), tiny, huge)


@claim("edge", hint="eps > 0 is all that a covariance without full rank needs: eigenvalues of 0 become eps. Refuse nothing, drop nothing.")
def test_rank_deficient(agree):
    """With eps there may be fewer samples than features, and features that are constant or equal."""
    agree(function("whiten", eps=0.1), evaluate(randn(3, 5), backward=False), evaluate(randn(4, 4), backward=False))
    x = samples(7, 4)
    x[:, 1], x[:, 3] = 2.5, x[:, 0]
    single = evaluate(x[:1], backward=False), evaluate(x[:1, :1], backward=False)
    agree(function("whiten", 0.2), evaluate(x, backward=False), *single, evaluate(x[[2, 2, 2]], backward=False))


@claim("stability", hint="Subtract the mean first, then multiply: x.T @ x minus the product of the means loses nearly all digits.")
def test_hard_inputs(agree):
    """A mean much larger than the standard deviations does no harm, and these may differ by a factor of 95."""
    agree(call("whiten", samples(9, 3) + np.array([[900, -2000, 1500]], np.float32)))
    agree(call("whiten", samples(9, 3, ratio=95.0)))


@claim(
    "gradient",
    points=2,
    hint="Mean, eigenvalues and eigenvectors all depend on x: let autograd go through each of them, without detach, item or no_grad.",
)
def test_gradients(agree):
    """The gradient flows through the mean, the eigenvalues and the eigenvectors, in every layout of memory."""
    x, other = samples(8, 3), samples(6, 2)
    agree(call("whiten", samples(7, 4)))
    agree(call("whiten", samples(6, 3), 0.2))
    agree(function("whiten"), evaluate(x, scattered=True), evaluate(other, view="strided"), evaluate(x, view="strided"))


@claim("edge", hint="Look at x.dim() before anything else, and raise a ValueError unless it is 2.", courtesy=True)
def test_dimensions(refuses):
    """An input that does not have two dimensions is refused with a ValueError."""
    for x in (randn(4), randn(2, 4, 3), randn(2, 1, 4, 3)):
        refuses(ValueError, call("whiten", x), legal=[call("whiten", samples(7, 3))])


@claim("precision", hint="Widen to float32 before anything else, whatever comes in, and cast the result back with .to(x.dtype).")
def test_half_precision(agree):
    """Half-precision input is whitened in float32 and comes back in its own dtype, also where its squares are too large for it."""
    for dtype in ("float16", "bfloat16"):
        x, large = samples(9, 3), samples(7, 2) * 400
        agree(function("whiten"), evaluate(x, dtype=dtype, witness=True, backward=True), evaluate(large, dtype=dtype, witness=True))
        tiny = evaluate(samples(9, 3) * 3e-6, dtype=dtype, backward=False)  # float16 does not hold the inverse root of such a covariance
        agree(function("whiten"), tiny, evaluate(lopsided(9, 2), dtype=dtype, backward=False))  # nor such a distance from the mean
