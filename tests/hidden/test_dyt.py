"""Hidden suite of `dyt`.

The steps of a story fill in an alpha, a weight and a bias far from their first values, so that none of them can stand on the wrong side of
tanh. Inputs lie where tanh is bent: alpha · x is neither tiny nor saturated, where that is not the point.
"""

import numpy as np
import pytest
from shared import powers

from normgrade.suite import build, evaluate, randn, train, uniform, use, words


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


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `DyT(5)` and call it on a tensor of shape (4, 5): a tensor of that shape must come back.",
    zh="用 `DyT(5)` 构造，对形状为 (4, 5) 的张量调用：应当返回同样形状的张量。",
)
def test_call(observe):
    """The layer can be built and called, and returns a tensor of its input's shape and dtype.

    zh: 层可以构造和调用，返回的张量与输入的形状和 dtype 相同。
    """
    for step, shape in ((train, (4, 5)), (evaluate, (5,))):
        output = observe(build(5), step(randn(*shape), backward=False))["step 1 · output"]
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
    "y = weight * tanh(alpha * x) + bias: alpha inside tanh, weight and bias outside, along the last dimension.",
    zh="y = weight * tanh(alpha * x) + bias：alpha 在 tanh 内，weight 和 bias 在外，沿最后一维。",
)
def test_formula(agree):
    """Every number is multiplied by alpha, goes through tanh, and is then scaled and shifted by the weight and bias of its feature.

    zh: 每个数乘以 alpha，经过 tanh，再用所属特征的 weight 缩放、bias 平移。
    """
    for shape in [(4, 7), (6, 5, 8), (2, 3, 5, 6), (3, 2), (5, 5), (2, 300)]:
        agree(build(shape[-1]), train(randn(*shape) * 1.5), evaluate(randn(*shape) * 1.5))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Take alpha as it is, below or above 1, negative or 0: one factor of x, inside tanh.",
    zh="alpha 原样使用，无论小于还是大于 1、为负还是为 0：它是 tanh 内 x 的一个系数。",
)
def test_alpha(agree):
    """Alpha may be any number, also 0 or negative, and is the same for every feature.

    zh: alpha 可以是任何数，包括 0 和负数；它对所有特征都相同。
    """
    for alpha in (0.2, 3.0, -1.3, 0.0, 40.0):
        agree(build(5).filled(alpha=alpha), train(randn(4, 5) / max(abs(alpha), 0.5)), evaluate(randn(2, 3, 5)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The parameter alpha starts at the argument alpha, whose default is 0.5.",
    zh="参数 alpha 的初值就是传入的 alpha，默认值为 0.5。",
)
def test_first_alpha(agree):
    """The parameter alpha starts at the number that is given, by position or by name; at 0.5 if none is given.

    zh: 参数 alpha 的初值是传入的数，可按位置或按名字传入；不传时为 0.5。
    """
    for layer in (build(5), build(5, 12.3), build(5, alpha=-0.7), build(dim=5, alpha=1.6), build(5, 0.0)):
        agree(layer.as_built(), train(randn(4, 5)), evaluate(randn(2, 5)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Three nn.Parameter and nothing else: `alpha` holds one number, shape () or (1,); `weight` is all ones and `bias` all zeros, "
    "both of shape (dim,).",
    zh="三个 nn.Parameter，此外什么也没有：`alpha` 只含一个数，形状为 () 或 (1,)；`weight` 全为 1，`bias` 全为 0，形状都是 (dim,)。",
)
def test_new_layer(agree):
    """A new layer's state dict has `alpha`, `weight` and `bias`, all of them parameters, and nothing else.

    zh: 新建的层的状态字典中有 `alpha`、`weight` 和 `bias`，都是参数，此外什么也没有。
    """
    agree(build(6).as_scalars("alpha"))
    for dim in (1, 300):
        agree(build(dim, alpha=1.25).as_scalars("alpha"))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Leave the gradient to autograd, and use the parameters themselves: no detach, item, data or float(alpha) in forward.",
    zh="把梯度交给 autograd，并直接使用参数本身：forward 中不要用 detach、item、data 或 float(alpha)。",
)
def test_gradients(agree):
    """The gradient reaches the input, the weight, the bias and alpha, whose gradient is a sum over everything.

    zh: 梯度到达输入、weight、bias 和 alpha；alpha 的梯度是对所有数求和。
    """
    for shape in [(5, 3), (4, 2, 9), (6,)]:
        agree(build(shape[-1]), train(randn(*shape)), evaluate(randn(*shape)))
    agree(build(3).filled(weight=[0.0, 1.5, -1.0], bias=0.0), train(randn(4, 3)))
    x = randn(4, 3)
    x[1] = 0
    agree(build(3), train(x))


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
    agree(build(6), train(randn(6)), evaluate(randn(6)), train(randn(2, 3, 1, 2, 6)), evaluate(randn(4, 6)))
    agree(build(3), train(randn(2, 3, 3)), evaluate(randn(2, 3, 4, 3)), train(randn(3, 2, 4, 3)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "With dim=1 there is one weight and one bias, of shape (1,): nothing about it is special.",
    zh="dim=1 时有一个权重和一个偏置，形状为 (1,)：没有任何特殊之处。",
)
def test_single_feature(agree):
    """A single feature is squashed like any other: nothing is taken from the other numbers of its position.

    zh: 只有一个特征时，与其他情形一样压缩：不从同一位置的其他数中取任何东西。
    """
    agree(build(1), train(randn(4, 1)), evaluate(randn(3, 2, 1)), train(randn(1)))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "tanh approaches ±1 and stays there. With exponentials of your own, exp(2z) overflows from z = 44 on, and inf / inf is NaN.",
    zh="tanh 趋近 ±1 并停在那里。自己用指数函数写时，z 从约 44 起 exp(2z) 就会溢出，而 inf / inf 是 NaN。",
)
def test_large_numbers(agree):
    """Very large numbers are squashed to ±1, and so are infinities; their gradient is 0, and no number becomes NaN.

    zh: 非常大的数被压缩到 ±1，无穷大也是；它们的梯度为 0，不会出现 NaN。
    """
    x = uniform(0.5, 2.0, 4, 6) * np.array([1, -1, 60, -200, 3e4, -1e30], np.float32)
    agree(build(6), train(x), evaluate(x, gradients="no_grad"))
    infinite = randn(4, 6)
    infinite[1, 2], infinite[3, 0] = float("inf"), float("-inf")
    agree(build(6), evaluate(infinite), train(infinite))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Near 0, tanh(z) is z. A difference of numbers near 1, such as 2 · sigmoid(2z) − 1, keeps none of its digits: use torch.tanh.",
    zh="在 0 附近 tanh(z) 就是 z。两个接近 1 的数之差，例如 2 · sigmoid(2z) − 1，会丢掉它的有效位数：请用 torch.tanh。",
)
def test_small_numbers(agree):
    """Very small numbers keep their digits: near 0 the layer multiplies by alpha and the weight.

    zh: 非常小的数不丢有效位数：在 0 附近，这个层就是乘以 alpha 和 weight。
    """
    for step in (train, evaluate):
        agree(build(8).filled(bias=0.0), step(randn(6, 8) * powers(10, -9, -2, 6, 1)))
    for dtype in ("float16", "bfloat16"):
        agree(build(8).filled(bias=0.0).to(dtype), evaluate(randn(5, 8) * 1e-3, dtype=dtype))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Whatever the dtype of the parameters, return the input's: .to(x.dtype) at the end.",
    zh="无论参数是什么 dtype，都返回输入的 dtype：最后用 .to(x.dtype)。",
)
def test_half_precision(agree):
    """Half-precision input comes back in its own dtype, whether the parameters are in half precision or in float32.

    zh: 半精度的输入以自己的 dtype 返回，无论参数是半精度还是 float32。
    """
    for dtype in ("float16", "bfloat16"):
        agree(
            build(8).to(dtype), train(randn(5, 8), dtype=dtype), evaluate(randn(5, 8) * 100, dtype=dtype), evaluate(randn(8), dtype=dtype)
        )
        agree(build(8), train(randn(5, 8), dtype=dtype), evaluate(randn(5, 8) * 100, dtype=dtype, gradients="no_grad"))
        spoilt = randn(4, 6)
        spoilt[0, 1], spoilt[1, 2], spoilt[3, 0] = float("inf"), float("-inf"), float("nan")
        agree(build(6), train(spoilt, dtype=dtype))
