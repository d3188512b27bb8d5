"""Hidden suite of `rms_norm_fused_add`.

No two sizes in a shape agree. Rows differ in mean and scale, weights differ from 1 and from each other, and x and residual are of the same
size, so that neither can stand for their sum. Where eps is not the point, the sums are so large that it cannot matter.
"""

import numpy as np
from shared import coarse, rows, weights

from normgrade.suite import build, claim, evaluate, probe, uniform, use, zeros


def inputs(*shape, scale=1.0):
    """Two inputs to add, and a weight."""
    return [rows(*shape) * np.float32(scale), rows(*shape) * np.float32(scale), weights(shape[-1])]


def large(*shape):
    """Inputs beside whose mean squares the usual eps is nothing."""
    return inputs(*shape, scale=1000)


def both(**arguments):
    """y and total as one tensor."""
    return build(**arguments).named("both")


def only_y(**arguments):
    return build(**arguments).named("only_y")


def named(*shape, scale=1.0):
    """The inputs by name, for probes."""
    return dict(zip(("x", "residual", "weight"), inputs(*shape, scale=scale), strict=True))


def typical():
    """Both outputs, and only y."""
    return [
        use(both(eps=0.1), inputs(5, 6), inputs(2, 3, 6), [-1]),
        use(only_y(eps=1e-3), inputs(2, 4, 2, 7), inputs(3, 7), [-1]),
    ]


def real():
    """A model of a thousand features."""
    return [
        use(both(), inputs(2, 1100), inputs(1, 2, 1100), [-1]),
    ]


@claim("formula", hint="total = x + residual: the stream as it goes on, neither normalised nor scaled. It is the second output.")
def test_total(agree):
    """total is the sum of x and residual, as it is."""
    for shape in [(4, 7), (2, 5, 3)]:
        agree(build().named("only_total"), evaluate(*large(*shape), backward=False))


@claim(
    "formula", points=2, hint="y = total / √(mean(total²) + ε) · weight: the norm comes after the sum, and over the last dimension alone."
)
def test_norm(agree):
    """y is the sum, divided by its own root mean square over the last dimension, times weight."""
    for shape in [(4, 7), (6, 5, 8), (2, 3, 1, 5, 4), (3, 2), (2, 1030)]:
        agree(only_y(), evaluate(*large(*shape), backward=False))
    x, residual, weight = large(3, 200)
    x[1, 60] = 1e6
    agree(only_y(), evaluate(x, residual, weight, backward=False))
    x, residual, weight = large(4, 9)
    agree(only_y(), evaluate(x + 5000, residual + 3000, weight, backward=False))
    agree(only_y(), evaluate(*large(2, 8400), backward=False))


@claim("edge", hint="√(mean(total²) + ε) in both passes, with the eps of this call; its default is 1e-6.")
def test_eps(agree):
    """eps is added to the mean square, inside the root, in both passes; it is 1e-6 unless told otherwise."""
    for eps in (0.1, 2.0):
        agree(both(eps=eps), evaluate(*inputs(4, 6)), evaluate(*inputs(2, 3, 5)))
    agree(both(), evaluate(*inputs(4, 6, scale=1e-3)), evaluate(*inputs(3, 4, scale=1e-4)))
    x, residual, weight = inputs(5, 6)
    x[1], residual[1] = 0, 0
    residual[3] = -x[3]
    agree(both(eps=0.1), evaluate(x, residual, weight), evaluate(zeros(2, 6), zeros(2, 6), weight))
    agree(both(), evaluate(x, residual, weight))


@claim(
    "gradient",
    points=2,
    hint="With dx̂ = dy · weight: (dx̂ − x̂ · mean(dx̂ · x̂)) · r, with the mean of each row. It goes to x and to residual alike.",
)
def test_gradient_of_y(agree):
    """The gradient of y flows directly and through the root mean square, and reaches x and residual alike."""
    for shape in [(4, 6), (2, 5, 3), (3, 2), (2, 3, 1, 4), (3, 70)]:
        agree(only_y(), evaluate(*large(*shape)))


@claim(
    "gradient",
    points=2,
    hint="The gradient of total is added after the backward pass of the norm: dx = dresidual = dtotal + the part that comes from y.",
)
def test_gradients_of_both(agree):
    """The gradients of y and of total add up, in x and in residual, also in a row of blocks."""
    for shape in [(4, 6), (2, 5, 3), (3, 70)]:
        agree(both(), evaluate(*inputs(*shape)))
    agree(probe("in_a_row", **named(4, 6), upstream=rows(4, 6)))


@claim("gradient", hint="All rows share weight: sum dy · x̂ over every axis but the last. Where there is one row, nothing is summed.")
def test_gradient_of_weight(agree):
    """The gradient of weight is a sum over all rows, however many axes these have."""
    for shape in [(7,), (1, 5), (4, 4), (3, 2, 3, 5), (2, 1, 3, 2, 4), (4, 4, 4), (700, 3)]:
        agree(both(), evaluate(*large(*shape)))
    x, residual, weight = large(4, 6)
    weight[[1, 4]] = 0
    agree(both(), evaluate(x, residual, weight), evaluate(x, residual, zeros(6)))


@claim("gradient", hint="The gradient of an output that is not used arrives as zeros, or as None after set_materialize_grads(False).")
def test_one_output(agree):
    """Only y or only total may be used: then its gradient alone goes back. Gradients that arrive stay as they are."""
    agree(probe("one_output", **named(4, 6), dy=rows(4, 6), dtotal=rows(4, 6)))
    agree(probe("one_output", **named(2, 3, 5), dy=rows(2, 3, 5), dtotal=rows(2, 3, 5)))
    agree(probe("gradient_left_alone", **named(4, 6), upstream=rows(2, 4, 6)))


@claim(
    "state",
    points=2,
    hint="Of tensors as large as x keep inputs and outputs alone, such as total; keep r, one number for each row; compute x̂ again.",
)
def test_memory(agree):
    """Beside inputs and outputs, at most one number for each row is kept for the backward pass; y and total are new tensors."""
    for dtype in ("float32", "float16", "bfloat16"):
        agree(probe("kept", **named(10, 40, 48), dtype=dtype))
    given = named(4, 6)
    for empty in ("x", "residual"):
        agree(probe("new_tensors", **given | {empty: zeros(4, 6), "weight": np.ones(6, np.float32)}))
    agree(probe("new_tensors", **given | {"weight": zeros(6)}))


@claim(
    "state",
    hint="Keep tensors with ctx.save_for_backward, outputs too: it notices later changes. A tensor that is an attribute of ctx does not.",
)
def test_changed_in_place(agree):
    """If an input or an output is changed in place before the backward pass, the gradient is right, or PyTorch raises an error."""
    agree(probe("changed_in_place", **named(4, 6), dy=rows(4, 6), dtotal=rows(4, 6)))


@claim("edge", hint="Count the dimension from the end, dim=-1. The mean of one square is that square, and its gradient is nearly 0.")
def test_one_row(agree):
    """x and residual may be a single row, and a row may be a single number."""
    agree(both(), evaluate(*large(6)))
    agree(both(eps=0.1), evaluate(*inputs(4, 1)), evaluate(*inputs(2, 3, 1)), evaluate(*inputs(1)))


@claim(
    "precision",
    hint="Half precision: compute in float32, also the products of backward. y and total have the dtype of x, even if weight is float32.",
)
def test_half_precision(agree):
    """Half precision is computed in float32, backward too; y and total have the dtype of x, whatever that of weight."""
    for dtype in ("float16", "bfloat16"):
        for scale in (1, 300, 1e-3):
            x, residual = (coarse(5, 32, dtype=dtype) * np.float32(scale) for _ in range(2))
            agree(both(eps=1e-8), evaluate(x, residual, weights(32), dtype=dtype, backward=True))
            agree(build(32, eps=1e-8).named("layer"), evaluate(x, residual, dtype=dtype, backward=True))
        agree(
            both(eps=1e-8),
            evaluate(*inputs(40, 16), dtype=dtype, backward=True),
            evaluate(*inputs(2, 3, 16), dtype=dtype, gradients="no_grad"),
        )
        agree(probe("wide_statistics", **named(5, 64), dtype=dtype))
    x, residual = abs(coarse(300, 6)), abs(coarse(300, 6))  # a sum over the rows that is no number of float16, though those of weight are
    layer = build(6, eps=1e-8).named("layer")
    agree(layer, evaluate(x, residual, dtype="float16", backward=True, steep=True, arriving="ones"))
    x, residual = coarse(3, 100) * 4, coarse(3, 100) * 4  # below: dy · x̂ is no number of float16, and in the sum it cancels
    x[0, 7], residual[0, 7] = 2000, 0
    x[1], residual[1] = -x[0], -residual[0]
    agree(build(100, eps=1e-8).named("layer"), evaluate(x, residual, dtype="float16", backward=True, steep=True, arriving="ones"))
    x, residual, weight = inputs(2, 6, scale=300)  # below: dy · weight is no number of float16
    agree(only_y(), evaluate(x, residual, weight * 5, dtype="float16", backward=True, steep=True))
    agree(both(eps=1e-12), evaluate(*inputs(4, 6), dtype="float64"), evaluate(*inputs(2, 3, 6, scale=1e-3), dtype="float64"))


@claim("state", hint="Write the signature as the contract does: add_rms_norm(x, residual, weight, eps=1e-6).")
def test_arguments(agree):
    """All arguments are understood, by position and by name; eps is 1e-6 unless it is given."""
    agree(probe("arguments", **named(4, 6, scale=1e-3), eps=1e-4))
    agree(
        only_y(), evaluate(*inputs(4, 6, scale=1e-3), names=["x", "residual", "weight"]), evaluate(uniform(1, 2, 3, 2), *inputs(3, 2)[1:])
    )
