"""Hidden suite of `group_norm_backward`.

No two sizes in a shape agree where that is not the point. Channels differ in mean and scale from sample to sample, weights differ from 1
and from each other. Where eps is not the point, the inputs are so large that it cannot matter.
"""

import pytest
from shared import channels, weight_and_bias

from normgrade.suite import evaluate, forward_backward, ones, probe, randn, use, words, zeros


def inputs(*shape, scale=1.0):
    """Random channels, a weight and a bias."""
    return [channels(*shape) * scale, *weight_and_bias(shape[1])]


def large(*shape):
    """Channels beside whose variances the usual eps is nothing."""
    return inputs(*shape, scale=1000)


def typical():
    """Images, sequences and vectors, with different eps."""
    illegal = [inputs(1, 4)[0][0], *weight_and_bias(4)]
    unequal = inputs(2, 5, 3)
    return [
        use(forward_backward(2, 0.1), inputs(5, 6, 4), inputs(3, 6, 2, 5), fixed=[1], illegal=[illegal, unequal]),
        use(forward_backward(3, 1e-3), inputs(2, 12, 3, 2), inputs(5, 12), fixed=[1], illegal=[unequal]),
        use(forward_backward(1, 1e-3), inputs(4, 3, 2), inputs(2, 3, 4, 2), fixed=[1]),
        use(forward_backward(4, 1e-3), inputs(3, 4, 5), inputs(2, 4, 2, 3), fixed=[1]),
    ]


def real():
    """Thirty-three groups of eight channels."""
    return [
        use(forward_backward(33), inputs(2, 264, 2, 3), inputs(3, 264), [1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`y, cache = forward(x, weight, bias, 2)`; `backward(dy, cache)` gives `dx, dweight, dbias`, of the shapes of x, weight and bias.",
    zh="`y, cache = forward(x, weight, bias, 2)`；`backward(dy, cache)` 返回 `dx, dweight, dbias`，形状分别与 x、weight、bias 相同。",
)
def test_call(observe):
    """Both functions can be called: forward gives y and a cache, backward one gradient for each of its three arrays.

    zh: 两个函数都可以调用：forward 返回 y 和 cache，backward 为三个数组各返回一个梯度。
    """
    x = inputs(2, 4, 3, 4)  # what was written for images alone can be called, and what lets weight lie along the last axis
    seen = observe(forward_backward(2), evaluate(*x))
    shape = seen["step 1 · output"].values.shape
    assert shape == (2, 4, 3, 4), words(
        f"y should have the shape (2, 4, 3, 4), but has {shape}", zh=f"y 的形状应当是 (2, 4, 3, 4)，实际是 {shape}"
    )
    number = seen["step 1 · number of gradients"]
    assert number == 3, words(
        f"backward should return 3 gradients, but returned {number}", zh=f"backward 应返回 3 个梯度，实际返回 {number} 个"
    )


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint(
    "Mean and biased variance along the last axis of x.reshape(N, G, -1); weight and bias in the shape of x, along axis 1.",
    zh="沿 x.reshape(N, G, -1) 的最后一轴求均值和有偏方差；weight 和 bias 在 x 的形状中沿第 1 轴。",
)
def test_forward(agree):
    """forward normalises every group of channels of every sample by its own mean and biased variance, then scales and shifts each channel.

    zh: forward 用每个样本中每一组通道自己的均值和有偏方差归一化，再逐通道缩放和平移。
    """
    for groups, shape in [
        (2, (4, 6)),
        (3, (2, 12, 3)),
        (2, (3, 4, 2, 5)),
        (1, (2, 3, 4)),
        (4, (2, 4, 3)),
        (3, (2, 3, 2, 2, 4)),
        (2, (3, 2, 1, 2, 1, 4)),
        (40, (2, 80, 3)),
    ]:
        agree(forward_backward(groups), evaluate(*large(*shape), backward=False))
    x, weight, bias = large(2, 4, 30)
    x[1, 1, 7] += 30_000  # many standard deviations from the others
    agree(forward_backward(2), evaluate(x, weight, bias, backward=False))


@pytest.mark.kind("edge")
@pytest.mark.points(2)
@pytest.mark.hint(
    "√(σ² + ε) in both passes: keep that root in the cache. The default of eps is 1e-5.",
    zh="前向和反向都用 √(σ² + ε)：把这个平方根放进 cache。eps 的默认值是 1e-5。",
)
def test_eps(agree):
    """eps is added to the variance, inside the root, in both passes; it is 1e-5 unless told otherwise.

    zh: 前向和反向中，eps 都加在方差上、在根号内；默认值为 1e-5。
    """
    for eps in (0.1, 2.0):
        agree(forward_backward(2, eps), evaluate(*inputs(5, 4, 3)), evaluate(*inputs(3, 2)))
    agree(
        forward_backward(2),
        evaluate(*inputs(5, 4, 3, scale=0.003)),
        evaluate(*inputs(4, 2, 3, scale=1e-4)),
        evaluate(*inputs(5, 2, scale=1e-10)),
    )
    agree(forward_backward(2, 1e-3), evaluate(*inputs(3, 4, 2, scale=0.03)))


@pytest.mark.kind("gradient")
@pytest.mark.points(5)
@pytest.mark.hint(
    "With dx̂ = dy · weight: dx = (dx̂ − mean(dx̂) − x̂ · mean(dx̂ · x̂)) / σ, with the means of each group.",
    zh="令 dx̂ = dy · weight：dx = (dx̂ − mean(dx̂) − x̂ · mean(dx̂ · x̂)) / σ，平均在每个组内求得。",
)
def test_gradient_of_x(agree):
    """The gradient of x flows directly, through the mean, and through the standard deviation of its group.

    zh: x 的梯度有三条路径：直接的、经过该组均值的、经过其标准差的。
    """
    for groups, shape in [
        (2, (4, 6)),
        (3, (2, 12, 3)),
        (2, (3, 4, 2, 5)),
        (1, (2, 3, 4)),
        (4, (2, 4, 3)),
        (2, (2, 4, 35)),
        (3, (2, 3, 2, 2, 2)),
        (40, (2, 80, 3)),
    ]:
        agree(forward_backward(groups), evaluate(*large(*shape)))


@pytest.mark.kind("gradient")
@pytest.mark.points(2)
@pytest.mark.hint(
    "All samples and positions share the weight and bias of a channel: sum dy · x̂ and dy over every axis but 1.",
    zh="所有样本和位置共用一个通道的 weight 和 bias：把 dy · x̂ 和 dy 在除第 1 轴外的所有轴上求和。",
)
def test_gradients_of_parameters(agree):
    """The gradients of weight and bias are sums over samples and positions, one for each channel.

    zh: weight 和 bias 的梯度是在样本和位置上的和，每个通道一个。
    """
    for shape in [(4, 4), (1, 6, 5), (4, 4, 4), (2, 4, 2, 5), (2, 2, 3, 1, 2, 3), (700, 4)]:
        agree(forward_backward(2), evaluate(*large(*shape)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Whatever backward needs goes into the cache of its own call: no globals, and nothing that backward uses up.",
    zh="backward 需要的一切都放进这次调用自己的 cache：不用全局变量，backward 也不要把它用坏。",
)
def test_cache(agree):
    """A cache belongs to its call: other calls may come in between, and backward may run twice.

    zh: cache 属于它那一次调用：其间可以有别的调用，backward 也可以运行两次。
    """
    first, second = inputs(5, 4, 2), inputs(3, 4)
    agree(forward_backward(2, 0.1), evaluate(*first, between=channels(5, 4, 2)), evaluate(*second, between=channels(6, 4)))
    agree(forward_backward(2, 0.1), evaluate(*first, twice=True), evaluate(*first, between=channels(5, 4, 2), twice=True))
    agree(probe("calls_apart", inputs=first, dy=randn(5, 4, 2), calls=[[2, 0.1], [1, 0.1], [4, 2.0], [2]]))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "A constant group, also one of a single value, has x̂ = 0 and σ = √ε: y is bias, and dx is finite. Nothing needs an `if`.",
    zh="常数的组（包括只有一个值的）x̂ = 0，σ = √ε：y 等于 bias，dx 有限。不需要任何 `if`。",
)
def test_constant_groups(agree):
    """Constant groups, groups of one value, and weights of zero are treated as the formula says.

    zh: 常数的组、只有一个值的组，以及为零的权重，都按公式处理。
    """
    x, weight, bias = inputs(5, 4, 3)
    x[:, 2:] = 0.5
    agree(forward_backward(2, 0.1), evaluate(x, weight, bias), evaluate(zeros(2, 4, 3), weight, bias), evaluate(ones(3, 4), weight, bias))
    agree(forward_backward(3, 0.1), evaluate(*inputs(4, 3)), evaluate(*inputs(2, 3, 1, 1)), evaluate(*inputs(1, 3)))
    agree(forward_backward(1, 0.1), evaluate(*inputs(4, 1)), evaluate(*inputs(1, 1, 5)))
    agree(forward_backward(2, 0.1), evaluate(channels(5, 4, 2), ones(4), zeros(4)), evaluate(channels(5, 4, 2), zeros(4), bias))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Subtract the mean before squaring: E[x²] − E[x]² cancels where the mean is large.",
    zh="先减去均值再平方：均值很大时，E[x²] − E[x]² 会丢失有效数字。",
)
def test_large_mean(agree):
    """Both passes stay accurate where the mean is much larger than the standard deviation.

    zh: 均值远大于标准差时，前向和反向依然准确。
    """
    weight, bias = weight_and_bias(10)
    for offset in (100, 3000):
        agree(forward_backward(2), evaluate(randn(8, 10) + offset, weight, bias), evaluate((randn(3, 10, 4) - offset) * 50, weight, bias))


@pytest.mark.kind("precision")
@pytest.mark.points(2)
@pytest.mark.hint(
    "x.astype(np.promote_types(x.dtype, np.float32)) first, .astype(x.dtype) last, for y and for every gradient.",
    zh="先 x.astype(np.promote_types(x.dtype, np.float32))，最后 .astype(x.dtype)，对 y 和每个梯度都是如此。",
)
def test_dtypes(agree):
    """Results have the dtype of x; half precision is computed in float32.

    zh: 结果的 dtype 与 x 相同；半精度在 float32 中计算。
    """
    for scale in (300, 1e-3):
        agree(forward_backward(2), evaluate(*inputs(40, 16, 2, scale=scale), dtype="float16", backward=True))
    weight, bias = weight_and_bias(4)
    agree(forward_backward(2), evaluate(randn(6, 4, 2) + 300, weight, bias, dtype="float16"))
    steep = evaluate(
        channels(2, 4) * 300, weight * 5, bias, dtype="float16", backward=True, steep=True
    )  # dy · weight is no number of float16
    agree(forward_backward(2), steep)
    agree(forward_backward(2, 1e-12), evaluate(*inputs(5, 4, 2), dtype="float64"), evaluate(*inputs(3, 2, scale=1e-3), dtype="float64"))
