"""Hidden suite of `local_response_norm`.

alpha is about 1, so that the denominator matters: with the default 1e-4 hardly a mistake shows. No two sizes in a shape agree, and every
channel has a scale of its own. Windows are odd and even, narrower and wider than the channels.
"""

import numpy as np
import pytest
from shared import channels

from normgrade.suite import call, evaluate, function, ones, randn, uniform, use


def lrn(*args, **kwargs):
    return call("local_response_norm", *args, **kwargs)


def typical():
    """An odd window on maps, an even one on rows, a wide one with the usual alpha on large numbers."""
    illegal = [randn(4, 6), randn(5)]
    return [
        use(function("local_response_norm", 3, 1.3, 0.6, 0.8), channels(3, 7, 4, 2), channels(2, 5, 6), [], illegal=illegal),
        use(function("local_response_norm", 4, alpha=2.0, k=1.5), channels(4, 6, 5), channels(2, 7, 1, 3, 2), [], illegal=illegal),
        use(function("local_response_norm", size=9), channels(2, 5, 3) * 100, channels(3, 4, 2, 5) * 100, [], illegal=illegal),
    ]


def real():
    """Two hundred and sixty channels."""
    return [
        use(function("local_response_norm", 5), channels(2, 264, 2, 3), channels(1, 96, 4, 4), []),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Call `local_response_norm(x, 3)` on a tensor of shape (2, 5, 4): a tensor of that shape must come back.",
    zh="对形状为 (2, 5, 4) 的张量调用 `local_response_norm(x, 3)`：应当返回同样形状的张量。",
)
def test_call(observe):
    """The function can be called, and returns a tensor of its input's shape.

    zh: 函数可以调用，返回的张量与输入的形状相同。
    """
    observe(lrn(randn(2, 5, 4), 3))


@pytest.mark.kind("formula")
@pytest.mark.points(3)
@pytest.mark.hint(
    "y = x / (k + alpha / size · Σ x²) ** beta; the sum runs over size channels, size // 2 of them before c for an odd size.",
    zh="y = x / (k + alpha / size · Σ x²) ** beta；求和取 size 个通道，size 为奇数时 c 之前有 size // 2 个。",
)
def test_odd_window(agree):
    """Every number is divided by a power of the squares in its window of channels, whose middle is its own channel.

    zh: 每个数除以其通道窗口内平方和的幂，窗口正中是它自己的通道。
    """
    for shape, size in (((2, 9, 4), 3), ((3, 8, 2, 5), 5), ((2, 11, 3), 7), ((2, 4, 3), 1), ((1, 130, 75), 5)):
        agree(lrn(channels(*shape), size, 1.3, 0.6, 0.8))


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint(
    "An even window has one more channel before c than after it: size // 2 before, (size - 1) // 2 after.",
    zh="偶数窗口在 c 之前比之后多一个通道：之前 size // 2 个，之后 (size - 1) // 2 个。",
)
def test_even_window(agree):
    """A window of even size has one more channel before its own channel than after it.

    zh: 大小为偶数的窗口，在自己的通道之前比之后多一个通道。
    """
    for shape, size in (((2, 7, 4), 2), ((3, 9, 2, 5), 4), ((2, 8, 3), 6)):
        agree(lrn(channels(*shape), size, 1.3, 0.6, 0.8))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Divide by size at the border too; beyond the first and the last channel there are zeros.",
    zh="边界处也要除以 size；第一个通道之前、最后一个通道之后是零。",
)
def test_border(agree):
    """At the first and the last channel the window is cut off, and alpha is divided by size all the same.

    zh: 在第一个和最后一个通道处，窗口被截断，而 alpha 仍然除以 size。
    """
    x = ones(1, 7, 2) * uniform(0.8, 1.2, 1, 1, 2)
    for size in (3, 4, 5):
        agree(lrn(x, size, 1.0, 0.75, 1.0))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Size may exceed the number of channels: what is missing counts as zero, and the divisor stays size.",
    zh="size 可以超过通道数：缺少的通道按零计，除数仍是 size。",
)
def test_wide_window(agree):
    """The window may be wider than there are channels; a single channel is one too.

    zh: 窗口可以比通道数更宽；只有一个通道时也一样。
    """
    for shape, size in (((2, 3, 4), 4), ((2, 3, 4), 5), ((2, 4, 3), 50), ((3, 1, 4), 5), ((3, 1, 4), 1), ((2, 5, 3), 9)):
        agree(lrn(channels(*shape), size, 1.7, 0.75, 1.2))


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint(
    "alpha, beta and k are used as they are given: (k + alpha / size · Σ x²) ** beta.",
    zh="alpha、beta、k 给多少就用多少：(k + alpha / size · Σ x²) ** beta。",
)
def test_arguments(agree):
    """alpha multiplies the mean of the squares, k is added to it, beta is the power; they are used as they are given.

    zh: alpha 乘以平方的均值，k 加在上面，beta 是幂次；三者给多少就用多少。
    """
    x = channels(2, 6, 4)
    for alpha, beta, k in ((0.4, 0.5, 1.0), (3.0, 1.5, 2.0), (1.0, 0.25, 0.1), (0.0, 0.75, 2.5), (2.0, 0.0, 1.0), (1.0, 2.0, 5.0)):
        agree(lrn(x, 3, alpha, beta, k))
    agree(lrn(x, 3, 1.5, -0.5, 0.6))
    agree(lrn(channels(2, 6, 4) * 0.01, size=4, alpha=50.0, beta=0.75, k=0.01))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint("The defaults are alpha=1e-4, beta=0.75, k=1.0.", zh="默认值是 alpha=1e-4，beta=0.75，k=1.0。")
def test_defaults(agree):
    """Without further arguments alpha is 1e-4, beta 0.75 and k 1; numbers around 100 show it.

    zh: 不给其他参数时，alpha 为 1e-4，beta 为 0.75，k 为 1；大小约为 100 的数能显出来。
    """
    agree(lrn(channels(2, 7, 3) * 100, 5))
    agree(lrn(channels(3, 6, 2, 4) * 60, size=3))
    agree(lrn(channels(2, 7, 3) * 5000, 2))
    agree(lrn(channels(2, 7, 3) * 0.01, 3))


@pytest.mark.kind("gradient")
@pytest.mark.points(2)
@pytest.mark.hint(
    "The denominator depends on x: let autograd differentiate through it, without detach, item or no_grad.",
    zh="分母依赖于 x：让 autograd 对它求导，不要用 detach、item 或 no_grad。",
)
def test_gradient(agree):
    """The gradient of every number comes from all windows that hold it, of odd and of even size.

    zh: 每个数的梯度来自包含它的所有窗口，无论窗口大小是奇数还是偶数。
    """
    for size in (3, 4, 9):
        x = channels(2, 5, 3)
        x[0, 2] = 0
        agree(lrn(x, size, 2.0, 0.9, 0.7))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`if x.dim() < 3: raise ValueError(…)`; every input with three dimensions or more is legal.",
    zh="`if x.dim() < 3: raise ValueError(…)`；三维或更多维的输入都合法。",
)
def test_dimensions(agree, refuses):
    """An input with fewer than three dimensions is a ValueError; any number of dimensions behind the channels is legal.

    zh: 少于三维的输入抛出 ValueError；通道之后有任意多维都合法。
    """
    for shape in ((4, 6), (5,)):
        refuses(ValueError, lrn(randn(*shape), 3), legal=[lrn(randn(4, 6, 1), 3)])
    for shape in ((2, 5, 3, 4), (2, 5, 1, 3, 2), (2, 4, 1, 3, 1, 2), (1, 5, 3)):
        agree(lrn(channels(*shape), 3, 1.0))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Sum the numbers of each window by themselves. A running sum of all channels brings in those outside it.",
    zh="每个窗口只对自己的数求和。对全部通道的前缀和会把窗口之外的数带进来。",
)
def test_only_the_window(agree):
    """A huge number has no effect on channels whose windows do not hold it, and a position of NaN alone has none on other positions.

    zh: 极大的数对窗口不含它的通道没有任何影响；整个位置都是 NaN 时，对其他位置没有任何影响。
    """
    for size in (3, 4):
        x = channels(2, 9, 3)
        x[:, 2] *= 1e5
        agree(lrn(x, size, 1.0))
        x = channels(2, 9, 3)
        x[1, :, 1] = np.nan
        agree(function("local_response_norm", size, 1.0), evaluate(x))


@pytest.mark.kind("edge")
@pytest.mark.points(0)
@pytest.mark.courtesy
@pytest.mark.hint(
    "Sum the numbers of each window by themselves: 0 times a NaN or an infinity is NaN, so a product with a matrix spoils all channels.",
    zh="每个窗口只对自己的数求和：0 乘以 NaN 或无穷大是 NaN，所以与矩阵相乘会破坏所有通道。",
)
def test_not_finite(agree):
    """A NaN or an infinity has no effect on channels whose windows do not hold it.

    zh: NaN 或无穷大对窗口不含它的通道没有任何影响。
    """
    for size in (3, 4):
        steps = []
        for spoilt in (np.nan, np.inf, -np.inf):
            x = channels(2, 9, 3)
            x[1, 4, 1] = spoilt
            steps.append(evaluate(x))
        agree(function("local_response_norm", size, 1.0), *steps)  # without gradients: sqrt(y)·sqrt(sqrt(y)) has none at infinity


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Widen x with x.to(torch.promote_types(x.dtype, torch.float32)) before it is squared, and return the result in x.dtype.",
    zh="平方之前先用 x.to(torch.promote_types(x.dtype, torch.float32)) 提升 x 的精度，结果以 x.dtype 返回。",
)
def test_half_precision(agree):
    """Half-precision input is squared and summed in float32, and comes back in its own dtype.

    zh: 半精度的输入在 float32 中平方和求和，返回时仍是自己的 dtype。
    """
    for dtype in ("float16", "bfloat16"):
        steps = [evaluate(channels(2, 9, 4) * scale, dtype=dtype, witness=True) for scale in (1, 3000, 0.003)]
        agree(function("local_response_norm", 5, alpha=1.0), *steps)
        agree(function("local_response_norm", 4), *steps)
        agree(function("local_response_norm", 4, 1e-12, 0.3, 1e-12), steps[0])  # both are 0 in float16
