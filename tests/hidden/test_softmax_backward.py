"""Hidden suite of `softmax_backward`.

No two sizes in a shape agree, unless it is the point. Rows differ in mean and scale, so that a maximum or a sum over the wrong numbers shows.
"""

import numpy as np
import pytest
from shared import rows

from normgrade.suite import evaluate, forward_backward, ones, probe, randn, uniform, use, words, zeros


def typical():
    """Rows in two and three dimensions, more of them, and a single row."""
    return [
        use(forward_backward(), rows(4, 6), rows(2, 3, 6), fixed=[]),
        use(forward_backward(), rows(2, 5, 3), rows(7), fixed=[]),
        use(forward_backward(), rows(2, 3, 1, 4), rows(3, 2), fixed=[]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`y, cache = forward(x)`, then `backward(dy, cache)` gives a tuple of one: `(dx,)`, with dx of the shape of x.",
    zh="`y, cache = forward(x)`，然后 `backward(dy, cache)` 返回一元组 `(dx,)`，dx 的形状与 x 相同。",
)
def test_call(observe):
    """Both functions can be called: forward gives y and a cache, backward a tuple with the gradient of x.

    zh: 两个函数都可以调用：forward 返回 y 和 cache，backward 返回装着 x 的梯度的元组。
    """
    seen = observe(forward_backward(), evaluate(randn(4, 6)))
    shape = seen["step 1 · output"].values.shape
    assert shape == (4, 6), words(f"y should have the shape (4, 6), but has {shape}", zh=f"y 的形状应当是 (4, 6)，实际是 {shape}")
    number = seen["step 1 · number of gradients"]
    assert number == 1, words(f"backward should return 1 gradient, but returned {number}", zh=f"backward 应返回 1 个梯度，实际返回 {number} 个")


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint(
    "exp(x − max x) over its sum; both the maximum and the sum along axis -1, with keepdims=True.",
    zh="exp(x − max x) 除以它的和；最大值与求和都沿轴 -1，用 keepdims=True。",
)
def test_forward(agree):
    """forward turns every row, along the last axis, into weights whose sum is 1.

    zh: forward 把沿最后一轴的每一行变成和为 1 的权重。
    """
    for shape in [(4, 6), (2, 5, 3), (7,), (2, 3, 1, 4), (3, 3), (3, 70)]:
        agree(forward_backward(), evaluate(rows(*shape), backward=False))


@pytest.mark.kind("gradient")
@pytest.mark.points(4)
@pytest.mark.hint(
    "dxⱼ = Σᵢ dyᵢ yᵢ (δᵢⱼ − yⱼ): the δ gives y · dy, the rest −y · Σ y · dy.",
    zh="dxⱼ = Σᵢ dyᵢ yᵢ (δᵢⱼ − yⱼ)：δ 一项给出 y · dy，其余是 −y · Σ y · dy。",
)
def test_gradient(agree):
    """Each number of x has a direct effect on its own weight, and one on all weights of the row, through the sum.

    zh: x 的每个数既直接影响自己的权重，又通过求和影响该行的所有权重。
    """
    for shape in [(4, 6), (2, 5, 3), (5, 2)]:
        agree(forward_backward(), evaluate(rows(*shape)))
    agree(probe("there_and_back", x=rows(3, 70), dy=randn(3, 70)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Σ y · dy is one number for each row: sum along axis -1 with keepdims=True, however many axes come before it.",
    zh="Σ y · dy 每行一个数：沿轴 -1 求和，用 keepdims=True，无论前面有多少个轴。",
)
def test_rows_apart(agree):
    """Every row has a gradient of its own, however many axes the rows take; a single row has one too.

    zh: 每一行有自己的梯度，无论行占多少个轴；只有一行时也一样。
    """
    for shape in [(7,), (1, 5), (4, 4), (3, 3, 3), (2, 3, 1, 4), (2, 1, 3, 2, 4), (4, 1)]:
        agree(forward_backward(), evaluate(rows(*shape)))
    x = rows(5, 6)
    agree(forward_backward(), evaluate(x), evaluate(x[:2]), evaluate(x[2]))


@pytest.mark.kind("gradient")
@pytest.mark.points(2)
@pytest.mark.hint(
    "Put dy = 1 into dx = y · (dy − Σ y · dy): the weights sum to 1, so nothing is left. For dy = (1, 0, …), dx is a column of the Jacobian.",
    zh="把 dy = 1 代入 dx = y · (dy − Σ y · dy)：权重之和为 1，所以什么也不剩。dy = (1, 0, …) 时，dx 是雅可比矩阵的一列。",
)
def test_special_gradients(agree):
    """A constant dy gives 0; one that is 1 in one place and else 0 gives a column of the Jacobian; large, small and zero ones are no different.

    zh: dy 为常数时得到 0；dy 在一处为 1、其余为 0 时，得到雅可比矩阵的一列；dy 很大、很小或为零时也没有什么不同。
    """
    x = rows(4, 5)
    agree(probe("there_and_back", x=x, dy=ones(4, 5) * 3))
    agree(probe("there_and_back", x=x, dy=zeros(4, 5)))
    agree(probe("there_and_back", x=x, dy=np.eye(5, dtype=np.float32)[:4]))
    agree(probe("there_and_back", x=x, dy=randn(4, 5) + 20))
    for scale in (1e6, 1e-6):
        agree(probe("there_and_back", x=x, dy=randn(4, 5) * scale))
    agree(probe("there_and_back", x=np.zeros((3, 4), np.float32), dy=randn(3, 4)))


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
    first, second = rows(4, 6), rows(3, 2, 6)
    agree(forward_backward(), evaluate(first, between=rows(4, 6)), evaluate(second, between=rows(5, 6)))
    agree(forward_backward(), evaluate(first, twice=True), evaluate(first, between=rows(4, 6), twice=True))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "exp(89) is infinite in float32, exp(−104) is 0. Subtract the row's largest number before exp: on paper it cancels.",
    zh="在 float32 中 exp(89) 是无穷大，exp(−104) 是 0。取 exp 之前减去该行的最大值：在纸上它会约掉。",
)
def test_magnitudes(agree):
    """Both passes are right for rows of very large and of very negative numbers, and for numbers far apart in one row.

    zh: 很大的数组成的行、很负的数组成的行，以及同一行中相差很远的数，前向和反向都正确。
    """
    for offset in (100.0, -120.0, 1000.0, -1000.0):
        agree(forward_backward(), evaluate(rows(4, 6) + np.float32(offset)), evaluate(rows(5) + np.float32(offset), dtype="float64"))
    agree(forward_backward(), evaluate(rows(4, 6) + 200, dtype="float16", backward=True))
    far_apart = np.array([[-130, 0, 130, 60, 130, -130, 0]], np.float32)  # but nothing 87 to 104 below, where exp has few digits
    agree(forward_backward(), evaluate(uniform(-5, 5, 3, 7) + far_apart))
    for power in (3, 20, 30):
        agree(probe("huge", x=randn(5, 7), dy=randn(5, 7), power=power))
        agree(probe("huge", x=-uniform(0.1, 1, 4, 6), dy=randn(4, 6), power=power))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Every row needs its own largest number: max(axis=-1, keepdims=True). Beside that of the whole array a small row vanishes.",
    zh="每一行都需要自己的最大值：max(axis=-1, keepdims=True)。若减去整个数组的最大值，数值小的行就消失了。",
)
def test_rows_far_apart(agree):
    """Rows of one input may lie far apart: each is treated as if it were alone.

    zh: 同一个输入的各行可以相距很远：每一行的处理都与它单独存在时一样。
    """
    apart = np.array([[-900], [0], [300], [2000]], np.float32)
    agree(forward_backward(), evaluate(rows(4, 6) + apart), evaluate(rows(2, 4, 3) + apart), evaluate(rows(4, 5) - apart))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "exp(−∞) is 0, and y · (dy − Σ y · dy) is 0 where y is: −∞ needs no treatment. Only x itself must stay out of backward.",
    zh="exp(−∞) 是 0，y 为 0 的地方 y · (dy − Σ y · dy) 也是 0：−∞ 不需要特别处理。只是 backward 中不要用 x 本身参与计算。",
)
def test_masked(agree):
    """−∞ gets the weight 0 and the gradient 0; the others are treated as if it were not there.

    zh: −∞ 的权重为 0，梯度为 0；其余的数，处理起来就像它不存在一样。
    """
    x = rows(5, 6)
    x[0, 0] = x[1, 2:] = x[2, 1:] = x[4, 5] = -np.inf
    agree(probe("there_and_back", x=x, dy=randn(5, 6)))
    agree(probe("there_and_back", x=np.stack([x[:2] - 500, x[3:] + 500]), dy=randn(2, 2, 6)))
    agree(forward_backward(), evaluate(x), evaluate(x, dtype="float16"), evaluate(x, dtype="float64"))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Let NaN come out where the formula gives it: no nan_to_num, no where, no eps; and let nothing of it reach another row.",
    zh="公式给出 NaN 的地方就让它是 NaN：不用 nan_to_num、where，也不加 eps；同时不要让它影响别的行。",
)
def test_nan(agree):
    """A row of nothing but −∞ is NaN in both directions, and so is a row with a NaN, in x or in dy; no other row changes.

    zh: 全为 −∞ 的行在两个方向上都得到 NaN；x 或 dy 中含 NaN 的行也是。其他行不受影响。
    """
    x, dy = rows(5, 4), randn(5, 4)
    x[1], x[3, 2], dy[4, 0] = -np.inf, np.nan, np.nan
    agree(probe("there_and_back", x=x, dy=dy))
    agree(probe("there_and_back", x=np.stack([rows(5, 4), x]), dy=randn(2, 5, 4)))
    agree(forward_backward(), evaluate(x, dtype="float16"), evaluate(x, dtype="float64"), evaluate(rows(5, 4)))
    single = rows(5, 1)
    single[1], single[3] = -np.inf, np.nan
    agree(probe("there_and_back", x=single, dy=randn(5, 1)))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "x.astype(np.promote_types(x.dtype, np.float32)) first, and .astype(x.dtype) last, for y and for dx.",
    zh="先 x.astype(np.promote_types(x.dtype, np.float32))，最后 .astype(x.dtype)，对 y 和 dx 都是如此。",
)
def test_dtypes(agree):
    """Results have the dtype of x; half precision is computed in float32, and float64 stays float64.

    zh: 结果的 dtype 与 x 相同；半精度在 float32 中计算，float64 保持 float64。
    """
    agree(forward_backward(), evaluate(uniform(-0.5, 0.5, 2, 700), dtype="float16"), evaluate(rows(4, 6) * 100, dtype="float16"))
    agree(forward_backward(), evaluate(rows(4, 6), dtype="float16", backward=True), evaluate(rows(2, 3, 6), dtype="float64"))
    agree(forward_backward(), evaluate(rows(7), dtype="float64"), evaluate(rows(7), dtype="float16", backward=True, steep=True))
