"""Hidden suite of `layer_norm_backward`.

No two sizes in a shape agree. Rows differ in mean and scale, weights differ from 1 and from each other. Where eps is not the point, the
inputs are so large that it cannot matter.
"""

import pytest
from shared import rows, weight_and_bias

from normgrade.suite import evaluate, forward_backward, ones, probe, randn, use, words, zeros


def inputs(*shape, scale=1.0):
    """Random rows, a weight and a bias."""
    return [rows(*shape) * scale, *weight_and_bias(shape[-1])]


def large(*shape):
    """Rows beside whose variances the usual eps is nothing."""
    return inputs(*shape, scale=1000)


def typical():
    """Rows in two and three dimensions, with different eps."""
    return [
        use(forward_backward(0.1), inputs(5, 6), inputs(2, 3, 6), fixed=[-1]),
        use(forward_backward(1e-3), inputs(2, 4, 2, 7), inputs(3, 7), fixed=[-1]),
    ]


def real():
    """Rows of a thousand features."""
    return [
        use(forward_backward(), inputs(2, 1100), inputs(300, 8), [-1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`y, cache = forward(x, weight, bias)`; `backward(dy, cache)` gives `dx, dweight, dbias`, of the shapes of x, weight and bias.",
    zh="`y, cache = forward(x, weight, bias)`；`backward(dy, cache)` 返回 `dx, dweight, dbias`，形状分别与 x、weight、bias 相同。",
)
def test_call(observe):
    """Both functions can be called: forward gives y and a cache, backward one gradient for each of its three inputs.

    zh: 两个函数都可以调用：forward 返回 y 和 cache，backward 为三个输入各返回一个梯度。
    """
    seen = observe(forward_backward(), evaluate(*inputs(4, 6)))
    shape = seen["step 1 · output"].values.shape
    assert shape == (4, 6), words(f"y should have the shape (4, 6), but has {shape}", zh=f"y 的形状应当是 (4, 6)，实际是 {shape}")
    number = seen["step 1 · number of gradients"]
    assert number == 3, words(
        f"backward should return 3 gradients, but returned {number}", zh=f"backward 应返回 3 个梯度，实际返回 {number} 个"
    )


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint(
    "Mean and biased variance of each row along axis -1, with keepdims=True; then weight and bias, feature by feature.",
    zh="每一行沿轴 -1 求均值和有偏方差，用 keepdims=True；再逐特征地乘 weight、加 bias。",
)
def test_forward(agree):
    """forward normalises every row by its own mean and biased variance, then scales and shifts it.

    zh: forward 用每一行自己的均值和有偏方差归一化，再缩放和平移。
    """
    for shape in [(4, 6), (2, 5, 3), (3, 3), (3, 3, 3), (2, 3, 1, 4), (7,), (3, 70)]:
        agree(forward_backward(), evaluate(*large(*shape), backward=False))
    x, weight, bias = large(2, 70)
    x[1, 5] += 20_000  # more than eight standard deviations from the others
    agree(forward_backward(), evaluate(x, weight, bias, backward=False))


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
        agree(forward_backward(eps), evaluate(*inputs(4, 6)), evaluate(*inputs(2, 3, 5)))
    agree(
        forward_backward(), evaluate(*inputs(4, 6, scale=0.003)), evaluate(*inputs(3, 4, scale=1e-4)), evaluate(*inputs(5, 3, scale=1e-10))
    )
    agree(forward_backward(1e-3), evaluate(*inputs(4, 6, scale=0.03)))


@pytest.mark.kind("gradient")
@pytest.mark.points(4)
@pytest.mark.hint(
    "With dx̂ = dy · weight: dx = (dx̂ − mean(dx̂) − x̂ · mean(dx̂ · x̂)) / σ, with the means of each row.",
    zh="令 dx̂ = dy · weight：dx = (dx̂ − mean(dx̂) − x̂ · mean(dx̂ · x̂)) / σ，平均在每一行内求得。",
)
def test_gradient_of_x(agree):
    """The gradient of x flows directly, through the mean, and through the standard deviation of its row.

    zh: x 的梯度有三条路径：直接的、经过该行均值的、经过该行标准差的。
    """
    for shape in [(4, 6), (2, 5, 3), (3, 2), (2, 3, 1, 4), (3, 70)]:
        agree(forward_backward(), evaluate(*large(*shape)))


@pytest.mark.kind("gradient")
@pytest.mark.points(2)
@pytest.mark.hint(
    "All rows share weight and bias: sum dy · x̂ and dy over every axis but the last.",
    zh="所有行共用 weight 和 bias：把 dy · x̂ 和 dy 在除最后一轴外的所有轴上求和。",
)
def test_gradients_of_parameters(agree):
    """The gradients of weight and bias are sums over all rows, however many axes these have.

    zh: weight 和 bias 的梯度是在所有行上的和，无论行占多少个轴。
    """
    for shape in [(7,), (1, 5), (4, 4), (3, 2, 3, 5), (2, 1, 3, 2, 4), (4, 4, 4), (700, 3)]:
        agree(forward_backward(), evaluate(*large(*shape)))


@pytest.mark.kind("state")
@pytest.mark.points(2)
@pytest.mark.hint(
    "Whatever backward needs goes into the cache of its own call: no globals, and nothing that backward uses up.",
    zh="backward 需要的一切都放进这次调用自己的 cache：不用全局变量，backward 也不要把它用坏。",
)
def test_cache(agree):
    """A cache belongs to its call: other calls may come in between, and backward may run twice.

    zh: cache 属于它那一次调用：其间可以有别的调用，backward 也可以运行两次。
    """
    first, second = inputs(4, 6), inputs(3, 2, 6)
    agree(forward_backward(0.1), evaluate(*first, between=rows(4, 6)), evaluate(*second, between=rows(5, 6)))
    agree(forward_backward(0.1), evaluate(*first, twice=True), evaluate(*first, between=rows(4, 6), twice=True))
    agree(probe("calls_apart", inputs=first, dy=rows(4, 6), calls=[[0.1], [2.0], []]))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "A constant row has x̂ = 0 and σ = √ε: y is bias, and dx is finite. Nothing needs an `if`.",
    zh="常数行的 x̂ = 0，σ = √ε：y 等于 bias，dx 有限。不需要任何 `if`。",
)
def test_constant_rows(agree):
    """Constant rows, rows of one feature, and gradients that are constant or zero are treated as the formula says.

    zh: 常数行、只有一个特征的行，以及恒定或为零的梯度，都按公式处理。
    """
    x, weight, bias = inputs(4, 6)
    x[1], x[3] = 0.0, 0.5
    agree(forward_backward(0.1), evaluate(x, weight, bias), evaluate(zeros(2, 6), weight, bias))
    agree(forward_backward(), evaluate(ones(3, 6), weight, bias))
    agree(forward_backward(0.1), evaluate(*inputs(4, 1)), evaluate(*inputs(2, 3, 1)))
    agree(forward_backward(0.1), evaluate(rows(4, 6), ones(6), zeros(6)), evaluate(rows(4, 6), zeros(6), bias))


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
    weight, bias = weight_and_bias(8)
    for offset in (100, 3000):
        agree(forward_backward(), evaluate(randn(4, 8) + offset, weight, bias), evaluate((randn(2, 3, 8) - offset) * 50, weight, bias))


@pytest.mark.kind("precision")
@pytest.mark.points(2)
@pytest.mark.hint(
    "x.astype(np.promote_types(x.dtype, np.float32)) first, .astype(x.dtype) last, for y and for every gradient.",
    zh="先 x.astype(np.promote_types(x.dtype, np.float32))，最后 .astype(x.dtype)，对 y 和每个梯度都是如此。",
)
def test_dtypes(agree):
    """Results have the dtype of x; half precision is computed in float32, and float64 stays float64.

    zh: 结果的 dtype 与 x 相同；半精度在 float32 中计算，float64 保持 float64。
    """
    for scale in (300, 1e-3):
        agree(forward_backward(), evaluate(*inputs(40, 16, scale=scale), dtype="float16", backward=True))
    weight, bias = weight_and_bias(6)
    steep = evaluate(rows(2, 6) * 300, weight * 5, bias, dtype="float16", backward=True, steep=True)  # dy · weight is no number of float16
    agree(forward_backward(), steep)
    agree(forward_backward(), evaluate(randn(4, 6) + 300, weight, bias, dtype="float16"))
    agree(forward_backward(1e-12), evaluate(*inputs(4, 6), dtype="float64"), evaluate(*inputs(2, 3, 6, scale=1e-3), dtype="float64"))
