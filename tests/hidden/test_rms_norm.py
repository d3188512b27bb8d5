"""Hidden suite of `rms_norm`.

No two sizes in a shape agree. Rows differ in mean and scale, so that centring and a statistic over the wrong numbers show. Most layers have
a large eps: its place then matters at every input.
"""

import pytest

from normgrade.suite import build, evaluate, probe, randn, reload, train, uniform, use

EPS = 0.1


def rows(*shape):
    """Random rows, each with a mean and a scale of its own."""
    ones_last = (*shape[:-1], 1)
    return randn(*shape) * uniform(0.3, 2.0, *ones_last) + uniform(-1.5, 1.5, *ones_last)


def typical():
    """The layer as it is used: RMS norm has no switches, but sizes."""
    return [
        use(build(6, eps=EPS), rows(5, 6), rows(2, 3, 6), [-1]),
        use(build(9, eps=1e-3), rows(4, 9), rows(2, 1, 5, 9), [-1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The constructor takes dim and eps, in this order, and eps has a default.", zh="构造函数依次接受 dim 和 eps 两个参数，eps 有默认值。"
)
def test_build(observe):
    """The layer can be built, with its arguments by position and by name, and is an nn.Module.

    zh: 这个层可以构造出来，参数按位置或按名字传都行，并且是 nn.Module。
    """
    observe(build(3))
    observe(build(3, 1e-3))
    observe(build(dim=3, eps=1e-3))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Square x, average over the last dimension alone with keepdim=True, add eps, take the root; divide x by that.",
    zh="先把 x 平方，只沿最后一维取平均并设 keepdim=True，加上 eps，开根号；再用 x 除以它。",
)
@pytest.mark.parametrize("shape", [(4, 7), (6, 5, 8), (2, 3, 5, 6)])
def test_last_dimension(agree, shape):
    """Every position is divided by its own root mean square over the last dimension, then scaled element by element.

    zh: 每个位置除以自己在最后一维上的均方根，再逐元素缩放。
    """
    agree(build(shape[-1], eps=EPS), train(rows(*shape)))


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
    agree(build(9, eps=EPS), train(randn(4, 9) * 0.3 + 2), evaluate(randn(5, 2, 9) * 0.3 - 2))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is x / sqrt(mean(x²) + eps): eps stands inside the root, beside the mean, and its default is 1e-6.",
    zh="公式是 x / sqrt(mean(x²) + eps)：eps 在根号之内，与均值相加，默认值为 1e-6。",
)
@pytest.mark.parametrize("arguments", [{}, {"eps": 1e-3}])
def test_eps(agree, arguments):
    """Where the mean square is as small as eps, eps decides: it is added to the mean square, inside the root; its default is 1e-6.

    zh: 均方小到与 eps 相当时，结果由 eps 决定：它在根号之内加到均方上；默认值为 1e-6。
    """
    scale = arguments.get("eps", 1e-6) ** 0.5
    agree(build(8, **arguments), train(rows(6, 5, 8) * scale), evaluate(rows(6, 5, 8) * scale))


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


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Only an nn.Parameter travels through state_dict; nothing about the layer may change while it is used.",
    zh="只有 nn.Parameter 会进入 state_dict；使用过程中，层的任何东西都不应改变。",
)
def test_same_in_evaluation(agree):
    """Evaluation computes what training computes, nothing is remembered between calls, and a reloaded state dict restores the layer.

    zh: 评估与训练的计算相同，两次调用之间什么也不记，重新加载状态字典就能恢复这个层。
    """
    agree(build(7, EPS), train(rows(4, 7) * 2), evaluate(rows(4, 7)), train(rows(4, 7)), reload(), evaluate(rows(1, 7)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The root mean square depends on x too: let autograd differentiate through it, without detach, item or no_grad.",
    zh="均方根也依赖于 x：让 autograd 对它求导，不要用 detach、item 或 no_grad。",
)
@pytest.mark.parametrize("shape", [(5, 3), (4, 2, 9)])
def test_gradients(agree, shape):
    """The gradient flows through the root mean square as well, and reaches input and weight.

    zh: 梯度也流过均方根，并到达输入和权重。
    """
    agree(build(shape[-1], eps=EPS), train(rows(*shape)), evaluate(rows(*shape)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "A row of zeros has mean square 0: eps inside the root keeps the division, and the slope of the root, finite.",
    zh="全零行的均方为 0：根号之内的 eps 使除法的结果和平方根的斜率都保持有限。",
)
def test_zero_rows(agree):
    """A row of zeros stays a row of zeros, with a finite gradient, whatever the other rows are.

    zh: 无论其他行如何，全零行的输出仍是全零行，且梯度有限。
    """
    for layer in (build(6, eps=EPS), build(6)):
        x = rows(5, 6)
        x[1] = x[4] = 0
        agree(layer, train(x), evaluate(x[1:3]))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Count the dimension from the end, dim=-1: then it does not matter how many come before it, if any.",
    zh="从末尾数维，dim=-1：这样前面有几维、甚至有没有，都无所谓。",
)
def test_one_position(agree):
    """An input of one position, without a batch, is as good as any.

    zh: 只有一个位置、没有批维的输入同样可用。
    """
    agree(build(6, eps=EPS), train(rows(6)), evaluate(rows(6)))


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
    agree(build(1, eps=EPS), train(randn(4, 1)), evaluate(randn(3, 2, 1)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`view` needs its numbers side by side in memory; `reshape`, or no reshaping at all, does not. Write into no input.",
    zh="`view` 要求数据在内存中紧挨着；`reshape` 不要求，不变形就更不要求。不要写入任何输入。",
)
def test_any_memory_layout(agree):
    """Inputs that are not contiguous in memory are as good as any, and none is changed.

    zh: 内存中不连续的输入同样可用，并且不会被改动。
    """
    agree(build(4, eps=EPS), train(rows(2, 5, 3, 4), scattered=True), evaluate(rows(5, 3, 4), scattered=True))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Each row has a statistic of its own, computed in float32 from its own numbers: nothing is shared with larger rows.",
    zh="每一行用自己的数在 float32 中计算自己的统计量：不与数值更大的行共用任何东西。",
)
def test_magnitudes(agree):
    """Rows from tiny to huge, side by side, each keep their digits.

    zh: 从极小到极大的行并排在一起，每一行都保持自己的有效数字。
    """
    agree(build(8), train(randn(6, 8) * 10 ** uniform(-8, 8, 6, 1)), evaluate(randn(5, 3, 8) * 1e9))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Square and average in float32, whatever comes in, and cast the result back: a float32 weight must not widen it again.",
    zh="无论输入是什么类型，都在 float32 中求平方、取平均，再把结果转换回来：不要让 float32 的权重又把它变宽。",
)
@pytest.mark.parametrize("case", ["float16 large", "float16 small", "bfloat16"])
def test_half_precision(agree, case):
    """Half-precision input is divided by a root mean square in float32 and comes back in its own dtype, whatever the weight's.

    zh: 半精度的输入除以在 float32 中算出的均方根，返回时仍是自己的 dtype，无论权重是什么 dtype。
    """
    dtype, _, size = case.partition(" ")
    scale, eps = {"large": (300.0, 1e-6), "small": (1e-4, 1e-8), "": (1.0, 1e-6)}[size]
    x = randn(5, 64) * scale
    agree(build(64, eps=eps).to(dtype), train(x, dtype), evaluate(x, dtype))
    agree(build(64, eps=eps), train(x, dtype))
