"""Hidden suite of `dyisru`.

The grader draws a c between −1.8 and 1.8 where a story changes it, so `typical` has inputs whose squares are larger than that. Elsewhere c
is filled in, and inputs lie where x² and c are alike, so that each of them shows.
"""

import numpy as np
import pytest
from shared import powers

from normgrade.suite import build, evaluate, randn, train, uniform, use, words


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


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `DyISRU(5)` and call it on a tensor of shape (4, 5): a tensor of that shape must come back.",
    zh="用 `DyISRU(5)` 构造，对形状为 (4, 5) 的张量调用：应当返回同样形状的张量。",
)
def test_call(observe):
    """The layer can be built and called, and returns a tensor of its input's shape and dtype.

    zh: 层可以构造和调用，返回的张量与输入的形状和 dtype 相同。
    """
    for step, shape in ((train, (4, 5)), (evaluate, (5,))):
        output = observe(build(5).filled(c=1.0), step(randn(*shape), backward=False))["step 1 · output"]
        assert output.dtype == "float32", words(
            f"the output should be float32, as the input is, but is {output.dtype}",
            zh=f"输出应当与输入一样是 float32，实际是 {output.dtype}",
        )
        assert output.values.shape == shape, words(
            f"the output should have the input's shape {shape}, but has {output.values.shape}",
            zh=f"输出的形状应当与输入相同，是 {shape}，实际是 {output.values.shape}",
        )


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint(
    "y = weight * √dim * x / sqrt(x² + c) + bias, number by number: nothing is summed.",
    zh="y = weight * √dim * x / sqrt(x² + c) + bias，逐个数计算：不求任何和。",
)
def test_formula(agree):
    """Every number is divided by √(x² + c), multiplied by √dim, and then scaled and shifted by the weight and bias of its feature.

    zh: 每个数除以 √(x² + c)，乘以 √dim，再用所属特征的 weight 缩放、bias 平移。
    """
    for shape in [(4, 7), (6, 5, 8), (2, 3, 5, 6), (3, 2), (5, 5)]:
        agree(build(shape[-1]).filled(c=1.7), train(randn(*shape) * 1.5), evaluate(randn(*shape) * 1.5))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "c is added to x² inside the root as it is: not squared, not made positive, and no eps beside it.",
    zh="c 原样加到根号内的 x² 上：不平方，不取正，旁边也没有 eps。",
)
def test_c(agree):
    """c may be any number, small or large, also negative as long as x² + c is above 0; it is the same for every feature.

    zh: c 可以是任何数，可大可小，只要 x² + c 大于 0 也可以为负；它对所有特征都相同。
    """
    for c in (1e-16, 1e-9, 1e-4, 0.3, 40.0, 1e9):
        agree(build(5).filled(c=c), train(randn(4, 5) * c**0.5), evaluate(randn(2, 3, 5) * c**0.5))
    for c in (-1.5, 0.0):
        agree(build(5).filled(c=c), train(apart(4, 5)), evaluate(apart(2, 3, 5)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "√dim is the root of the size of the last dimension. bias is added afterwards, as it is.",
    zh="√dim 是最后一维大小的平方根。bias 在那之后原样加上。",
)
def test_root_of_dim(agree):
    """What was squashed is multiplied by the root of dim, also where dim is 1 or large; bias is not.

    zh: 压缩后的数要乘以 dim 的平方根，dim 为 1 或很大时也一样；bias 不乘。
    """
    for dim in (1, 2, 40, 300):
        agree(build(dim).filled(c=0.8), train(randn(3, dim)), evaluate(randn(2, 2, dim)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The parameter c starts at the argument c, whose default is 1.",
    zh="参数 c 的初值就是传入的 c，默认值为 1。",
)
def test_first_c(agree):
    """The parameter c starts at the number that is given, by position or by name; at 1 if none is given.

    zh: 参数 c 的初值是传入的数，可按位置或按名字传入；不传时为 1。
    """
    for layer in (build(5), build(5, 2.3), build(5, c=0.3), build(dim=5, c=600.0), build(5, 1e-9), build(5, 0.0), build(5, c=-1.2)):
        agree(layer.as_built(), train(apart(4, 5)), evaluate(apart(2, 5)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Three nn.Parameter and nothing else: `c` holds one number, shape () or (1,); `weight` is all ones and `bias` all zeros, "
    "both of shape (dim,).",
    zh="三个 nn.Parameter，此外什么也没有：`c` 只含一个数，形状为 () 或 (1,)；`weight` 全为 1，`bias` 全为 0，形状都是 (dim,)。",
)
def test_new_layer(agree):
    """A new layer's state dict has `c`, `weight` and `bias`, all of them parameters, and nothing else.

    zh: 新建的层的状态字典中有 `c`、`weight` 和 `bias`，都是参数，此外什么也没有。
    """
    agree(build(6).as_scalars("c"))
    for dim in (1, 300):
        agree(build(dim, c=2.5).as_scalars("c"))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "x stands above the fraction line and below it, and the gradient flows through both; use the parameters themselves, without detach.",
    zh="分子和分母中都有 x，梯度流经两处；直接使用参数本身，不要用 detach。",
)
def test_gradients(agree):
    """The gradient flows through the root as well, and reaches the input, the weight, the bias and c.

    zh: 梯度也流经平方根，并到达输入、weight、bias 和 c。
    """
    for shape in [(5, 3), (4, 2, 9), (6,)]:
        agree(build(shape[-1]).filled(c=0.9), train(randn(*shape)), evaluate(randn(*shape)))
    agree(build(3).filled(c=0.9, weight=[0.0, 1.5, -1.0], bias=0.0), train(randn(4, 3)))
    x = randn(4, 3)
    x[1] = 0
    agree(build(3).filled(c=0.6), train(x))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Count from the end, or let the shapes broadcast: weight and bias of shape (dim,) fit any number of dimensions, and one alone.",
    zh="从末尾数维，或者靠广播：形状为 (dim,) 的 weight 和 bias 适用于任意维数，只有一维也行。",
)
def test_number_of_dimensions(agree):
    """An input may have any number of dimensions: a single position of shape (dim,), or many.

    zh: 输入可以有任意多维：可以只有一个位置，形状为 (dim,)，也可以有很多维。
    """
    layer = build(6).filled(c=1.3)
    agree(layer, train(randn(6)), evaluate(randn(6)), train(randn(2, 3, 1, 2, 6)), evaluate(randn(4, 6)))
    agree(build(3).filled(c=1.3), train(randn(2, 3, 3)), evaluate(randn(2, 3, 4, 3)), train(randn(3, 2, 4, 3)))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "x / sqrt(x² + c) keeps the sign of x and approaches ±1: do not square it away, and do not clip x.",
    zh="x / sqrt(x² + c) 保留 x 的符号，并趋近 ±1：不要因平方丢掉符号，也不要截断 x。",
)
def test_large_numbers(agree):
    """Large numbers of either sign are squashed to ±√dim.

    zh: 很大的数，无论正负，都被压缩到 ±√dim。
    """
    x = uniform(0.5, 2.0, 4, 6) * np.array([1, -1, 60, -200, 3e4, -5e8], np.float32)
    agree(build(6).filled(c=1.2), train(x), evaluate(x, gradients="no_grad"))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Near 0 the layer multiplies by √(dim / c) and the weight: keep x itself above the fraction line.",
    zh="在 0 附近，这个层就是乘以 √(dim / c) 和 weight：分子中应保留 x 本身。",
)
def test_small_numbers(agree):
    """Very small numbers keep their sign and their digits, and 0 stays 0, with a finite gradient.

    zh: 非常小的数保留符号和有效位数；0 仍是 0，梯度有限。
    """
    x = randn(6, 8) * powers(10, -9, -2, 6, 1)
    x[2] = 0
    for step in (train, evaluate):
        agree(build(8).filled(bias=0.0, c=1.4), step(x))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Widen to float32 before you square, whatever the dtype, and return the input's: .to(x.dtype) at the end.",
    zh="无论是什么 dtype，都先提升到 float32 再平方，并返回输入的 dtype：最后用 .to(x.dtype)。",
)
def test_half_precision(agree):
    """Half-precision input is squared in float32 and comes back in its own dtype, whether the parameters are in half precision or not.

    zh: 半精度的输入在 float32 中求平方，返回时仍是自己的 dtype，无论参数是否为半精度。
    """
    for dtype in ("float16", "bfloat16"):
        for layer in (build(8).filled(c=1.4).to(dtype), build(8).filled(c=1.4)):
            agree(layer, train(randn(5, 8), dtype=dtype), evaluate(randn(5, 8) * 3000, dtype=dtype), evaluate(randn(8), dtype=dtype))
        agree(build(8).filled(c=1.4), evaluate(randn(5, 8) * 3000, dtype=dtype, gradients="no_grad"))
        spoilt = randn(4, 6)
        spoilt[0, 1], spoilt[1, 2], spoilt[3, 0] = float("inf"), float("-inf"), float("nan")
        agree(build(6).filled(c=1.4), train(spoilt, dtype=dtype))
        small = build(8).filled(c=1e-6).to(dtype)
        agree(small, train(randn(5, 8) * 1e-4, dtype=dtype), evaluate(randn(5, 8) * 1e-3, dtype=dtype))
