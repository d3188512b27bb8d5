"""Hidden suite of `softmax`.

No two sizes in a shape agree. Rows differ in mean and scale, so that a maximum or a sum over the wrong numbers shows.
"""

import numpy as np
import pytest
from shared import rows

from normgrade.suite import call, evaluate, function, probe, randn, uniform, use, words


def typical():
    """The function as it is used: over the last dimension, as it is unless said otherwise, and over another one."""
    return [
        use(function("softmax"), rows(5, 6), rows(2, 3, 4), []),
        use(function("softmax", 1), rows(2, 5, 3), rows(4, 3), []),
        use(function("softmax", dim=-3), rows(5, 2, 3), rows(2, 4, 1, 3), []),
    ]


def real():
    """Rows of a thousand numbers, and three hundred rows."""
    return [
        use(function("softmax"), rows(2, 1100), rows(300, 5), []),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Call `softmax(x)` on a tensor of shape (4, 5): a tensor of that shape must come back.",
    zh="对形状为 (4, 5) 的张量调用 `softmax(x)`：应当返回同样形状的张量。",
)
def test_call(observe):
    """The function can be called, and returns a tensor of its input's shape and dtype.

    zh: 函数可以调用，返回的张量与输入的形状和 dtype 相同。
    """
    for shape in ((4, 5), (5,)):
        result = observe(call("softmax", randn(*shape)))["result"]
        assert result.dtype == "float32", words(
            f"the result should be float32, as the input is, but is {result.dtype}",
            zh=f"结果应当与输入一样是 float32，实际是 {result.dtype}",
        )
        assert result.values.shape == shape, words(
            f"the result should have the input's shape {shape}, but has {result.values.shape}",
            zh=f"结果的形状应当与输入相同，是 {shape}，实际是 {result.values.shape}",
        )


@pytest.mark.kind("formula")
@pytest.mark.points(3)
@pytest.mark.hint(
    "Take exp, and divide by the sum of the same exps over the row, with keepdim=True.",
    zh="取 exp，再除以该行同一组 exp 的和，设 keepdim=True。",
)
def test_formula(agree):
    """Every weight is exp(x) over the sum of exp(x) in its row.

    zh: 每个权重等于 exp(x) 除以该行 exp(x) 的和。
    """
    for shape in [(4, 7), (6, 5, 8), (9,), (3, 2)]:
        agree(call("softmax", rows(*shape), dim=len(shape) - 1))
    agree(call("softmax", rows(2, 2500) * np.float32(0.05)))


@pytest.mark.kind("formula")
@pytest.mark.points(3)
@pytest.mark.hint(
    "Pass dim on to every reduction, the maximum and the sum; keepdim=True lets them line up, whichever dimension it is.",
    zh="把 dim 传给每一个归约，最大值与求和都要；keepdim=True 让它们对齐，无论是哪一维。",
)
def test_dim(agree):
    """The rows lie along `dim`, which may be any dimension, counted from either end.

    zh: 行沿 `dim` 排列；它可以是任何一维，从前往后数或从后往前数都行。
    """
    for shape, dims in [((6,), (0, -1)), ((4, 7), (0, -2, 1)), ((4, 3, 5), (0, 1, -3, -2)), ((2, 3, 5, 4), (0, 1, 2, -3, -4))]:
        for dim in dims:
            agree(call("softmax", rows(*shape), dim=dim))
    for shape, dims in [((2, 3, 1, 4, 5), (1, 3, -5)), ((2, 3, 1, 2, 1, 4), (3, -6)), ((4, 4), (0,))]:
        for dim in dims:
            agree(call("softmax", rows(*shape), dim=dim))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint("Write the signature with dim=-1: the default is the last dimension.", zh="签名中写 dim=-1：默认为最后一维。")
def test_default_dim(agree):
    """Without a `dim` the rows lie along the last dimension.

    zh: 不给 `dim` 时，行沿最后一维排列。
    """
    for shape in [(4, 7), (5,), (4, 3, 5), (2, 3, 4, 5)]:
        agree(call("softmax", rows(*shape)))


@pytest.mark.kind("stability")
@pytest.mark.points(2)
@pytest.mark.hint(
    "exp(89) is infinite in float32, exp(−104) is 0. Subtract the row's largest number before exp: on paper it cancels.",
    zh="在 float32 中 exp(89) 是无穷大，exp(−104) 是 0。取 exp 之前减去该行的最大值：在纸上它会约掉。",
)
def test_magnitudes(agree):
    """Rows of very large and of very negative numbers become weights too, and so do numbers far apart in one row.

    zh: 很大的数组成的行、很负的数组成的行，以及同一行中相差很远的数，都能变成权重。
    """
    for offset in (100.0, -120.0, 1000.0, -1000.0):
        agree(call("softmax", rows(4, 6) + np.float32(offset)))
        agree(function("softmax"), evaluate(rows(3, 5) + np.float32(offset), gradients="no_grad"))
        agree(call("softmax", rows(5, 3) + np.float32(offset), dim=0, dtype="float64"))
    far_apart = np.array([[-130, 0, 130, 60, 130, -130, 0]], np.float32)  # but nothing 87 to 104 below, where exp has few digits
    agree(call("softmax", uniform(-5, 5, 3, 7) + far_apart))
    x = rows(3, 9)
    x[:, 4] += 130
    agree(call("softmax", x))
    x = uniform(-101, -99, 3, 5)
    x[:, 2] += 24  # above −80, so that small numbers do not vanish as a whole
    agree(call("softmax", x))
    for power in (3, 20, 30):
        agree(probe("huge", x=randn(5, 7), power=power, dim=0))
        agree(probe("huge", x=-uniform(0.1, 1, 4, 6), power=power, dim=-1))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Every row needs its own largest number: amax(dim, keepdim=True). Beside that of the whole tensor a small row vanishes.",
    zh="每一行都需要自己的最大值：amax(dim, keepdim=True)。若减去整个张量的最大值，数值小的行就消失了。",
)
def test_rows_far_apart(agree):
    """Rows of one input may lie far apart: each is treated as if it were alone.

    zh: 同一个输入的各行可以相距很远：每一行的处理都与它单独存在时一样。
    """
    agree(call("softmax", rows(4, 6) + np.array([[-900], [0], [300], [2000]], np.float32)))
    agree(call("softmax", rows(5, 3) + np.array([[700, 0, -800]], np.float32), dim=0))


@pytest.mark.kind("gradient")
@pytest.mark.points(2)
@pytest.mark.hint(
    "Let autograd go through the numerator and the denominator: no detach, item or no_grad but on the maximum.",
    zh="让 autograd 既流经分子也流经分母：除了最大值，不要用 detach、item 或 no_grad。",
)
def test_gradients(agree):
    """The gradient flows through the numerator and through the sum.

    zh: 梯度既流经分子，也流经求和。
    """
    agree(call("softmax", rows(5, 3)))
    agree(call("softmax", rows(4, 2, 9), dim=1))
    agree(call("softmax", rows(3, 4) + 200))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "exp(−∞) is 0, and 0 adds nothing to the sum: −∞ needs no treatment, if the largest number of its own row is subtracted.",
    zh="exp(−∞) 是 0，对和没有贡献：只要减去的是该行自己的最大值，−∞ 不需要任何特别处理。",
)
def test_masked(agree):
    """−∞ gets the weight 0 and the gradient 0; the other weights of its row sum to 1.

    zh: −∞ 的权重为 0，梯度为 0；该行其余的权重之和为 1。
    """
    x = rows(5, 6)
    x[0, 0] = x[1, 2:] = x[2, 1:] = x[4, 5] = -np.inf
    agree(call("softmax", x))
    agree(call("softmax", x[[0, 2, 4, 3]], dim=0))
    agree(call("softmax", x[:2] - 500))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Let NaN come out where the formula gives it: no nan_to_num, no where, no eps; and let nothing of it reach another row.",
    zh="公式给出 NaN 的地方就让它是 NaN：不用 nan_to_num、where，也不加 eps；同时不要让它影响别的行。",
)
def test_nan(agree):
    """A row of nothing but −∞ is NaN, as in PyTorch, and so is a row with a NaN; no other row changes.

    zh: 全为 −∞ 的行得到 NaN，与 PyTorch 相同；含 NaN 的行也是。其他行不受影响。
    """
    x = rows(5, 4)
    x[1] = -np.inf
    agree(call("softmax", x))
    half = (evaluate(x, dtype=dtype) for dtype in ("float16", "bfloat16"))
    agree(function("softmax"), evaluate(x, gradients="no_grad"), *half)
    agree(call("softmax", np.stack([x.T, rows(4, 5)], 2), dim=0))
    agree(call("softmax", x.T.copy(), dim=0))
    x = rows(5, 1)
    x[1], x[3] = -np.inf, np.nan
    agree(call("softmax", x))
    x = rows(4, 6)
    x[2, 3] = np.nan
    agree(call("softmax", x))
    agree(call("softmax", x, dim=0))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Widen to float32 before anything else, whatever comes in, and cast the result back with .to(x.dtype).",
    zh="无论输入是什么类型，都先提升到 float32，最后用 .to(x.dtype) 把结果转换回来。",
)
def test_half_precision(agree):
    """Half-precision input becomes weights in float32, which come back in the input's dtype; a long row still sums to 1.

    zh: 半精度的输入在 float32 中算成权重，再以输入的 dtype 返回；很长的行，和仍为 1。
    """
    for dtype in ("float16", "bfloat16"):
        x = uniform(-0.5, 0.5, 2, 700)
        agree(function("softmax"), evaluate(x, dtype=dtype, witness=True), evaluate(rows(5, 6) * 200, dtype=dtype))
        agree(function("softmax", 0), evaluate(rows(7, 3), dtype=dtype, backward=True))
