"""Hidden suite of `cosine_norm`.

The first weight is random, and free, so everything but `test_new_layer` fills in a weight. Rows of the input and rows of the weight have
lengths of their own, few of them near 1: a length that is missing, or taken over the wrong numbers, shows.
"""

import numpy as np
from shared import rows

from normgrade.suite import build, claim, evaluate, probe, randn, train, uniform, use


def cosine_linear(*args, **kwargs):
    """The layer, whose first random numbers are none of the story's business."""
    return build(*args, **kwargs).named("cosine_linear")


def of_length(lengths, size):
    """Rows in random directions: one of each of these lengths."""
    directions = randn(len(lengths), size)
    return directions / np.linalg.norm(directions, axis=-1, keepdims=True) * np.array(lengths, np.float32)[:, None]


def typical():
    """The layer as it is used: it has no switches, but sizes and eps."""
    return [
        use(cosine_linear(6, 4, eps=0.1), rows(5, 6), rows(2, 3, 6), [-1]),
        use(cosine_linear(3, 7), rows(2, 1, 2, 1, 2, 3), rows(3), [-1]),
    ]


def real():
    """A layer of a thousand features."""
    return [
        use(cosine_linear(1040, 5), rows(3, 1040), rows(1, 2, 1040), [-1]),
    ]


@claim(
    "formula",
    points=2,
    hint="Divide every position of x by its length over the last dimension, every row of the weight by its own, then multiply the two.",
)
def test_cosines(agree):
    """Output k of a position is its dot product with row k of the weight, over the product of both lengths; nothing is added."""
    for shape, out_features in [
        ((4, 7), 3),
        ((6, 5, 8), 2),
        ((2, 3, 5, 6), 9),
        ((4, 4), 4),
        ((3, 5), 1),
        ((3, 4, 4), 5),
        ((2, 300), 3),
        ((2, 5), 40),
    ]:
        agree(cosine_linear(shape[-1], out_features), train(rows(*shape)), evaluate(rows(*shape)))
    agree(cosine_linear(8200, 2), evaluate(rows(1, 8200), backward=False))


@claim(
    "formula", hint="max(length, eps), for x and for each row by itself: lengths above eps stay as they are, and eps is not added to them."
)
def test_eps(agree):
    """A length below eps is replaced by eps, that of x and that of a row each by itself; a length above it is left as it is."""
    weight = of_length([0.05, 0.2, 0.35, 3.0], 6)
    layer = cosine_linear(6, 4, eps=0.25).filled(weight=weight)
    agree(layer, train(of_length([0.02, 0.2, 0.3, 5.0], 6)), evaluate(of_length([0.1, 0.6], 6)))
    without = cosine_linear(6, 2, eps=0.0).filled(weight=of_length([1e-9, 0.5], 6))
    agree(without, train(of_length([3e-10, 2.0], 6)))


@claim("formula", hint="The default of eps is 1e-8: below that, a length counts as 1e-8.")
def test_default_eps(agree):
    """Unless it is given, eps is 1e-8: so small that it decides about nothing but vectors of nearly 0."""
    weight = of_length([2e-9, 3e-8, 1e-6, 2.0], 6)
    agree(
        cosine_linear(6, 4).filled(weight=weight), train(of_length([5e-9, 4e-8, 1e-7, 1e-5, 1.0], 6)), evaluate(of_length([1e-9, 1e-6], 6))
    )


@claim(
    "state",
    points=2,
    hint="`weight` is an nn.Parameter of shape (out_features, in_features), as in torch.nn.Linear, and the only one; draw its first "
    "numbers at random.",
)
def test_new_layer(agree):
    """A new layer's state dict has `weight` alone, a parameter whose rows point in different directions; the layer works with it at
    once.
    """
    for out_features in (4, 12):
        agree(probe("new", x=rows(3, 6), out_features=out_features))


@claim(
    "gradient",
    hint="Both lengths depend on what is learnt or comes in: let autograd differentiate through them, without detach, item or no_grad.",
)
def test_gradients(agree):
    """The gradient flows through both lengths as well, and reaches input and weight."""
    for shape, out_features in [((5, 3), 4), ((4, 2, 9), 2), ((6,), 3)]:
        agree(cosine_linear(shape[-1], out_features), train(rows(*shape)), evaluate(rows(*shape)))


@claim(
    "edge",
    hint="0 / eps is 0. For the gradient, guard the length where it still has a slope: torch.linalg.vector_norm then clamp, or clamp "
    "the sum of squares at eps² before sqrt.",
)
def test_zero_vectors(agree):
    """A position of zeros, or a row of zeros, gives 0 and finite gradients."""
    x, weight = rows(4, 6), rows(3, 6)
    x[1] = weight[2] = 0
    for step in (train, evaluate):
        agree(cosine_linear(6, 3, eps=0.5).filled(weight=weight), step(x))
        agree(cosine_linear(6, 3).filled(weight=weight), step(x))
        agree(cosine_linear(6, 3, eps=1e-15).filled(weight=weight), step(x))


@claim("edge", hint="Count the dimension from the end, dim=-1: then it does not matter how many come before it, if any.")
def test_number_of_dimensions(agree):
    """An input may have any number of dimensions: a single position of shape (in_features,), or many."""
    agree(cosine_linear(6, 4), train(rows(6)), evaluate(rows(6)), train(rows(2, 3, 1, 2, 6)), evaluate(rows(4, 6)))


@claim(
    "edge",
    hint="A vector and its multiples point the same way: the cosine is 1, or −1 for the opposite way. No arccos follows, and no 1 − cos.",
)
def test_parallel_and_orthogonal(agree):
    """Multiples of a row give 1 or −1, what stands at right angles to it gives 0; a single feature is all sign."""
    weight = rows(3, 5)
    x = np.concatenate([weight * uniform(0.5, 3.0, 3, 1), -weight[:1] * 40])
    agree(cosine_linear(5, 3).filled(weight=weight), train(x, backward=False), evaluate(x, backward=False))
    agree(
        cosine_linear(4, 2).filled(weight=[[3.0, 4.0, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5]]), train(np.diag([2.0, -3.0, 7.0, 0.5]).astype("f4"))
    )
    agree(cosine_linear(1, 2), train(uniform(-2, -0.5, 4, 1), backward=False), evaluate(uniform(0.5, 2, 3, 2, 1), backward=False))


@claim("stability", hint="Each position and each row has a length of its own: nothing is shared with longer ones; guard each by itself.")
def test_magnitudes(agree):
    """Very short and very long vectors, in one input and in one weight, all give accurate cosines."""
    weight = of_length([1e-6, 1e-3, 1.0, 1e4, 1e8], 8)
    for step in (train, evaluate):
        agree(cosine_linear(8, 5).filled(weight=weight), step(of_length([1e-7, 1e-4, 0.5, 1e3, 1e9], 8)))
        agree(cosine_linear(8, 5).filled(weight=weight), step(of_length([1e8, 1e-5, 2.0], 8), gradients="no_grad"))


@claim(
    "precision", hint="Widen x and the weight to float32 before anything is squared or multiplied, and cast the cosines back to x.dtype."
)
def test_half_precision(agree):
    """Half-precision input gets cosines that are computed in float32, and they come back in its own dtype, whatever the weight's."""
    for dtype in ("float16", "bfloat16"):
        for layer in (cosine_linear(48, 3, eps=1e-6).to(dtype), cosine_linear(48, 3, eps=1e-6)):
            agree(
                layer, train(randn(5, 48) * 300, dtype=dtype), evaluate(randn(5, 48) * 1e-4, dtype=dtype), evaluate(randn(48), dtype=dtype)
            )
        x = rows(4, 6)
        x[1] = 0
        agree(cosine_linear(6, 2).to(dtype), train(x, dtype=dtype))
        far = cosine_linear(6, 4).filled(weight=of_length([1e-6, 0.3, 40.0, 1e7], 6))  # which float16 does not hold
        agree(far, train(x, dtype=dtype), evaluate(x, dtype=dtype, gradients="no_grad"))
        long = cosine_linear(48, 2).to(dtype).filled(weight=uniform(2e4, 6e4, 2, 48))  # longer than float16 holds
        agree(long, train(randn(5, 48), dtype=dtype), evaluate(randn(3, 48), dtype=dtype, gradients="no_grad"))
        agree(probe("precision", x=rows(4, 6), weight=rows(3, 6), dtype=dtype))
