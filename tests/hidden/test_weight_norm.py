"""Hidden suite of `weight_norm`.

The weight is looked at through a small layer of the probes, `with_weight`: a linear layer, or, where the weight is no matrix,
a product with x number by number. Where g is ‖v‖, as at the beginning, the result is v whatever the lengths are taken over; so g and v are
filled with numbers of their own, and no two slices of v are alike in length.
"""

import numpy as np
import pytest
from shared import powers, rows

from normgrade.suite import build, evaluate, ones, probe, randn, train, uniform, use, words

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


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`WeightNorm(weight)()` must return a tensor of the weight's shape: forward takes nothing but self.",
    zh="`WeightNorm(weight)()` 应当返回与 weight 形状相同的张量：forward 除 self 外没有参数。",
)
def test_call(observe):
    """It can be built from a weight alone, and a call without arguments returns a tensor of the weight's shape and dtype.

    zh: 只用权重就可以构造，不带参数调用时，返回的张量与权重的形状和 dtype 相同。
    """
    result = observe(probe("returned", weight=randn(4, 3)))["result"]
    assert result.dtype == "float32", words(
        f"the result should be float32, as the weight is, but is {result.dtype}",
        zh=f"结果应当与权重一样是 float32，实际是 {result.dtype}",
    )
    assert result.values.shape == (4, 3), words(
        f"the result should have the weight's shape (4, 3), but has {result.values.shape}",
        zh=f"结果的形状应当与权重相同，是 (4, 3)，实际是 {result.values.shape}",
    )


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint(
    "One length for each index of dimension 0, over all other dimensions; v over its lengths, times g.",
    zh="第 0 维的每个下标有一个长度，对其余所有维求得；v 除以这些长度，再乘 g。",
)
def test_lengths_and_directions(agree):
    """Each output's slice of the weight has the direction of v's slice and the length g, whatever the number of dimensions.

    zh: 无论权重有几维，每个输出的切片方向都与 v 的切片相同，长度为 g。
    """
    for shape in SHAPES:
        x = (5, shape[1]) if len(shape) == 2 else shape
        agree(filled(with_weight(randn(*shape)), v=slices(*shape)), train(randn(*x)), evaluate(randn(*x)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "dim is the dimension that keeps its lengths apart: the lengths run over all others.",
    zh="dim 是各自保留长度的那一维：长度对其他所有维求得。",
)
def test_dim(agree):
    """With another dim there is one length for each of its indices.

    zh: dim 取其他值时，那一维的每个下标有一个长度。
    """
    for shape, dim in [((4, 6), 1), ((5, 5), 1), ((5, 3, 2), 1), *(((3, 2, 4, 5), dim) for dim in (1, 2, 3)), ((2, 1, 2, 1, 3, 2), 4)]:
        x = (5, shape[1]) if len(shape) == 2 else shape
        agree(filled(with_weight(randn(*shape), dim=dim), v=slices(*shape, dim=dim)), train(randn(*x)), evaluate(randn(*x)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "g is a factor as it is: negative numbers turn the direction round, and 0 gives 0.",
    zh="g 是系数，原样使用：为负时方向反转，为 0 时结果为 0。",
)
def test_any_g(agree):
    """g may be any number, also negative or 0.

    zh: g 可以是任何数，包括负数和 0。
    """
    g = np.array([[-250.0], [0.0], [1e-3], [40000.0]], np.float32)
    agree(filled(with_weight(randn(4, 6)), g=g, v=slices(4, 6)), train(randn(5, 6)), evaluate(randn(2, 6)))


@pytest.mark.kind("state")
@pytest.mark.points(2)
@pytest.mark.hint(
    "Two nn.Parameter and nothing else: `v` starts at the weight itself, and `g` at its lengths, with size 1 in every dimension but dim.",
    zh="两个 nn.Parameter，此外什么也没有：`v` 的初值是权重本身，`g` 的初值是它的长度，除 dim 之外各维大小都是 1。",
)
def test_new(agree):
    """The state dict has `g` and `v`, both parameters: v starts at the weight, g at its lengths, with all other dimensions of size 1.

    zh: 状态字典中有 `g` 和 `v`，都是参数：v 的初值是权重，g 的初值是它的长度，其他各维大小为 1。
    """
    for shape in SHAPES:
        agree(with_weight(slices(*shape)))
    agree(with_weight(slices(4, 6, dim=1), 1))
    agree(with_weight(slices(3, 2, 4, 5, dim=2), dim=2))
    agree(with_weight(slices(3, 5).astype(np.float16)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Start from weight.detach().clone(). nn.Parameter(weight) and nn.Parameter(weight.data) use the memory of the weight that was given.",
    zh="从 weight.detach().clone() 出发。nn.Parameter(weight) 和 nn.Parameter(weight.data) 用的是传入的权重的内存。",
)
def test_own_memory(agree):
    """The weight that was given is copied: it stays as it is, and two that were built from one weight share nothing.

    zh: 传入的权重被复制：它保持不变；由同一个权重构造的两个对象互不共享。
    """
    kinds = ("parameter", "float32"), ("expanded tensor", "bfloat16"), ("computed tensor", "float64"), ("permuted parameter", "float16")
    for given, dtype in kinds:
        agree(probe("memory", weight=slices(4, 3, 2) * 300, other=slices(4, 3, 2), given=given, dtype=dtype))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "‖v‖ depends on v: let autograd differentiate through it, without detach, item, data or no_grad.",
    zh="‖v‖ 依赖于 v：让 autograd 对它求导，不要用 detach、item、data 或 no_grad。",
)
def test_gradients(agree):
    """The gradient flows through the lengths as well, and reaches both g and v.

    zh: 梯度也流经长度，并到达 g 和 v。
    """
    for shape in ((4, 6), (3, 2, 4)):
        x = (5, shape[1]) if len(shape) == 2 else shape
        agree(filled(with_weight(randn(*shape)), v=slices(*shape)), train(randn(*x)), evaluate(randn(*x)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "There are no other dimensions: each number is its own slice, with its absolute value as length. Beware: sum and norm take an empty "
    "list of dimensions for all of them.",
    zh="没有其他维：每个数自成一个切片，长度是它的绝对值。注意：对 sum 和 norm 来说，空的维列表表示所有维。",
)
def test_one_dimension(agree):
    """A weight of one dimension has a length for every number: the result is g with the signs of v.

    zh: 一维的权重中每个数有一个长度：结果是带有 v 的符号的 g。
    """
    agree(with_weight(randn(5)))
    agree(
        filled(with_weight(randn(5)), v=[0.5, -2.0, 3.0, -0.1, 1.0]), train(randn(5), backward=False), evaluate(randn(4, 5), backward=False)
    )


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "A squeeze, or an `if` on a size, treats length one as something special. It is not.",
    zh="squeeze，或对大小的 if 判断，会把长度 1 当作特例。它不是特例。",
)
def test_sizes_of_one(agree):
    """Any dimension of the weight may have size one.

    zh: 权重的任何一维大小都可以是 1。
    """
    for shape, dim in [((1, 6), 0), ((6, 1), 1), ((1, 3, 2), 0), ((3, 1, 2), 1), ((3, 2, 1), 0), ((1, 4, 1, 1), 1)]:
        x = (5, shape[1]) if len(shape) == 2 else shape
        agree(filled(with_weight(randn(*shape), dim), v=slices(*shape, dim=dim)), train(randn(*x)), evaluate(randn(*x)))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "There is no eps: v / ‖v‖ alone. Each slice has its own length; nothing is shared with longer ones.",
    zh="没有 eps：只有 v / ‖v‖。每个切片有自己的长度，不与更长的共用任何东西。",
)
def test_magnitudes(agree):
    """Very short and very long slices, in one v, all keep their directions: only g decides about the length.

    zh: 同一个 v 中，极短的和极长的切片都保持各自的方向：长度只由 g 决定。
    """
    v = randn(6, 7) * np.array([[1e-15], [1e-9], [1e-3], [1], [1e6], [1e15]], np.float32)
    agree(
        filled(with_weight(randn(6, 7)), v=v.astype(np.float32)),
        evaluate(randn(4, 7), backward=False),
        train(randn(4, 7), gradients="no_grad"),
    )
    agree(filled(with_weight(ones(3, 4)), v=v[[1, 3, 4], :4].astype(np.float32)), train(randn(5, 4)))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Widen v to float32 before its squares are summed, and cast the result back to the dtype of v.",
    zh="在求平方和之前把 v 提升到 float32，再把结果转换回 v 的 dtype。",
)
def test_half_precision(agree):
    """In half precision the lengths are taken in float32, and the weight has the dtype of v.

    zh: 半精度时，长度在 float32 中计算，得到的权重与 v 的 dtype 相同。
    """
    for dtype in ("float16", "bfloat16"):
        layer = with_weight(randn(4, 3, 2)).to(dtype)
        longer_than_float16_holds = uniform(2e4, 6e4, 4, 3, 2)
        for v in (slices(4, 3, 2), longer_than_float16_holds, slices(4, 3, 2) * 1e-4):
            agree(filled(layer, v=v), train(randn(4, 3, 2), dtype=dtype), evaluate(randn(5, 4, 3, 2), dtype=dtype))
        agree(probe("precision", weight=slices(4, 3, 2), dtype=dtype))
