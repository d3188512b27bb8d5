"""Hidden suite of `partial_rms_norm`.

No two sizes in a shape agree. Rows differ in mean and scale, and the features of a row in scale, so that it shows which of them were
measured. Where eps is not the point, the inputs are so large that it cannot matter. dim · p is a whole number exactly, or far from one.
"""

import pytest
from shared import powers

from normgrade.suite import build, evaluate, randn, train, uniform, use, words


def rows(*shape):
    """Random rows, each with a mean and a scale of its own, each feature of which has a scale of its own."""
    ones_last = (*shape[:-1], 1)
    return (randn(*shape) * uniform(0.3, 2.0, *ones_last) + uniform(-1.5, 1.5, *ones_last)) * uniform(0.5, 2.0, shape[-1])


def large(*shape):
    """Random rows beside whose mean squares the usual eps is nothing."""
    return rows(*shape) * 1000


def typical():
    """The layer as it is used: with a few of the features measured, with most of them, and with one."""
    return [
        use(build(12, 0.25, eps=0.1), rows(5, 12), rows(2, 3, 12), [-1]),
        use(build(9, 0.7, eps=1e-3), rows(2, 1, 2, 1, 2, 9), rows(9), [-1]),
        use(build(8, eps=1e-3), rows(4, 8), rows(3, 2, 8), [-1]),
    ]


def real():
    """A layer of a thousand features."""
    return [
        use(build(1100), rows(2, 1100), rows(1, 2, 1100), [-1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `PartialRMSNorm(32)` and call it on a tensor of shape (4, 32): a tensor of that shape must come back.",
    zh="用 `PartialRMSNorm(32)` 构造，对形状为 (4, 32) 的张量调用：应当返回同样形状的张量。",
)
def test_call(observe):
    """The layer can be built and called, and returns a tensor of its input's shape and dtype.

    zh: 层可以构造和调用，返回的张量与输入的形状和 dtype 相同。
    """
    for step, shape in ((train, (4, 32)), (evaluate, (32,))):
        output = observe(build(32), step(randn(*shape), backward=False))["step 1 · output"]
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
    "Square x[..., :k], average over the last dimension with keepdim=True, add eps, take the root; divide the whole of x by that.",
    zh="把 x[..., :k] 平方，沿最后一维取平均并设 keepdim=True，加上 eps，开根号；再用整个 x 除以它。",
)
def test_first_features(agree):
    """Every position is divided, as a whole, by the root mean square of its own first k features, then scaled element by element.

    zh: 每个位置作为整体除以自己前 k 个特征的均方根，再逐元素缩放。
    """
    for shape, p in [((4, 16), 0.25), ((6, 5, 8), 0.5), ((2, 3, 5, 12), 0.75), ((2, 3, 1, 5, 4), 0.5), ((3, 7), 1.0), ((2, 640), 0.75)]:
        agree(build(shape[-1], p), train(large(*shape)), evaluate(large(*shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "k = max(1, math.ceil(dim * p)): rounded up, a whole number stays as it is, and p = 0 gives 1. The default of p is 0.0625.",
    zh="k = max(1, math.ceil(dim * p))：向上取整，整数保持不变，p = 0 时为 1。p 的默认值是 0.0625。",
)
def test_rounding(agree):
    """k is dim · p rounded up, and at least 1; the default of p is 0.0625.

    zh: k 是 dim · p 向上取整，至少为 1；p 的默认值是 0.0625。
    """
    for dim, p in [(7, 0.3), (9, 0.5), (10, 0.0625), (11, 0.72), (6, 0.0), (8, 0.375), (5, 1), (1, 0.5)]:
        agree(build(dim, p), train(large(3, dim)))
    for dim, p in [(101, 0.01), (40, 0.96), (300, 0.005)]:  # just above a whole number, nearly all, and less than the default
        agree(build(dim, p), train(large(2, dim)))
    for dim in (20, 48, 1000):
        agree(build(dim), train(large(2, dim)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Subtract nothing: the mean stays in x, and in the mean of the squares.",
    zh="什么也不要减：均值留在 x 中，也留在平方的均值中。",
)
def test_mean_stays(agree):
    """A position whose mean is far from 0 keeps it: nothing is subtracted, neither above the fraction line nor below.

    zh: 均值远离 0 的位置会保留它的均值：分子和分母中都什么也不减。
    """
    agree(build(9, 0.5), train(randn(4, 9) * 300 + 2000), evaluate(randn(5, 2, 9) * 300 - 2000))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is x / sqrt(mean(first²) + eps): eps stands inside the root, added to the mean, and its default is 1e-6.",
    zh="公式是 x / sqrt(mean(first²) + eps)：eps 在根号之内，与均值相加，默认值为 1e-6。",
)
def test_eps(agree):
    """Where the mean square is as small as eps, or 0, eps decides: it is added to the mean square, inside the root; its default is 1e-6.

    zh: 均方小到与 eps 相当，或为 0 时，结果由 eps 决定：它在根号之内加到均方上；默认值为 1e-6。
    """
    for eps, layer in ((1e-6, build(8, 0.375)), (1e-3, build(8, 0.375, eps=1e-3))):
        agree(layer, train(rows(6, 5, 8) * eps**0.5), evaluate(rows(6, 5, 8) * eps**0.5))
    x = rows(5, 12)
    x[1, :3] = x[4] = 0
    agree(build(12, 0.25, 0.1), train(x), evaluate(x[1:3]))
    agree(build(12, 0.25), train(x), evaluate(x[1:3]))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`weight` is an nn.Parameter of shape (dim,) that starts at ones, and there is nothing else: no bias.",
    zh="`weight` 是形状为 (dim,) 的 nn.Parameter，初值为 1；此外什么也没有：没有偏置。",
)
def test_new_layer(agree):
    """A new layer's state dict has `weight` alone: a parameter of shape (dim,), all ones, whatever p is.

    zh: 新建的层的状态字典中只有 `weight`：形状为 (dim,) 的参数，全为 1，与 p 无关。
    """
    agree(build(1000))
    agree(build(6, p=0.5))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The root mean square depends on the first k features: let autograd differentiate through it, without detach, item or no_grad.",
    zh="均方根依赖于前 k 个特征：让 autograd 对它求导，不要用 detach、item 或 no_grad。",
)
def test_gradients(agree):
    """The gradient flows through the root mean square as well, into the first k features; it reaches input and weight.

    zh: 梯度也流过均方根，进入前 k 个特征；它到达输入和权重。
    """
    for shape in [(5, 3), (4, 2, 9)]:
        agree(build(shape[-1], 0.5), train(large(*shape)), evaluate(large(*shape)))
    agree(build(4, 0.5).filled(weight=[0.0, 1.5, -1.0, 0.0]), train(large(3, 4)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Cut the first k features out, x[..., :k]. A sum over all of them, with a factor of 0 for the rest, still sees a NaN.",
    zh="把前 k 个特征切出来：x[..., :k]。对全部特征求和、其余乘以 0 的做法仍会看到 NaN。",
)
def test_rest_has_no_say(agree):
    """The features after the first k have no say in the root mean square, whatever they are: huge, NaN or infinite.

    zh: 前 k 个之后的特征与均方根无关，不管它们是极大的数、NaN 还是无穷大。
    """
    x = large(4, 8)
    x[:, 3:] *= 1e6
    agree(build(8, 0.375), train(x), evaluate(x))
    for value in (float("nan"), float("inf")):
        spoilt = large(4, 8)
        spoilt[0, 3] = spoilt[2, 7] = value
        agree(build(8, 0.375), train(spoilt), evaluate(spoilt, gradients="no_grad"))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Count the dimension from the end: then an input may be a single position, and a position a single feature.",
    zh="从末尾数维：这样输入可以只有一个位置，位置也可以只有一个特征。",
)
def test_one_position(agree):
    """An input may be a single position, and a position a single feature.

    zh: 输入可以只有一个位置，一个位置也可以只有一个特征。
    """
    agree(build(6, 0.5), train(large(6)), evaluate(large(6)))
    agree(build(1, eps=0.1), train(uniform(-2, -0.5, 4, 1)), evaluate(uniform(0.5, 2, 3, 2, 1)))


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
    for step, scale in ((train, 1e17), (evaluate, 1e-12)):
        agree(build(8, 0.5, eps=1e-30), step(randn(6, 8) * powers(10, -9, 9, 6, 1)), step(randn(5, 3, 8) * scale, backward=False))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Square and average in float32, whatever comes in, and cast the result back: a float32 weight must not widen it again.",
    zh="无论输入是什么类型，都在 float32 中求平方、取平均，再把结果转换回来：不要让 float32 的权重又把它变宽。",
)
def test_half_precision(agree):
    """Half-precision input is divided by a root mean square in float32 and comes back in its own dtype.

    zh: 半精度的输入除以在 float32 中算出的均方根，返回时仍是自己的 dtype。
    """
    for dtype in ("float16", "bfloat16"):
        layer = build(64, 0.5, eps=1e-12).to(dtype)
        agree(layer, train(randn(5, 64) * 300, dtype=dtype), evaluate(randn(5, 64) * 1e-4, dtype=dtype), train(randn(5, 64), dtype=dtype))
