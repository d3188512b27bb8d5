"""Hidden suite of `rms_norm`.

No two sizes in a shape agree. Rows differ in mean and scale, so that centring and a statistic over the wrong numbers show. Where eps is not
the point, the inputs are so large that it cannot matter.
"""

import pytest
from shared import powers, rows

from normgrade.suite import build, evaluate, probe, randn, train, uniform, use, words


def large(*shape):
    """Random rows beside whose mean squares the usual eps is nothing."""
    return rows(*shape) * 1000


def typical():
    """The layer as it is used: RMS norm has no switches, but sizes."""
    return [
        use(build(6, eps=0.1), rows(5, 6), rows(2, 3, 6), [-1]),
        use(build(9, eps=1e-3), rows(2, 1, 2, 1, 2, 9), rows(9), [-1]),
    ]


def real():
    """A layer of a thousand features."""
    return [
        use(build(1100), rows(2, 1100), rows(1, 2, 1100), [-1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `RMSNorm(5)` and call it on a tensor of shape (4, 5): a tensor of that shape must come back.",
    zh="用 `RMSNorm(5)` 构造，对形状为 (4, 5) 的张量调用：应当返回同样形状的张量。",
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
    "Square x, average over the last dimension alone with keepdim=True, add eps, take the root; divide x by that.",
    zh="先把 x 平方，只沿最后一维取平均并设 keepdim=True，加上 eps，开根号；再用 x 除以它。",
)
def test_last_dimension(agree):
    """Every position is divided by its own root mean square over the last dimension, then scaled element by element.

    zh: 每个位置除以自己在最后一维上的均方根，再逐元素缩放。
    """
    for shape in [(4, 7), (6, 5, 8), (2, 3, 5, 6), (2, 3, 1, 5, 4), (3, 2), (2, 1030)]:
        agree(build(shape[-1]), train(large(*shape)), train(large(*shape)))
    outlier = large(3, 200)
    outlier[1, 60] = 1e6
    agree(build(200), train(outlier))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Subtract nothing: the mean of x stays in x, and in the mean of the squares. With the variance it would be layer norm.",
    zh="什么也不要减：x 的均值留在 x 中，也留在平方的均值中。若用方差，就成了层归一化。",
)
def test_mean_stays(agree):
    """A position whose mean is far from 0 keeps it: nothing is subtracted, neither above the fraction line nor below.

    zh: 均值远离 0 的位置会保留它的均值：分子和分母中都什么也不减。
    """
    agree(build(9), train(randn(4, 9) * 300 + 2000), evaluate(randn(5, 2, 9) * 300 - 2000))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is x / sqrt(mean(x²) + eps): eps stands inside the root, added to the mean, and its default is 1e-6.",
    zh="公式是 x / sqrt(mean(x²) + eps)：eps 在根号之内，与均值相加，默认值为 1e-6。",
)
def test_eps(agree):
    """Where the mean square is as small as eps, or 0, eps decides: it is added to the mean square, inside the root; its default is 1e-6.

    zh: 均方小到与 eps 相当，或为 0 时，结果由 eps 决定：它在根号之内加到均方上；默认值为 1e-6。
    """
    for eps, layer in ((1e-6, build(8)), (1e-3, build(8, eps=1e-3))):
        agree(layer, train(rows(6, 5, 8) * eps**0.5), evaluate(rows(6, 5, 8) * eps**0.5))
    x = rows(5, 6)
    x[1] = x[4] = 0
    agree(build(6, eps=0.1), train(x), evaluate(x[1:3]))
    agree(build(6), train(x), evaluate(x[1:3]))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`weight` is an nn.Parameter of shape (dim,) that starts at ones.", zh="`weight` 是形状为 (dim,) 的 nn.Parameter，初值为 1。"
)
def test_new_layer(agree):
    """A new layer's state dict has `weight`: a parameter of shape (dim,), all ones.

    zh: 新建的层的状态字典中有 `weight`：形状为 (dim,) 的参数，全为 1。
    """
    agree(build(6))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "RMS norm learns one weight per feature, an nn.Parameter, and nothing else: it has no bias.",
    zh="均方根归一化为每个特征学习一个权重（nn.Parameter），此外什么也没有：没有偏置。",
)
def test_weight_only(agree):
    """One weight per feature is learnt, and nothing else: there is no bias.

    zh: 每个特征学习一个权重，此外什么也不学：没有偏置。
    """
    agree(probe("learnable", dim=6))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The root mean square depends on x too: let autograd differentiate through it, without detach, item or no_grad.",
    zh="均方根也依赖于 x：让 autograd 对它求导，不要用 detach、item 或 no_grad。",
)
def test_gradients(agree):
    """The gradient flows through the root mean square as well, and reaches input and weight.

    zh: 梯度也流过均方根，并到达输入和权重。
    """
    for shape in [(5, 3), (4, 2, 9)]:
        agree(build(shape[-1]), train(large(*shape)), evaluate(large(*shape)))
    agree(build(3).filled(weight=[0.0, 1.5, -1.0]), train(large(4, 3)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Count the dimension from the end, dim=-1: then it does not matter how many come before it, if any.",
    zh="从末尾数维，dim=-1：这样前面有几维、甚至有没有，都无所谓。",
)
def test_one_position(agree):
    """An input may be a single position, without a batch dimension.

    zh: 输入可以只有一个位置，没有批维。
    """
    agree(build(6), train(large(6)), evaluate(large(6)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The mean of a single square is that square: with dim=1 the result is γ · x / sqrt(x² + eps), not an error.",
    zh="单个平方的均值就是它自己：dim=1 时结果为 γ · x / sqrt(x² + eps)，而不是报错。",
)
def test_single_feature(agree):
    """A single feature is divided by its own magnitude, up to eps.

    zh: 只有一个特征时，除以它自己的绝对值，只差 eps 的影响。
    """
    agree(build(1), train(uniform(-2000, -500, 4, 1)), evaluate(uniform(500, 2000, 3, 2, 1)))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Each row has a statistic of its own, computed in float32 from its own numbers: nothing is shared with larger rows.",
    zh="每一行用自己的数在 float32 中计算自己的统计量：不与数值更大的行共用任何东西。",
)
def test_magnitudes(agree):
    """Rows of very small and of very large numbers, in one input, are all normalised accurately.

    zh: 同一个输入中，数值极小的行和数值极大的行都准确地归一化。
    """
    for step in (train, evaluate):
        agree(build(8, eps=1e-30), step(randn(6, 8) * powers(10, -9, 9, 6, 1)), step(randn(5, 3, 8) * 1e12, backward=False))
        agree(build(8, eps=1e-30), step(randn(6, 8) * powers(10, -11, 11, 6, 1), gradients="no_grad"))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Square and average in float32, whatever comes in, and cast the result back: a float32 weight must not widen it again.",
    zh="无论输入是什么类型，都在 float32 中求平方、取平均，再把结果转换回来：不要让 float32 的权重又把它变宽。",
)
def test_half_precision(agree):
    """Half-precision input is divided by a root mean square in float32 and comes back in its own dtype, whatever the weight's.

    zh: 半精度的输入除以在 float32 中算出的均方根，返回时仍是自己的 dtype，无论权重是什么 dtype。
    """
    for dtype in ("float16", "bfloat16"):
        layer = build(64, eps=1e-12).to(dtype)
        agree(layer, train(randn(5, 64) * 300, dtype=dtype), evaluate(randn(5, 64) * 1e-4, dtype=dtype), train(randn(5, 64), dtype=dtype))
        agree(probe("wide_statistics", x=randn(5, 64), dtype=dtype))
