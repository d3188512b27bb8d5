"""Hidden suite of `softmax_backward`.

No two sizes in a shape agree where that is not the point. Rows differ in mean and scale, so that sums over the wrong numbers show. Weights
lie between 1 and less than a thousandth, so that no formula for equal weights passes.
"""

import numpy as np
import pytest
from shared import rows

from normgrade.suite import evaluate, forward_backward, ones, probe, randn, uniform, use, words, zeros


def typical():
    """Rows in two, three and four dimensions."""
    return [
        use(forward_backward(), rows(4, 6), rows(2, 3, 6), fixed=[]),
        use(forward_backward(), rows(2, 5, 2, 3), rows(5, 4), fixed=[]),
    ]


def real():
    """Rows of a thousand numbers, and three hundred rows."""
    return [
        use(forward_backward(), rows(2, 1100), rows(300, 5), []),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`y, cache = forward(x)`; then `backward(dy, cache)` gives a tuple with one gradient: `(dx,)`.",
    zh="`y, cache = forward(x)`；然后 `backward(dy, cache)` 返回装着一个梯度的元组：`(dx,)`。",
)
def test_call(observe):
    """Both functions can be called: forward gives y and a cache, backward the gradient of x.

    zh: 两个函数都可以调用：forward 返回 y 和 cache，backward 返回 x 的梯度。
    """
    seen = observe(forward_backward(), evaluate(randn(4, 6)))
    shape = seen["step 1 · output"].values.shape
    assert shape == (4, 6), words(f"y should have the shape (4, 6), but has {shape}", zh=f"y 的形状应当是 (4, 6)，实际是 {shape}")


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.courtesy
@pytest.mark.hint("return (dx,): the comma makes the tuple.", zh="return (dx,)：逗号才构成元组。")
def test_tuple(agree):
    """backward returns a tuple of one, as it would with more inputs.

    zh: backward 返回只有一个元素的元组，与有更多输入时一样。
    """
    agree(probe("holder", x=rows(4, 6)))


@pytest.mark.kind("formula")
@pytest.mark.points(3)
@pytest.mark.hint(
    "exp(x) over its sum along the last axis, with keepdims=True.",
    zh="exp(x) 除以它沿最后一轴的和，用 keepdims=True。",
)
def test_forward(agree):
    """forward turns every row into weights whose sum is 1.

    zh: forward 把每一行变成和为 1 的权重。
    """
    for shape in [(4, 6), (2, 3, 5), (3, 3), (3, 3, 3), (7,), (2, 3, 1, 2, 4), (2, 70)]:
        agree(forward_backward(), evaluate(rows(*shape) * 2, backward=False))


@pytest.mark.kind("gradient")
@pytest.mark.points(5)
@pytest.mark.hint(
    "Every y of a row depends on every x of it: dx = y · (dy − Σ y · dy), one sum per row.",
    zh="一行中的每个 y 都依赖于该行的每个 x：dx = y · (dy − Σ y · dy)，每行一个和。",
)
def test_gradient(agree):
    """The gradient of x flows through the numerator and through the denominator of its row.

    zh: x 的梯度流经分子，也流经该行的分母。
    """
    for shape in [(4, 6), (2, 5, 3), (4, 4), (3, 3, 3), (7,), (2, 3, 1, 2, 4), (2, 70), (600, 3)]:
        agree(forward_backward(), evaluate(rows(*shape) * 2))


@pytest.mark.kind("state")
@pytest.mark.points(2)
@pytest.mark.hint(
    "What backward needs goes into the cache of its own call: no globals, and nothing that backward uses up.",
    zh="backward 需要的东西都放进这次调用自己的 cache：不用全局变量，backward 也不要把它用坏。",
)
def test_cache(agree):
    """A cache belongs to its call: other calls may come in between, and backward may run twice.

    zh: cache 属于它那一次调用：其间可以有别的调用，backward 也可以运行两次。
    """
    first, second = rows(4, 6), rows(3, 2, 6)
    agree(forward_backward(), evaluate(first, between=rows(4, 6)), evaluate(second, between=rows(5, 6)))
    agree(forward_backward(), evaluate(first, twice=True), evaluate(first, between=rows(4, 6), twice=True))
    agree(forward_backward(), *(evaluate(first.reshape(shape)) for shape in [(4, 6), (6, 4), (2, 3, 4)]))  # the same numbers in other rows


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "One weight that is nearly 1, equal numbers, a row of one number: nothing needs an `if`.",
    zh="一个接近 1 的权重、相等的数、只有一个数的行：都不需要 `if`。",
)
def test_extreme_rows(agree):
    """Rows with one large number, rows of equal numbers and rows of one number are treated as the formula says.

    zh: 有一个很大的数的行、各数相等的行、只有一个数的行，都按公式处理。
    """
    x = rows(4, 6)
    x[0, 2] += 9
    x[1] = 0.5
    x[2] *= 6
    agree(forward_backward(), evaluate(x), evaluate(rows(3, 1)), evaluate(uniform(0.5, 1.5, 3, 5)), evaluate(rows(2, 4, 1)))
    agree(forward_backward(), evaluate(zeros(4, 4)), evaluate(ones(3, 3, 3)))  # here any axis sums to 1


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "exp(−∞) is 0, and nothing has to be done for it; a row of nothing but −∞ is NaN.",
    zh="exp(−∞) 等于 0，不需要任何处理；全为 −∞ 的行得到 NaN。",
)
def test_masks(agree):
    """A number of −∞ gets the weight 0; a row of nothing but −∞ is NaN and touches no other.

    zh: 值为 −∞ 的数权重为 0；全为 −∞ 的行是 NaN，且不影响其他行。
    """
    x = rows(4, 6)
    x[0, 1:3], x[2] = -np.inf, -np.inf
    single = rows(5, 1)
    single[1], single[3] = -np.inf, np.nan
    agree(forward_backward(), evaluate(x, backward=False), evaluate(single, backward=False))


@pytest.mark.kind("stability")
@pytest.mark.points(2)
@pytest.mark.hint(
    "Subtract the maximum of each row before exp: it cancels, and nothing overflows.",
    zh="在 exp 之前减去每行的最大值：它会抵消，而且不会溢出。",
)
def test_magnitudes(agree):
    """Both passes are right at any magnitude, and where rows differ by a thousand.

    zh: 无论数值多大，也无论各行相差上千，前向和反向都正确。
    """
    x = rows(4, 6)
    agree(forward_backward(), evaluate(x + 1000), evaluate(x - 1000), evaluate(x * 1e-3))
    apart = np.array([[-1000], [0], [1000], [30_000]], np.float32)
    agree(forward_backward(), evaluate(x + apart), evaluate(x + np.array([[0, 0, 95, 0, 0, 92]], np.float32)))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "x.astype(np.promote_types(x.dtype, np.float32)) first, .astype(x.dtype) last.",
    zh="先 x.astype(np.promote_types(x.dtype, np.float32))，最后 .astype(x.dtype)。",
)
def test_dtypes(agree):
    """Results have the dtype of x; half precision is computed in float32.

    zh: 结果的 dtype 与 x 相同；半精度在 float32 中计算。
    """
    agree(forward_backward(), evaluate(rows(20, 16), dtype="float16", backward=True), evaluate(rows(3, 5) + 100, dtype="float16"))
    wide = uniform(-0.02, 0.02, 1, 70_000)  # the sum of its exponentials is no number of float16
    agree(forward_backward(), evaluate(wide, dtype="float16", backward=False))
    agree(forward_backward(), evaluate(rows(4, 6), dtype="float64"), evaluate(rows(2, 3, 6) * 3, dtype="float64"))
