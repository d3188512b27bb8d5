"""Hidden suite of `dyt`.

The steps of a story fill in an alpha, a weight and a bias far from their first values, so that none of them can stand on the wrong side of
tanh. Inputs lie where tanh is bent: alpha · x is neither tiny nor saturated, where that is not the point.
"""

import numpy as np
from shared import powers

from normgrade.suite import build, claim, evaluate, randn, train, uniform, use


def typical():
    """The layer as it is used: it has no switches, but sizes and alpha."""
    return [
        use(build(6, alpha=0.8).as_scalars("alpha"), randn(5, 6) * 1.5, randn(2, 3, 6) * 1.5, [-1]),
        use(build(9).as_scalars("alpha"), randn(2, 1, 2, 1, 2, 9) * 2, randn(9) * 2, [-1]),
    ]


def real():
    """A layer of a thousand features."""
    return [
        use(build(1100).as_scalars("alpha"), randn(2, 1100) * 2, randn(1, 2, 1100) * 2, [-1]),
    ]


@claim(
    "formula", points=2, hint="y = weight * tanh(alpha * x) + bias: alpha inside tanh, weight and bias outside, along the last dimension."
)
def test_formula(agree):
    """Every number is multiplied by alpha, goes through tanh, and is then scaled and shifted by the weight and bias of its feature."""
    for shape in [(4, 7), (6, 5, 8), (2, 3, 5, 6), (3, 2), (5, 5), (2, 300)]:
        agree(build(shape[-1]), train(randn(*shape) * 1.5), evaluate(randn(*shape) * 1.5))
    agree(build(8200), evaluate(randn(1, 8200) * 1.5, backward=False))


@claim("formula", hint="Take alpha as it is, below or above 1, negative or 0: one factor of x, inside tanh.")
def test_alpha(agree):
    """Alpha may be any number, also 0 or negative, and is the same for every feature."""
    for alpha in (0.2, 3.0, -1.3, 0.0, 40.0):
        agree(build(5).filled(alpha=alpha), train(randn(4, 5) / max(abs(alpha), 0.5)), evaluate(randn(2, 3, 5)))


@claim("state", hint="The parameter alpha starts at the argument alpha, whose default is 0.5.")
def test_first_alpha(agree):
    """The parameter alpha starts at the number that is given, by position or by name; at 0.5 if none is given."""
    for layer in (build(5), build(5, 12.3), build(5, alpha=-0.7), build(dim=5, alpha=1.6), build(5, 0.0)):
        agree(layer.as_built(), train(randn(4, 5)), evaluate(randn(2, 5)))


@claim(
    "state",
    hint="Three nn.Parameter and nothing else: `alpha` holds one number, shape () or (1,); `weight` is all ones and `bias` all zeros, "
    "both of shape (dim,).",
)
def test_new_layer(agree):
    """A new layer's state dict has `alpha`, `weight` and `bias`, all of them parameters, and nothing else."""
    agree(build(6).as_scalars("alpha"))
    for dim in (1, 300):
        agree(build(dim, alpha=1.25).as_scalars("alpha"))


@claim(
    "gradient", hint="Leave the gradient to autograd, and use the parameters themselves: no detach, item, data or float(alpha) in forward."
)
def test_gradients(agree):
    """The gradient reaches the input, the weight, the bias and alpha, whose gradient is a sum over everything."""
    for shape in [(5, 3), (4, 2, 9), (6,)]:
        agree(build(shape[-1]), train(randn(*shape)), evaluate(randn(*shape)))
    agree(build(3).filled(weight=[0.0, 1.5, -1.0], bias=0.0), train(randn(4, 3)))
    x = randn(4, 3)
    x[1] = 0
    agree(build(3), train(x))


@claim(
    "edge",
    hint="Count from the end, or let the shapes broadcast: weight and bias of shape (dim,) fit any number of dimensions, and one alone.",
)
def test_number_of_dimensions(agree):
    """An input may have any number of dimensions: a single position of shape (dim,), or many."""
    agree(build(6), train(randn(6)), evaluate(randn(6)), train(randn(2, 3, 1, 2, 6)), evaluate(randn(4, 6)))
    agree(build(3), train(randn(2, 3, 3)), evaluate(randn(2, 3, 4, 3)), train(randn(3, 2, 4, 3)))


@claim("edge", hint="With dim=1 there is one weight and one bias, of shape (1,): nothing about it is special.")
def test_single_feature(agree):
    """A single feature is squashed like any other: nothing is taken from the other numbers of its position."""
    agree(build(1), train(randn(4, 1)), evaluate(randn(3, 2, 1)), train(randn(1)))


@claim(
    "stability",
    hint="tanh approaches ±1 and stays there. With exponentials of your own, exp(2z) overflows from z = 44 on, and inf / inf is NaN.",
)
def test_large_numbers(agree):
    """Very large numbers are squashed to ±1, and so are infinities; their gradient is 0, and no number becomes NaN."""
    x = uniform(0.5, 2.0, 4, 6) * np.array([1, -1, 60, -200, 3e4, -1e30], np.float32)
    agree(build(6), train(x), evaluate(x, gradients="no_grad"))
    infinite = randn(4, 6)
    infinite[1, 2], infinite[3, 0] = float("inf"), float("-inf")
    agree(build(6), evaluate(infinite), train(infinite))


@claim(
    "stability",
    hint="Near 0, tanh(z) is z. A difference of numbers near 1, such as 2 · sigmoid(2z) − 1, keeps none of its digits: use torch.tanh.",
)
def test_small_numbers(agree):
    """Very small numbers keep their digits: near 0 the layer multiplies by alpha and the weight."""
    for step in (train, evaluate):
        agree(build(8).filled(bias=0.0), step(randn(6, 8) * powers(10, -9, -2, 6, 1)))
    for dtype in ("float16", "bfloat16"):
        agree(build(8).filled(bias=0.0).to(dtype), evaluate(randn(5, 8) * 1e-3, dtype=dtype))


@claim("precision", hint="Whatever the dtype of the parameters, return the input's: .to(x.dtype) at the end.")
def test_half_precision(agree):
    """Half-precision input comes back in its own dtype, whether the parameters are in half precision or in float32."""
    for dtype in ("float16", "bfloat16"):
        agree(
            build(8).to(dtype), train(randn(5, 8), dtype=dtype), evaluate(randn(5, 8) * 100, dtype=dtype), evaluate(randn(8), dtype=dtype)
        )
        agree(build(8), train(randn(5, 8), dtype=dtype), evaluate(randn(5, 8) * 100, dtype=dtype, gradients="no_grad"))
        spoilt = randn(4, 6)
        spoilt[0, 1], spoilt[1, 2], spoilt[3, 0] = float("inf"), float("-inf"), float("nan")
        agree(build(6), train(spoilt, dtype=dtype))
