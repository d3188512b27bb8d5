"""Hidden suite of `standardize`.

N and D never agree, and every feature has a mean and a scale of its own. Constant features are made inside a probe, so that they stay
constant in every arithmetic.
"""

import numpy as np
import pytest

from normgrade.suite import call, evaluate, function, probe, randn, uniform, use, words


def features(samples, number):
    """Random features, each with a mean and a scale of its own."""
    return randn(samples, number) * uniform(0.3, 3.0, 1, number) + uniform(-2.0, 2.0, 1, number)


def with_constants(samples, *constants):
    """Features of which some are constant: their numbers, None for those that are not."""
    x = features(samples, len(constants))
    return probe("constant_features", x=x, constants=list(constants), upstream=randn(samples, len(constants)))


def typical():
    """The function as it is used: it has no switches, but sizes."""
    illegal = [randn(), randn(4), randn(2, 4, 3), randn(2, 1, 4, 3), randn(2, 1, 4, 3, 2)]
    return [
        use(function("standardize"), features(5, 3), features(4, 7), [], illegal),
        use(function("standardize"), features(6, 1), features(3, 2), [], illegal),
    ]


def real():
    """A thousand samples."""
    return [
        use(function("standardize"), features(1100, 2), features(20, 70), []),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Call `standardize(x)` on a tensor of shape (5, 3): a tensor of that shape must come back.",
    zh="对形状为 (5, 3) 的张量调用 `standardize(x)`：应当返回同样形状的张量。",
)
def test_call(observe):
    """The function can be called, and returns a tensor of its input's shape and dtype.

    zh: 函数可以调用，返回的张量与输入的形状和 dtype 相同。
    """
    result = observe(call("standardize", randn(5, 3)))["result"]
    assert result.dtype == "float32", words(
        f"the result should be float32, as the input is, but is {result.dtype}",
        zh=f"结果应当与输入一样是 float32，实际是 {result.dtype}",
    )
    assert result.values.shape == (5, 3), words(
        f"the result should have the input's shape (5, 3), but has {result.values.shape}",
        zh=f"结果的形状应当与输入相同，是 (5, 3)，实际是 {result.values.shape}",
    )


@pytest.mark.kind("formula")
@pytest.mark.points(4)
@pytest.mark.hint(
    "z = (x − μ) / σ, with mean and biased variance (correction=0) over the samples: dim=0.",
    zh="z = (x − μ) / σ，均值和有偏方差（correction=0）在样本上计算：dim=0。",
)
def test_formula(agree):
    """Every feature is centred and divided by its own standard deviation over the samples.

    zh: 每个特征减去自己在样本上的均值，再除以自己的标准差。
    """
    for samples, number in [(5, 3), (4, 7), (3, 1), (3, 140), (4, 4)]:
        agree(call("standardize", features(samples, number)))
    x = features(6, 3)
    x[1:5, 1], x[5, 2] = x[0, 1], x[0, 2]
    x[:, 0] = 0, 1, 1, 0, 1, 1
    agree(call("standardize", x))
    x = features(8, 3)
    agree(call("standardize", (x - x.mean(0)) / x.std(0) * np.float32(1.0006) + np.float32(0.0004)))
    outliers = features(1030, 3)
    outliers[7] += np.array([5000.0, -100.0, 30.0], np.float32)  # up to 32 deviations from the mean
    agree(call("standardize", outliers))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Divide by N: with N − 1, two samples become ±0.71 and not ±1.", zh="应除以 N：若除以 N − 1，两个样本就成了 ±0.71，而不是 ±1。"
)
def test_two_samples(agree):
    """Of two samples that differ, one becomes 1 and the other −1.

    zh: 两个不同的样本，一个变为 1，另一个变为 −1。
    """
    agree(call("standardize", np.array([[-1.5], [2.5]], np.float32) + features(2, 5) * np.float32(0.3)))


@pytest.mark.kind("edge")
@pytest.mark.points(2)
@pytest.mark.hint(
    "Equal numbers have a rounded mean: σ need not be 0. Find constant features by x.amax(0) == x.amin(0), and set them to 0.",
    zh="相等的数求均值也会舍入：σ 未必为 0。用 x.amax(0) == x.amin(0) 找出常数特征，再把它们设为 0。",
)
def test_constant_features(agree):
    """A constant feature becomes exactly 0, also where its mean is rounded; the features beside it are as ever.

    zh: 常数特征恰好变为 0，均值有舍入误差时也是如此；旁边的特征照常。
    """
    agree(with_constants(7, 0.0, None, 1.0, None))
    for samples in (3, 6, 7, 10, 13):
        agree(with_constants(samples, 0.1, None, -731.1, 1234.567))
        agree(with_constants(samples, 0.7))
    agree(with_constants(12, None, 1e-7, None, 3e7 + 0.1, 4.35))
    agree(with_constants(10, 0.1, np.nan, None))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "No eps and no threshold: a feature is constant only if its numbers are equal.",
    zh="不用 eps，也不用阈值：只有所有数都相等才是常数特征。",
)
def test_scales(agree):
    """Features of very small and of very large numbers, in one input, all get variance 1.

    zh: 同一个输入中，数值极小的特征和数值极大的特征，方差都变为 1。
    """
    agree(call("standardize", features(6, 5) * np.array([[1e-9, 1e-5, 1.0, 1e4, 1e9]], np.float32)))
    agree(function("standardize"), evaluate(features(5, 3) * np.array([[1e-15, 1.0, 1e15]], np.float32), gradients="no_grad"))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Subtract the mean first, then square. The mean of x² minus the square of the mean loses nearly all digits.",
    zh="先减均值，再平方。用 x² 的均值减去均值的平方，会丢失几乎所有有效数字。",
)
def test_large_mean(agree):
    """A mean that is much larger than the standard deviation does no harm.

    zh: 均值远大于标准差也不影响结果。
    """
    agree(call("standardize", randn(8, 3) + np.array([[3000.0, -5000.0, 1000.0]], np.float32)))
    close = np.array([[0, 1], [1, 0], [0, 0], [1, 1], [0, 1]], np.float32) * 2.0**-7
    agree(probe("above_mean", x=close + np.array([[1024, -1024]], np.float32)))


@pytest.mark.kind("gradient")
@pytest.mark.points(2)
@pytest.mark.hint(
    "Mean and variance depend on x: let autograd differentiate through both, without detach, item or no_grad.",
    zh="均值和方差都依赖于 x：让 autograd 对两者都求导，不要用 detach、item 或 no_grad。",
)
def test_gradients(agree):
    """The gradient flows through the mean and the variance.

    zh: 梯度流经均值和方差。
    """
    for samples, number in [(6, 4), (3, 5)]:
        agree(call("standardize", features(samples, number)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Replace the variance of a constant feature by 1 before the root: where(…) after it sends 0 · ∞ = NaN back.",
    zh="开方之前就把常数特征的方差换成 1：如果之后才用 where(…)，传回去的就是 0 · ∞ = NaN。",
)
def test_gradient_of_constants(agree):
    """The gradient of a constant feature is finite.

    zh: 常数特征的梯度是有限的。
    """
    agree(with_constants(5, 0.0, None, 2.0))
    agree(with_constants(7, 0.1, None, -7.3))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.courtesy
@pytest.mark.hint(
    "Look at x.dim() before anything else, and raise a ValueError unless it is 2.", zh="首先检查 x.dim()，不是 2 就抛出 ValueError。"
)
def test_dimensions(refuses):
    """An input that does not have two dimensions is refused with a ValueError.

    zh: 维数不是 2 的输入以 ValueError 拒绝。
    """
    for x in (randn(4), randn(2, 4, 3), randn(2, 1, 4, 3)):
        refuses(ValueError, call("standardize", x), legal=[call("standardize", randn(4, 3))])


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "A feature with a NaN is not constant: its mean is NaN, and so is all of it, even of a single sample.",
    zh="含 NaN 的特征不是常数特征：它的均值是 NaN，整个特征都是 NaN，只有一个样本时也是如此。",
)
def test_nan(agree):
    """A NaN makes its own feature NaN, also where there is no other number, or where the others are equal.

    zh: NaN 使它所在的特征变成 NaN；没有别的数，或其余的数全部相等时也是如此。
    """
    for position in (0, 2, 5):
        x = features(6, 3)
        x[:, 1] = 0.5
        x[position, 1] = np.nan
        agree(function("standardize"), evaluate(x), evaluate(x[position : position + 1]))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Widen to float32 before anything else, whatever comes in, and cast the result back with .to(x.dtype).",
    zh="无论输入是什么类型，都先提升到 float32，最后用 .to(x.dtype) 把结果转换回来。",
)
def test_half_precision(agree):
    """Half-precision input is standardised in float32 and comes back in its own dtype.

    zh: 半精度的输入在 float32 中标准化，返回时仍是自己的 dtype。
    """
    for dtype in ("float16", "bfloat16"):
        x, large = features(9, 4), features(7, 3) * 300 + 1500
        without = evaluate(large, dtype=dtype, gradients="no_grad")
        agree(function("standardize"), evaluate(x, dtype=dtype, witness=True, backward=True), evaluate(large, dtype=dtype), without)
    x = features(10, 3).astype(np.float16)
    agree(probe("constant_features", x=x, constants=[0.1, None, 2.0], upstream=None))
