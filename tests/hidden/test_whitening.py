"""Hidden suite of `whitening`.

N and D never agree. Inputs are made from given standard deviations along random directions, so that no two eigenvalues come close and none
is small beside the others, and every feature has a mean of its own.
"""

import numpy as np
import pytest

from normgrade.suite import call, evaluate, function, randn, uniform, use, words


def samples(number, features, ratio=4.0):
    """Samples whose standard deviations along some orthogonal directions go from about 0.6 up to `ratio` times that, in even steps."""
    white = randn(number, features).astype(np.float64)
    left, _values, right = np.linalg.svd(white - white.mean(0), full_matrices=False)
    steps = np.arange(features) + uniform(-0.1, 0.1, features) * (np.arange(features) % (features - 1) > 0 if features > 2 else 0)
    deviations = 0.6 * ratio ** (steps / max(features - 1, 1))
    return (left * deviations * number**0.5 @ right + uniform(-1.5, 1.5, 1, features)).astype(np.float32)


def typical():
    """The function as it is used: without eps, and with it."""
    illegal = [randn(), randn(4), randn(2, 4, 3), randn(2, 1, 4, 3), randn(2, 1, 4, 3, 2)]
    return [
        use(function("whiten"), samples(7, 3), samples(9, 4), [0], illegal),
        use(function("whiten", 0.3), samples(6, 2), samples(8, 3), [0], illegal),
        use(function("whiten", eps=0.02), samples(8, 3), samples(7, 2), [0], illegal),
    ]


def real():
    """Three hundred samples of eight features."""
    return [
        use(function("whiten", 0.3), samples(300, 8), samples(200, 6), []),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Call `whiten(x)` on a tensor of shape (7, 3): a tensor of that shape must come back.",
    zh="对形状为 (7, 3) 的张量调用 `whiten(x)`：应当返回同样形状的张量。",
)
def test_call(observe):
    """The function can be called, and returns a tensor of its input's shape and dtype.

    zh: 函数可以调用，返回的张量与输入的形状和 dtype 相同。
    """
    result = observe(call("whiten", samples(7, 3)))["result"]
    assert result.dtype == "float32", words(
        f"the result should be float32, as the input is, but is {result.dtype}",
        zh=f"结果应当与输入一样是 float32，实际是 {result.dtype}",
    )
    assert result.values.shape == (7, 3), words(
        f"the result should have the input's shape (7, 3), but has {result.values.shape}",
        zh=f"结果的形状应当与输入相同，是 (7, 3)，实际是 {result.values.shape}",
    )


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint(
    "Test yourself with z.T @ z / N: it should be the identity. N − 1, a missing root or a missing mean all show there.",
    zh="用 z.T @ z / N 自己检验：它应当是单位矩阵。除以 N − 1、忘记开方、忘记减均值，都会在这里显出来。",
)
def test_covariance(observe):
    """Every feature of the result has mean 0, and the biased covariance of the result is the identity.

    zh: 结果的每个特征均值为 0，结果的有偏协方差是单位矩阵。
    """
    for number, features in ((9, 3), (30, 5), (6, 2)):
        z = observe(call("whiten", samples(number, features)))["result"].values.astype(np.float64)
        mean = np.abs(z.mean(0)).max()
        off = np.abs(np.cov(z.T, bias=True) - np.eye(features)).max()
        assert mean < 1e-3, words(f"the mean of a feature is {mean:.3g} off 0", zh=f"某个特征的均值与 0 相差 {mean:.3g}")
        assert off < 1e-3, words(
            f"an entry of the covariance is {off:.3g} off the identity", zh=f"协方差的某个元素与单位矩阵相差 {off:.3g}"
        )


@pytest.mark.kind("formula")
@pytest.mark.points(4)
@pytest.mark.hint(
    "Turn, scale and turn back: (x − μ) U Λ^(−1/2) Uᵀ. Without the last factor the result is white, but in other axes.",
    zh="旋转、缩放、再旋转回来：(x − μ) U Λ^(−1/2) Uᵀ。缺了最后一个因子，结果虽是白的，坐标轴却不同。",
)
def test_formula(agree):
    """The data is multiplied by the symmetric inverse root of its covariance, which leaves every feature in its place.

    zh: 数据乘以协方差的对称逆平方根，每个特征都留在原来的位置。
    """
    for number, features in [(7, 3), (9, 5), (6, 2), (1030, 3)]:
        agree(call("whiten", samples(number, features)))
    agree(function("whiten"), evaluate(samples(40, 17), backward=False))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "In U Λ^(−1/2) Uᵀ neither signs nor order of the eigenvectors matter, nor which ones are taken where eigenvalues are equal.",
    zh="在 U Λ^(−1/2) Uᵀ 中，特征向量的符号和顺序都不起作用；特征值相等时取哪些特征向量也不起作用。",
)
def test_white_stays(agree):
    """Data that is white already, and centred, stays as it is; a single feature is standardised.

    zh: 已经白化并去掉均值的数据保持不变；只有一个特征时就是标准化。
    """
    white = randn(8, 3).astype(np.float64)
    left, _values, right = np.linalg.svd(white - white.mean(0), full_matrices=False)
    white = (left @ right * 8**0.5).astype(np.float32)  # of `left` alone, the signs would be the library's
    agree(function("whiten"), evaluate(white, backward=False), evaluate(white * np.float32(1.003), backward=False))
    agree(call("whiten", uniform(2, 9, 6, 1)))


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint(
    "1 / √(λ + eps): eps stands inside the root, beside every eigenvalue; its default is 0.",
    zh="1 / √(λ + eps)：eps 在根号内，与每个特征值相加；默认值为 0。",
)
def test_eps(agree):
    """eps is added to every eigenvalue, inside the root; without it nothing is added, however small the numbers are.

    zh: eps 在根号内加到每个特征值上；不给 eps 就什么也不加，无论数值多小。
    """
    agree(call("whiten", samples(7, 3), 0.5))
    agree(call("whiten", samples(9, 4), eps=0.1))
    agree(call("whiten", samples(7, 2) * 30, eps=500.0))
    agree(call("whiten", samples(8, 3) * np.float32(1e-8)))
    tiny, huge = (evaluate(samples(8, 3) * np.float32(scale), gradients="no_grad") for scale in (1e-12, 1e12))
    agree(function("whiten"), tiny, huge)


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "eps > 0 is all that a covariance without full rank needs: eigenvalues of 0 become eps. Refuse nothing, drop nothing.",
    zh="协方差不满秩时，有 eps > 0 就够了：为 0 的特征值变成 eps。什么也不要拒绝，什么也不要丢弃。",
)
def test_rank_deficient(agree):
    """With eps there may be fewer samples than features, and features that are constant or equal.

    zh: 有 eps 时，样本可以比特征少，特征也可以是常数或彼此相等。
    """
    agree(function("whiten", eps=0.1), evaluate(randn(3, 5), backward=False), evaluate(randn(4, 4), backward=False))
    x = samples(7, 4)
    x[:, 1], x[:, 3] = 2.5, x[:, 0]
    single = evaluate(x[:1], backward=False), evaluate(x[:1, :1], backward=False)
    agree(function("whiten", 0.2), evaluate(x, backward=False), *single, evaluate(x[[2, 2, 2]], backward=False))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Subtract the mean first, then multiply: x.T @ x minus the product of the means loses nearly all digits.",
    zh="先减均值，再相乘：用 x.T @ x 减去均值的乘积，会丢失几乎所有有效数字。",
)
def test_hard_inputs(agree):
    """A mean much larger than the standard deviations does no harm, and these may differ by a factor of 95.

    zh: 均值远大于标准差也不影响结果；各个方向的标准差可以相差 95 倍。
    """
    agree(call("whiten", samples(9, 3) + np.array([[900, -2000, 1500]], np.float32)))
    agree(call("whiten", samples(9, 3, ratio=95.0)))


@pytest.mark.kind("gradient")
@pytest.mark.points(2)
@pytest.mark.hint(
    "Mean, eigenvalues and eigenvectors all depend on x: let autograd go through each of them, without detach, item or no_grad.",
    zh="均值、特征值和特征向量都依赖于 x：让 autograd 流经每一个，不要用 detach、item 或 no_grad。",
)
def test_gradients(agree):
    """The gradient flows through the mean, the eigenvalues and the eigenvectors, in every layout of memory.

    zh: 梯度流经均值、特征值和特征向量，无论内存如何布局。
    """
    x, other = samples(8, 3), samples(6, 2)
    agree(call("whiten", samples(7, 4)))
    agree(call("whiten", samples(6, 3), 0.2))
    agree(function("whiten"), evaluate(x, scattered=True), evaluate(other, view="strided"), evaluate(x, view="strided"))


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
        refuses(ValueError, call("whiten", x), legal=[call("whiten", samples(7, 3))])


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Widen to float32 before anything else, whatever comes in, and cast the result back with .to(x.dtype).",
    zh="无论输入是什么类型，都先提升到 float32，最后用 .to(x.dtype) 把结果转换回来。",
)
def test_half_precision(agree):
    """Half-precision input is whitened in float32 and comes back in its own dtype, also where its squares are too large for it.

    zh: 半精度的输入在 float32 中白化，返回时仍是自己的 dtype；平方大到半精度装不下时也是如此。
    """
    for dtype in ("float16", "bfloat16"):
        x, large = samples(9, 3), samples(7, 2) * 400
        agree(function("whiten"), evaluate(x, dtype=dtype, witness=True, backward=True), evaluate(large, dtype=dtype, witness=True))
