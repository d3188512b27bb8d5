"""Hidden suite of `weight_norm`.

The weight is looked at through a small layer of the probes, `with_weight`: a linear layer, or, where the weight is no matrix,
a product with x number by number. Where g is ‖v‖, as at the beginning, the result is v whatever the lengths are taken over; so g and v are
filled with numbers of their own, and no two slices of v are alike in length.
"""

import numpy as np
from shared import powers, rows

from normgrade.suite import build, claim, evaluate, ones, probe, randn, train, uniform, use, words

LARGE = [(2, 4200), (600, 3)]
SHAPES = [(4, 6), (2, 300), (70, 3), (5, 3, 2), (3, 2, 4, 5), (2, 3, 1, 2, 1, 4)]


def with_weight(weight, *args, **kwargs):
    """A layer whose weight is yours, built from this one."""
    return build(weight, *args, **kwargs).named("with_weight")


def slices(*shape, dim=0):
    """Random numbers whose slices along dim have lengths of their own."""
    sizes = [1] * len(shape)
    sizes[dim] = shape[dim]
    return randn(*shape) * powers(2, -2, 2, *sizes)


def filled(layer, **state):
    """The layer with these numbers in its g and v."""
    return layer.filled(**{f"norm.{name}": value for name, value in state.items()})


def typical():
    """As a linear layer's weight, with a length for each output and with one for each input; as that of a convolution."""
    return [
        use(with_weight(slices(4, 6)), rows(5, 6), rows(2, 3, 6), [-1]),
        use(with_weight(slices(3, 5, dim=1), 1), rows(2, 1, 3, 5), rows(5), [-1]),
        use(with_weight(slices(3, 2, 4, dim=2), dim=2), randn(5, 3, 2, 4), randn(2, 2, 3, 2, 4), [-3, -2, -1]),
    ]


def real():
    """A layer of a thousand features."""
    return [
        use(with_weight(slices(5, 1040)), rows(3, 1040), rows(1, 2, 1040), [-1]),
    ]


@claim("interface", hint="`WeightNorm(weight)()` must return a tensor of the weight's shape: forward takes nothing but self.")
def test_call(observe):
    """It can be built from a weight alone, and a call without arguments returns a tensor of the weight's shape and dtype."""
    result = observe(probe("returned", weight=randn(4, 3)))["result"]
    assert result.dtype == "float32", words("the result should be float32, as the weight is, but is {dtype}", dtype=result.dtype)


@claim("formula", points=2, hint="One length for each index of dimension 0, over all other dimensions; v over its lengths, times g.")
def test_lengths_and_directions(agree):
    """Each output's slice of the weight has the direction of v's slice and the length g, whatever the number of dimensions."""
    for shape in SHAPES:
        x = (5, shape[1]) if len(shape) == 2 else shape
        agree(filled(with_weight(randn(*shape)), v=slices(*shape)), train(randn(*x)), evaluate(randn(*x)))
    for shape in LARGE:
        agree(filled(with_weight(randn(*shape)), v=slices(*shape)), evaluate(randn(1, shape[1]), backward=False))


@claim("formula", hint="dim is the dimension that keeps its lengths apart: the lengths run over all others.")
def test_dim(agree):
    """With another dim there is one length for each of its indices."""
    for shape, dim in [((4, 6), 1), ((5, 5), 1), ((5, 3, 2), 1), *(((3, 2, 4, 5), dim) for dim in (1, 2, 3)), ((2, 1, 2, 1, 3, 2), 4)]:
        x = (5, shape[1]) if len(shape) == 2 else shape
        agree(filled(with_weight(randn(*shape), dim=dim), v=slices(*shape, dim=dim)), train(randn(*x)), evaluate(randn(*x)))


@claim("formula", hint="g is a factor as it is: negative numbers turn the direction round, and 0 gives 0.")
def test_any_g(agree):
    """g may be any number, also negative or 0."""
    g = np.array([[-250.0], [0.0], [1e-3], [40000.0]], np.float32)
    agree(filled(with_weight(randn(4, 6)), g=g, v=slices(4, 6)), train(randn(5, 6)), evaluate(randn(2, 6)))


@claim(
    "state",
    points=2,
    hint="Two nn.Parameter and nothing else: `v` starts at the weight itself, and `g` at its lengths, with size 1 in every dimension "
    "but dim.",
)
def test_new(agree):
    """The state dict has `g` and `v`, both parameters: v starts at the weight, g at its lengths, with all other dimensions of size 1."""
    for shape in SHAPES:
        agree(with_weight(slices(*shape)))
    agree(with_weight(slices(4, 6, dim=1), 1))
    agree(with_weight(slices(3, 2, 4, 5, dim=2), dim=2))
    agree(with_weight(slices(3, 5).astype(np.float16)))


@claim(
    "state",
    hint="Start from weight.detach().clone(). nn.Parameter(weight) and nn.Parameter(weight.data) use the memory of the weight that was "
    "given.",
)
def test_own_memory(agree):
    """The weight that was given is copied: it stays as it is, and two that were built from one weight share nothing."""
    kinds = ("parameter", "float32"), ("expanded tensor", "bfloat16"), ("computed tensor", "float64"), ("permuted parameter", "float16")
    for given, dtype in kinds:
        agree(probe("memory", weight=slices(4, 3, 2) * 300, other=slices(4, 3, 2), given=given, dtype=dtype))


@claim("gradient", hint="‖v‖ depends on v: let autograd differentiate through it, without detach, item, data or no_grad.")
def test_gradients(agree):
    """The gradient flows through the lengths as well, and reaches both g and v."""
    for shape in ((4, 6), (3, 2, 4)):
        x = (5, shape[1]) if len(shape) == 2 else shape
        agree(filled(with_weight(randn(*shape)), v=slices(*shape)), train(randn(*x)), evaluate(randn(*x)))


@claim(
    "edge",
    hint="There are no other dimensions: each number is its own slice, with its absolute value as length. Beware: sum and norm take an "
    "empty list of dimensions for all of them.",
)
def test_one_dimension(agree):
    """A weight of one dimension has a length for every number: the result is g with the signs of v."""
    agree(with_weight(randn(5)))
    agree(
        filled(with_weight(randn(5)), v=[0.5, -2.0, 3.0, -0.1, 1.0]), train(randn(5), backward=False), evaluate(randn(4, 5), backward=False)
    )


@claim("edge", hint="A squeeze, or an `if` on a size, treats length one as something special. It is not.")
def test_sizes_of_one(agree):
    """Any dimension of the weight may have size one."""
    for shape, dim in [((1, 6), 0), ((6, 1), 1), ((1, 3, 2), 0), ((3, 1, 2), 1), ((3, 2, 1), 0), ((1, 4, 1, 1), 1)]:
        x = (5, shape[1]) if len(shape) == 2 else shape
        agree(filled(with_weight(randn(*shape), dim), v=slices(*shape, dim=dim)), train(randn(*x)), evaluate(randn(*x)))


@claim("stability", hint="There is no eps: v / ‖v‖ alone. Each slice has its own length; nothing is shared with longer ones.")
def test_magnitudes(agree):
    """Very short and very long slices, in one v, all keep their directions: only g decides about the length."""
    v = randn(6, 7) * np.array([[1e-15], [1e-9], [1e-3], [1], [1e6], [1e15]], np.float32)
    agree(
        filled(with_weight(randn(6, 7)), v=v.astype(np.float32)),
        evaluate(randn(4, 7), backward=False),
        train(randn(4, 7), gradients="no_grad"),
    )
    agree(filled(with_weight(ones(3, 4)), v=v[[1, 3, 4], :4].astype(np.float32)), train(randn(5, 4)))


@claim("precision", hint="Widen v to float32 before its squares are summed, and cast the result back to the dtype of v.")
def test_half_precision(agree):
    """In half precision the lengths are taken in float32, and the weight has the dtype of v."""
    for dtype in ("float16", "bfloat16"):
        layer = with_weight(randn(4, 3, 2)).to(dtype)
        longer_than_float16_holds = uniform(2e4, 6e4, 4, 3, 2)
        shorter_than_one_over_its_largest = slices(4, 3, 2) * 3e-6
        for v in (slices(4, 3, 2), longer_than_float16_holds, slices(4, 3, 2) * 1e-4, shorter_than_one_over_its_largest):
            agree(filled(layer, v=v), train(randn(4, 3, 2), dtype=dtype), evaluate(randn(5, 4, 3, 2), dtype=dtype))
        agree(probe("precision", weight=slices(4, 3, 2), dtype=dtype))
