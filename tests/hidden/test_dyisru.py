"""Hidden suite of `dyisru`.

The grader draws a c between −1.8 and 1.8 where a story changes it, so `typical` has inputs whose squares are larger than that. Elsewhere c
is filled in, and inputs lie where x² and c are alike, so that each of them shows.
"""

import numpy as np
from shared import powers

from normgrade.suite import build, claim, evaluate, randn, train, uniform, use


def apart(*shape):
    """Random numbers of either sign, none of them near 0: x² is above 2.2."""
    return np.copysign(uniform(1.5, 4.0, *shape), randn(*shape))


def typical():
    """The layer as it is used: it has no switches, but sizes and c."""
    return [
        use(build(6, c=2.0).filled(c=0.7).as_scalars("c"), apart(5, 6), apart(2, 3, 6), [-1]),
        use(build(9).filled(c=1.6).as_scalars("c"), apart(2, 1, 2, 1, 2, 9), apart(9), [-1]),
    ]


def real():
    """A layer of a thousand features."""
    return [
        use(build(1100).filled(c=1.6).as_scalars("c"), apart(2, 1100), apart(1, 2, 1100), [-1]),
    ]


@claim("formula", points=2, hint="y = weight * √dim * x / sqrt(x² + c) + bias, number by number: nothing is summed.")
def test_formula(agree):
    """Every number is divided by √(x² + c), multiplied by √dim, and then scaled and shifted by the weight and bias of its feature."""
    for shape in [(4, 7), (6, 5, 8), (2, 3, 5, 6), (3, 2), (5, 5)]:
        agree(build(shape[-1]).filled(c=1.7), train(randn(*shape) * 1.5), evaluate(randn(*shape) * 1.5))
    agree(build(8200).filled(c=1.7), evaluate(randn(1, 8200) * 1.5, backward=False))


@claim("formula", hint="c is added to x² inside the root as it is: not squared, not made positive, and no eps beside it.")
def test_c(agree):
    """c may be any number, small or large, also negative as long as x² + c is above 0; it is the same for every feature."""
    for c in (1e-16, 1e-9, 1e-4, 0.3, 40.0, 1e9):
        agree(build(5).filled(c=c), train(randn(4, 5) * c**0.5), evaluate(randn(2, 3, 5) * c**0.5))
    for c in (-1.5, 0.0):
        agree(build(5).filled(c=c), train(apart(4, 5)), evaluate(apart(2, 3, 5)))


@claim("formula", hint="√dim is the root of the size of the last dimension. bias is added afterwards, as it is.")
def test_root_of_dim(agree):
    """What was squashed is multiplied by the root of dim, also where dim is 1 or large; bias is not."""
    for dim in (1, 2, 40, 300):
        agree(build(dim).filled(c=0.8), train(randn(3, dim)), evaluate(randn(2, 2, dim)))


@claim("state", hint="The parameter c starts at the argument c, whose default is 1.")
def test_first_c(agree):
    """The parameter c starts at the number that is given, by position or by name; at 1 if none is given."""
    for layer in (build(5), build(5, 2.3), build(5, c=0.3), build(dim=5, c=600.0), build(5, 1e-9), build(5, 0.0), build(5, c=-1.2)):
        agree(layer.as_built(), train(apart(4, 5)), evaluate(apart(2, 5)))


@claim(
    "state",
    hint="Three nn.Parameter and nothing else: `c` holds one number, shape () or (1,); `weight` is all ones and `bias` all zeros, both "
    "of shape (dim,).",
)
def test_new_layer(agree):
    """A new layer's state dict has `c`, `weight` and `bias`, all of them parameters, and nothing else."""
    agree(build(6).as_scalars("c"))
    for dim in (1, 300):
        agree(build(dim, c=2.5).as_scalars("c"))


@claim(
    "gradient",
    hint="x stands above the fraction line and below it, and the gradient flows through both; use the parameters themselves, without "
    "detach.",
)
def test_gradients(agree):
    """The gradient flows through the root as well, and reaches the input, the weight, the bias and c."""
    for shape in [(5, 3), (4, 2, 9), (6,)]:
        agree(build(shape[-1]).filled(c=0.9), train(randn(*shape)), evaluate(randn(*shape)))
    agree(build(3).filled(c=0.9, weight=[0.0, 1.5, -1.0], bias=0.0), train(randn(4, 3)))
    x = randn(4, 3)
    x[1] = 0
    agree(build(3).filled(c=0.6), train(x))


@claim(
    "edge",
    hint="Count from the end, or let the shapes broadcast: weight and bias of shape (dim,) fit any number of dimensions, and one alone.",
)
def test_number_of_dimensions(agree):
    """An input may have any number of dimensions: a single position of shape (dim,), or many."""
    layer = build(6).filled(c=1.3)
    agree(layer, train(randn(6)), evaluate(randn(6)), train(randn(2, 3, 1, 2, 6)), evaluate(randn(4, 6)))
    agree(build(3).filled(c=1.3), train(randn(2, 3, 3)), evaluate(randn(2, 3, 4, 3)), train(randn(3, 2, 4, 3)))


@claim("stability", hint="x / sqrt(x² + c) keeps the sign of x and approaches ±1: do not square it away, and do not clip x.")
def test_large_numbers(agree):
    """Large numbers of either sign are squashed to ±√dim."""
    x = uniform(0.5, 2.0, 4, 6) * np.array([1, -1, 60, -200, 3e4, -5e8], np.float32)
    x[0, 4:] = 1e9, -1e9
    agree(build(6).filled(c=1.2), train(x), evaluate(x, gradients="no_grad"))


@claim("stability", hint="Near 0 the layer multiplies by √(dim / c) and the weight: keep x itself above the fraction line.")
def test_small_numbers(agree):
    """Very small numbers keep their sign and their digits, and 0 stays 0, with a finite gradient."""
    x = randn(6, 8) * powers(10, -9, -2, 6, 1)
    x[2] = 0
    for step in (train, evaluate):
        agree(build(8).filled(bias=0.0, c=1.4), step(x))


@claim("precision", hint="Widen to float32 before you square, whatever the dtype, and return the input's: .to(x.dtype) at the end.")
def test_half_precision(agree):
    """Half-precision input is squared in float32 and comes back in its own dtype, whether the parameters are in half precision or not."""
    for dtype in ("float16", "bfloat16"):
        for layer in (build(8).filled(c=1.4).to(dtype), build(8).filled(c=1.4)):
            agree(layer, train(randn(5, 8), dtype=dtype), evaluate(randn(5, 8) * 3000, dtype=dtype), evaluate(randn(8), dtype=dtype))
        agree(build(8).filled(c=1.4), evaluate(randn(5, 8) * 3000, dtype=dtype, gradients="no_grad"))
        spoilt = randn(4, 6)
        spoilt[0, 1], spoilt[1, 2], spoilt[3, 0] = float("inf"), float("-inf"), float("nan")
        agree(build(6).filled(c=1.4), train(spoilt, dtype=dtype))
        small = build(8).filled(c=1e-6).to(dtype)
        agree(small, train(randn(5, 8) * 1e-4, dtype=dtype), evaluate(randn(5, 8) * 1e-3, dtype=dtype))
