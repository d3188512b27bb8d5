"""Hidden suite of `group_norm`.

Samples, channels, groups, channels per group and positions are of different number, and the channels of every sample differ in mean and
scale, so that statistics over the wrong numbers show. Where eps is not the point, the inputs are so large that it cannot matter.
"""

from itertools import product

import pytest

from normgrade.suite import build, evaluate, ones, randn, train, uniform, use, words


def batch(*shape):
    """A random batch: every channel of every sample has a mean and a scale of its own."""
    per_channel = (*shape[:2], *[1] * (len(shape) - 2))
    return randn(*shape) * uniform(0.4, 2.0, *per_channel) + uniform(-1.5, 1.5, *per_channel)


def large(*shape):
    """A random batch beside whose variances the usual eps is nothing."""
    return batch(*shape) * 1000


def typical():
    """The layer as it is used: with groups of several channels, of all and of one; with weight and bias, and without."""
    return [
        use(build(3, 12, eps=0.1), batch(2, 12, 5), batch(3, 12), [1]),
        use(build(2, 4, eps=1e-3), batch(4, 4, 4, 4), batch(2, 4, 1, 2, 1, 3), [1]),
        use(build(2, 6, eps=1e-3, affine=False), batch(6, 6, 5), batch(6, 6), [1]),
        use(build(1, 4, eps=1e-3), batch(2, 4, 3, 1, 2), batch(3, 4), [1]),
        use(build(4, 4, eps=1e-3, affine=False), batch(3, 4, 2, 5), batch(2, 4, 2, 3, 2), [1]),
    ]


def real():
    """Thirty-three groups of eight channels."""
    return [
        use(build(33, 264), batch(2, 264, 2, 3), batch(3, 264), [1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `GroupNorm(2, 6)` and call it on a tensor of shape (3, 6, 4): a tensor of that shape must come back.",
    zh="用 `GroupNorm(2, 6)` 构造，对形状为 (3, 6, 4) 的张量调用：应当返回同样形状的张量。",
)
def test_call(observe):
    """The layer can be built and called, and returns a tensor of its input's shape and dtype.

    zh: 层可以构造和调用，返回的张量与输入的形状和 dtype 相同。
    """
    for step, shape in ((train, (3, 6, 4)), (evaluate, (2, 6))):
        output = observe(build(2, 6), step(randn(*shape), backward=False))["step 1 · output"]
        assert output.dtype == "float32", words(
            f"the output should be float32, as the input is, but is {output.dtype}",
            zh=f"输出应当与输入一样是 float32，实际是 {output.dtype}",
        )
        assert output.values.shape == shape, words(
            f"the output should have the input's shape {shape}, but has {output.values.shape}",
            zh=f"输出的形状应当与输入相同，是 {shape}，实际是 {output.values.shape}",
        )


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint(
    "C/G neighbouring channels at all positions share one mean and one biased variance, in every sample; weight and bias are per channel.",
    zh="在每个样本中，C/G 个相邻通道在所有位置上的数共用一个均值和一个有偏方差；weight 和 bias 则是每个通道一个。",
)
def test_groups(agree):
    """Every sample is normalised group by group, over neighbouring channels and all positions, then scaled and shifted per channel.

    zh: 每个样本逐组归一化，一组是相邻的通道及其所有位置，然后逐通道缩放和平移。
    """
    for groups, shape in [(3, (2, 12, 7)), (4, (3, 8, 5)), (3, (2, 12, 5, 7)), (2, (2, 80, 30)), (64, (2, 128, 3))]:
        agree(build(groups, shape[1]), train(large(*shape)), train(large(*shape)))
    outlier = large(2, 12, 20)
    outlier[1, 7, 3] = 1e6
    agree(build(3, 12), train(outlier))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Whatever comes after the channels is positions: flatten it, reshape(N, G, -1), or count the dimensions of x.",
    zh="通道之后的都是位置：把它们展平，reshape(N, G, -1)，或者数一数 x 有几维。",
)
def test_any_number_of_dimensions(agree):
    """The input may have no positions at all, or positions in three dimensions.

    zh: 输入可以完全没有位置维，位置也可以有三维。
    """
    for groups, shape in [(3, (5, 12)), (4, (3, 8, 6, 1, 5)), (2, (2, 4, 3, 2, 5))]:
        agree(build(groups, shape[1]), train(large(*shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "One group holds all channels of a sample; as many groups as channels means one channel each. Weights stay per channel.",
    zh="只有一组时，它包含一个样本的所有通道；组数等于通道数时，每组一个通道。权重始终是每个通道一个。",
)
def test_fewest_and_most_groups(agree):
    """A single group takes all channels together, and with as many groups as channels each is on its own.

    zh: 只有一组时，所有通道合在一起；组数与通道数相同时，每个通道自成一组。
    """
    for groups, channels in ((1, 6), (6, 6), (1, 1)):
        agree(build(groups, channels), train(large(1, channels, 5)), evaluate(large(3, channels, 4, 5)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is (x − μ) / sqrt(σ² + eps): eps stands inside the root, and its default is 1e-5.",
    zh="公式是 (x − μ) / sqrt(σ² + eps)：eps 在根号里面，默认值是 1e-5。",
)
def test_eps(agree):
    """Where the variance is as small as eps, or 0, eps decides: it is added to the variance, inside the root; its default is 1e-5.

    zh: 方差小到与 eps 相当，或为 0 时，eps 起决定作用：它在根号里面加到方差上；默认值是 1e-5。
    """
    for eps, layer in ((1e-5, build(3, 12)), (1e-3, build(1, 12, eps=1e-3)), (1e-3, build(12, 12, eps=1e-3))):
        agree(layer, train(batch(2, 12, 5) * eps**0.5), evaluate(batch(2, 12, 5) * eps**0.5))
    constant = (uniform(0.5, 2.0, 4, 3, 1) * ones(10)).reshape(4, 6, 5)
    agree(build(3, 6, eps=0.1), train(constant), evaluate(uniform(-2.0, -0.5, 4, 1) * ones(1, 6)))
    agree(build(6, 6, eps=0.1), train(batch(4, 6)), evaluate(batch(4, 6, 1, 1)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "affine=False means neither weight nor bias; everything else stays.", zh="affine=False 表示既没有 weight 也没有 bias；其余一切不变。"
)
def test_not_affine(agree):
    """With affine=False the rest of the formula stays as it is.

    zh: affine=False 时，公式的其余部分不变。
    """
    for groups in (3, 1, 12):
        agree(build(groups, 12, affine=False), train(large(2, 12, 5)), evaluate(large(2, 12, 5, 7)))


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
    agree(build(2, 6), train(large(5, 6)), evaluate(large(4, 6, 5)))
    agree(build(2, 6).filled(weight=[0.0, 1.5, -1.0, 0.0, 0.5, 2.0]), train(large(5, 6)))


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
    refuses(ValueError, build(5, 12, affine=False), legal=build(3, 12, affine=False))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is right, but numerically unstable: E[x²] − E[x]² cancels when the mean is large. Subtract the mean first, then square.",
    zh="公式没错，只是数值不稳定：均值很大时，E[x²] − E[x]² 相减会丢失有效数字。先减去均值，再平方。",
)
def test_large_offset(agree):
    """The result stays accurate where the mean is much larger than the standard deviation.

    zh: 均值远大于标准差时，结果依然准确。
    """
    for layer in (build(3, 12), build(3, 12, affine=False), build(1, 12), build(12, 12)):
        agree(layer, train((randn(2, 12, 5, 4) + 1000) * 1000), evaluate((randn(2, 12, 7) - 1000) * 1000))
        agree(layer, train((randn(2, 12, 5, 4) + 10000) * 1000), evaluate((randn(2, 12, 5) + 10000) * 1000, gradients="no_grad"))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Compute mean and variance in float32, whatever comes in; cast the result back to the input's dtype.",
    zh="不论输入是什么类型，都在 float32 中计算均值和方差；最后把结果转换回输入的 dtype。",
)
def test_half_precision(agree):
    """Half-precision input is normalised with float32 statistics, and comes back in its own dtype.

    zh: 半精度输入用 float32 的统计量归一化，输出仍是输入自己的 dtype。
    """
    shape = 2, 12, 5, 4
    for (dtype, offset), groups in product((("float16", 1000), ("bfloat16", 10)), (3, 1, 12)):
        layer = build(groups, 12, eps=1e-12).to(dtype)
        agree(
            layer,
            train(randn(*shape) * 300, dtype=dtype),
            evaluate(randn(*shape) * 1e-3, dtype=dtype),
            train(randn(*shape) + offset, dtype=dtype),
        )
