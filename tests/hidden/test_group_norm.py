"""Hidden suite of `group_norm`.

Samples, channels, groups, channels per group and positions are of different number, and the channels of every sample differ in mean and
scale, so that statistics over the wrong numbers show. Most layers have a large eps: its place then matters at every input.
"""

import pytest

from normgrade.suite import build, evaluate, ones, randn, reload, train, uniform, use

EPS = 0.1


def batch(*shape):
    """A random batch: every channel of every sample has a mean and a scale of its own."""
    per_channel = (*shape[:2], *[1] * (len(shape) - 2))
    return randn(*shape) * uniform(0.4, 2.0, *per_channel) + uniform(-1.5, 1.5, *per_channel)


def typical():
    """The layer as it is used: with groups of several channels, and of one; with weight and bias, and without."""
    return [
        use(build(3, 12, eps=EPS), batch(2, 12, 5), batch(3, 12), [1]),
        use(build(2, 4, eps=EPS), batch(3, 4, 2, 5), batch(2, 4, 3), [1]),
        use(build(3, 12, eps=EPS, affine=False), batch(2, 12, 5), batch(3, 12), [1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The constructor takes num_groups, num_channels, eps and affine, in this order; the last two have defaults.",
    zh="构造函数依次接受 num_groups、num_channels、eps 和 affine；后两个有默认值。",
)
def test_build(observe):
    """The layer can be built, with its arguments by name and by position, and is an nn.Module.

    zh: 这个层能够构造，参数既可按名称也可按位置给出，并且它是 nn.Module。
    """
    observe(build(num_groups=3, num_channels=12))
    observe(build(num_channels=12, num_groups=3, affine=False, eps=1e-3))
    observe(build(3, 12, 1e-3, False))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "C/G neighbouring channels at all positions share one mean and one biased variance, in every sample; weight and bias are per channel.",
    zh="在每个样本中，C/G 个相邻通道在所有位置上的数共用一个均值和一个有偏方差；weight 和 bias 则是每个通道一个。",
)
@pytest.mark.parametrize(("groups", "shape"), [(3, (5, 12)), (4, (2, 12, 7)), (3, (2, 12, 5, 7)), (4, (3, 8, 6, 1, 5))])
def test_groups(agree, groups, shape):
    """Every sample is normalised group by group, over neighbouring channels and all positions, then scaled and shifted per channel.

    zh: 每个样本逐组归一化，一组是相邻的通道及其所有位置，然后逐通道缩放和平移。
    """
    agree(build(groups, shape[1], eps=EPS), train(batch(*shape)), train(batch(*shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "One group holds all channels of a sample; as many groups as channels means one channel each. Weights stay per channel.",
    zh="只有一组时，它包含一个样本的所有通道；组数等于通道数时，每组一个通道。权重始终是每个通道一个。",
)
@pytest.mark.parametrize("groups", [1, 6])
def test_fewest_and_most_groups(agree, groups):
    """A single group takes all channels together, and with as many groups as channels each is on its own.

    zh: 只有一组时，所有通道合在一起；组数与通道数相同时，每个通道自成一组。
    """
    agree(build(groups, 6, eps=EPS), train(batch(1, 6, 5)), train(batch(3, 6, 4, 5)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is (x − μ) / sqrt(σ² + eps): eps stands inside the root, and its default is 1e-5.",
    zh="公式是 (x − μ) / sqrt(σ² + eps)：eps 在根号里面，默认值是 1e-5。",
)
@pytest.mark.parametrize("arguments", [{}, {"eps": 1e-3}])
def test_eps(agree, arguments):
    """Where the variance is as small as eps, eps decides: it is added to the variance, inside the root; its default is 1e-5.

    zh: 方差小到与 eps 相当时，eps 起决定作用：它在根号里面加到方差上；默认值是 1e-5。
    """
    scale = arguments.get("eps", 1e-5) ** 0.5
    agree(build(3, 12, **arguments), train(batch(2, 12, 5) * scale), evaluate(batch(2, 12, 5) * scale))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "affine=False means neither weight nor bias; everything else stays.", zh="affine=False 表示既没有 weight 也没有 bias；其余一切不变。"
)
def test_not_affine(agree):
    """With affine=False the rest of the formula stays as it is.

    zh: affine=False 时，公式的其余部分不变。
    """
    agree(build(3, 12, eps=EPS, affine=False), train(batch(2, 12, 5)), evaluate(batch(2, 12, 5, 7)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`weight` and `bias` are nn.Parameters of shape (num_channels,), ones and zeros; affine=False registers None for both.",
    zh="`weight` 和 `bias` 是形状为 (num_channels,) 的 nn.Parameter，分别全为 1 和全为 0；affine=False 时两者都注册为 None。",
)
def test_new_layer(agree):
    """A new layer's state dict has PyTorch's keys, shapes and initial values, and none for what is switched off.

    zh: 新建的层的状态字典，键、形状和初始值都与 PyTorch 相同，被关掉的参数不在其中。
    """
    agree(build(3, 12))
    agree(build(4, 8, affine=False))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Only nn.Parameters travel through state_dict; nothing about the layer may change while it is used.",
    zh="只有 nn.Parameter 会随 state_dict 保存和恢复；层的任何东西都不能在使用中改变。",
)
def test_same_in_evaluation(agree):
    """Evaluation computes what training computes, nothing is remembered between calls, and a reloaded state dict restores the layer.

    zh: 评估时的计算与训练时相同，两次调用之间不记住任何东西，重新载入状态字典能恢复这个层。
    """
    x = batch(2, 12, 5)
    agree(build(3, 12, EPS), train(x + 2), evaluate(x), train(batch(4, 12)), reload(), evaluate(batch(1, 12, 5)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Mean and variance depend on x too: let autograd differentiate through both of them, without detach or no_grad.",
    zh="均值和方差也依赖 x：让 autograd 对两者都求导，不要用 detach 或 no_grad。",
)
def test_gradients(agree):
    """The gradients flow through mean and variance as well, and reach input, weight and bias.

    zh: 梯度也流经均值和方差，并到达输入、weight 和 bias。
    """
    agree(build(2, 6, eps=EPS), train(batch(5, 6)), evaluate(batch(4, 6, 5)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Raise a ValueError in __init__, before anything else is done, if num_groups does not divide num_channels.",
    zh="num_groups 不能整除 num_channels 时，在 __init__ 中先于其他一切操作抛出 ValueError。",
)
def test_uneven_groups(refuses):
    """Channels that cannot be split into groups of the same size are refused with a ValueError, at construction.

    zh: 通道不能等分成组时，在构造时就以 ValueError 拒绝。
    """
    refuses(ValueError, build(8, 6), legal=build(6, 6))
    refuses(ValueError, build(3, 10), legal=build(5, 10))
    refuses(ValueError, build(5, 12), legal=build(3, 12))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "A group of equal numbers has variance 0: eps inside the root keeps the division, and its gradient, finite.",
    zh="由相同的数组成的组方差为 0：根号里面的 eps 使除法及其梯度保持有限。",
)
def test_constant_groups(agree):
    """Groups of equal numbers become the bias, with finite gradients; so do groups of a single number.

    zh: 由相同的数组成的组，输出就是 bias，梯度有限；只有一个数的组也是如此。
    """
    constant = (uniform(0.5, 2.0, 4, 3, 1) * ones(10)).reshape(4, 6, 5)
    agree(build(3, 6, eps=EPS), train(constant), evaluate(uniform(-2.0, -0.5, 4, 1) * ones(1, 6)))
    agree(build(6, 6, eps=EPS), train(batch(4, 6)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`view` needs its numbers side by side in memory; `reshape`, `unflatten`, or no reshaping at all, does not.",
    zh="`view` 要求数在内存中连续存放；`reshape`、`unflatten` 或干脆不改变形状则没有这个要求。",
)
def test_any_memory_layout(agree):
    """Inputs that are not contiguous in memory are as good as any, and none is changed.

    zh: 内存中不连续的输入同样有效，而且任何输入都不会被改动。
    """
    agree(build(3, 12, eps=EPS), train(batch(2, 12, 5, 7), scattered=True), evaluate(batch(2, 12, 5), scattered=True))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Right formula, unstable arithmetic: E[x²] − E[x]² cancels when the mean is large. Subtract the mean first, then square.",
    zh="公式正确，但数值计算不稳定：均值很大时，E[x²] − E[x]² 会相消。先减去均值，再平方。",
)
def test_large_offset(agree):
    """A mean that is large beside the deviation leaves the result intact.

    zh: 均值远大于标准差时，结果依然准确。
    """
    agree(build(3, 12), train(randn(2, 12, 5, 4) + 1000), evaluate(randn(2, 12, 7) - 1000))
    agree(build(3, 12), train(randn(2, 12, 5, 4) + 10000))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Compute mean and variance in float32, whatever comes in; cast the result back to the input's dtype.",
    zh="不论输入是什么类型，都在 float32 中计算均值和方差；最后把结果转换回输入的 dtype。",
)
@pytest.mark.parametrize("case", ["float16 large", "float16 small", "bfloat16 offset"])
def test_half_precision(agree, case):
    """Half-precision input is normalised with float32 statistics, and comes back in its own dtype.

    zh: 半精度输入用 float32 的统计量归一化，输出仍是输入自己的 dtype。
    """
    dtype, _, size = case.partition(" ")
    x = randn(2, 12, 5, 4)
    x = {"large": x * 300, "small": x * 1e-3, "offset": x + 10}[size]
    agree(build(3, 12).to(dtype), train(x, dtype), evaluate(x, dtype))
    agree(build(3, 12), train(x, dtype))
