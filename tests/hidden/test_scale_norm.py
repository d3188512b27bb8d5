"""Hidden suite of `scale_norm`.

No two sizes in a shape agree. Rows differ in mean and length, so that centring and a length of the wrong numbers show. No length is near
eps, where the maximum has a kink.
"""

import numpy as np
from shared import powers, rows

from normgrade.suite import build, claim, evaluate, randn, train, uniform, use


def layer(dim, **arguments):
    """The layer, whose g may have the shape () or (1,)."""
    return build(dim, **arguments).as_scalars("g")


def short(*shape):
    """Rows of different lengths, all of them between 0.6 and 1.1."""
    x = randn(*shape)
    return x / (x**2).sum(-1, keepdims=True) ** 0.5 * uniform(0.6, 1.1, *shape[:-1], 1)


def typical():
    """The layer as it is used: it has no switches, but sizes. In the first use some rows are shorter than eps, which is no root of a whole
    number."""
    return [
        use(layer(6, eps=1.3), mixed(5, 6), mixed(2, 3, 6), [-1]),
        use(layer(9), rows(2, 1, 2, 1, 2, 9), rows(9), [-1]),
    ]


def mixed(*shape):
    """Rows of which every third is short."""
    x = rows(*shape)
    flat = x.reshape(-1, shape[-1])
    flat[1::3] = short(len(flat[1::3]), shape[-1])
    return x


def real():
    """A layer of a thousand features."""
    return [
        use(layer(1100), rows(2, 1100), rows(1, 2, 1100), [-1]),
    ]


@claim("formula", points=2, hint="Square x, sum over the last dimension alone with keepdim=True, take the root; divide x by that, times g.")
def test_length(agree):
    """Every position is divided by its own length over the last dimension, then multiplied by g."""
    for shape in [(4, 7), (6, 5, 8), (2, 3, 5, 6), (2, 3, 1, 5, 4), (3, 2), (2, 1030)]:
        agree(layer(shape[-1]), train(rows(*shape)), evaluate(rows(*shape)))
    outlier = rows(3, 200)
    outlier[1, 60] = 1e3
    agree(layer(200), train(outlier))
    agree(layer(8400), evaluate(rows(2, 8400), backward=False))


@claim("formula", hint="Subtract nothing: the mean of x stays in x, and in its length.")
def test_mean_stays(agree):
    """A position whose mean is far from 0 keeps it: nothing is subtracted, neither above the fraction line nor below."""
    agree(layer(9), train(randn(4, 9) * 300 + 2000), evaluate(randn(5, 2, 9) * 300 - 2000))


@claim("edge", points=2, hint="eps is the least length to divide by, max(‖x‖, ε): nothing is added, and longer positions do not see it.")
def test_eps(agree):
    """A position shorter than eps is divided by eps, and one of zeros stays zeros; any other is divided by its own length."""
    for eps, new in ((0.5, layer(8, eps=0.5)), (1e-5, layer(8))):
        agree(new, train(rows(6, 5, 8) * eps * 100), evaluate(short(6, 5, 8) * eps * 0.03), train(short(4, 8) * eps * 0.8))
        x = rows(6, 8) * eps * 100
        x[::2] = short(3, 8) * eps * 0.8
        agree(new, train(x), evaluate(x), train(x[0]))
        x[1] = x[4] = 0
        agree(new, train(x), evaluate(x[1:3]))
    agree(layer(8, eps=1e-3), train(rows(4, 8)), evaluate(rows(3, 2, 8) * 0.01))
    agree(layer(8, eps=0), train(rows(4, 8)), evaluate(short(3, 2, 8) * 1e-9, backward=False))
    agree(layer(8, eps=1e-11), evaluate(short(4, 8) * np.array([[1e-12], [1e-10], [1e-11], [1]], np.float32), backward=False))


@claim("state", hint="`g` is an nn.Parameter with one number that starts at √dim, and there is nothing else to learn.")
def test_new_layer(agree):
    """A new layer has one parameter, `g`: one number, which starts at √dim."""
    for dim in (7, 1, 512):
        agree(layer(dim))


@claim("gradient", points=2, hint="The length depends on x: leave it in the graph, without detach, item or no_grad.")
def test_gradients(agree):
    """The gradient flows through the length as well, and reaches input and g."""
    for shape in [(5, 3), (4, 2, 9)]:
        agree(layer(shape[-1]), train(rows(*shape)), evaluate(rows(*shape)))
    for g in (0.0, -1.5, 700.0):
        agree(layer(4).filled(g=g), train(rows(3, 4)), evaluate(rows(2, 3, 4)))


@claim("edge", hint="Count the dimension from the end, dim=-1: then any number of dimensions, or none, may come before it.")
def test_one_position(agree):
    """An input may be a single position, without a batch dimension, and a position may be a single number, which becomes g or −g."""
    agree(layer(6), train(rows(6)), evaluate(rows(6)))
    agree(layer(1), train(uniform(-2000, -500, 4, 1)), evaluate(uniform(500, 2000, 3, 2, 1)))


@claim("stability", hint="Each position has a length of its own, computed from its own numbers: nothing is shared with longer ones.")
def test_magnitudes(agree):
    """Positions of very small and of very large numbers, in one input, are all normalised accurately."""
    for step in (train, evaluate):
        agree(layer(8, eps=1e-30), step(randn(6, 8) * powers(10, -9, 9, 6, 1)), step(randn(5, 3, 8) * 1e12, backward=False))
        ends = np.array([[1e-11], [1e12], [1e-6], [1], [1e-11], [1e6]], np.float32)
        agree(layer(8, eps=1e-30), step(randn(6, 8) * powers(10, -11, 11, 6, 1), gradients="no_grad"))
        agree(layer(8, eps=1e-30), step(randn(6, 8) * ends, gradients="no_grad"))


@claim("precision", hint="Square and sum in float32, whatever comes in, and cast the result back: a float32 g must not widen it again.")
def test_half_precision(agree):
    """Half-precision input is divided by a length that is computed in float32, and comes back in its own dtype, whatever that of g."""
    for dtype in ("float16", "bfloat16"):
        new = layer(64, eps=1e-12).to(dtype)
        agree(new, train(randn(5, 64) * 300, dtype=dtype), evaluate(randn(5, 64) * 1e-4, dtype=dtype), train(randn(5, 64), dtype=dtype))
        agree(layer(64), train(randn(5, 64) * 300, dtype=dtype), evaluate(randn(3, 2, 64) * 1e-3, dtype=dtype))
        far = np.array([[6e4], [2e-6], [1]], np.float32)  # of which float16 holds neither g · x and the length, nor its reciprocal
        agree(new, evaluate(uniform(0.3, 1, 3, 64) * far, dtype=dtype))
        x = randn(4, 8)
        x[2] = 0
        agree(layer(8, eps=1e-9), train(x, dtype=dtype))
        agree(layer(8, eps=0.1), train(x, dtype=dtype, backward=True))
    for g in (2.0**20, 2.0**-30):  # numbers that bfloat16 has and float16 does not
        agree(layer(8).filled(g=g).to("bfloat16"), train(randn(4, 8), dtype="bfloat16"))
