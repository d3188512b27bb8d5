"""Hidden suite of `filter_response_norm`.

No two sizes in a shape agree, but for one shape whose sizes are all the same. Every feature map has a mean and a scale of its own. Where
the threshold is not the point it lies so low that nothing is cut off, for what is cut off hides mistakes. Where eps is not the point, the
inputs are so large that it cannot matter.
"""

import pytest
from shared import powers

from normgrade.suite import build, evaluate, randn, train, uniform, use, words

SHAPES = [(4, 6, 3, 5), (2, 70, 4, 3), (3, 3, 3, 3)]
LOW = -20.0  # a threshold below everything


def maps(samples, channels, height, width):
    """Random images, each feature map of which has a mean and a scale of its own."""
    per_map = (samples, channels, 1, 1)
    return randn(samples, channels, height, width) * uniform(0.4, 2.0, *per_map) + uniform(-1.5, 1.5, *per_map)


def large(*shape):
    """Random images beside whose mean squares the usual eps is nothing."""
    return maps(*shape) * 1000


def typical():
    """The layer as it is used, for several channels and for one; and the ranks that it refuses.

    Some of each channel is cut off and some is kept: of a gradient that is 0, half precision leaves right code nothing but rounding.
    """
    uses = (
        (cut(build(3, 0.1), [0.5, -0.6, 0.9], [0.4, -0.5, 0.7]), (4, 3, 2, 5), (2, 3, 4, 3)),
        (cut(build(4, 1e-3), [-0.8, 0.6, 1.1, -0.5], [-0.7, 0.8, 1.0, -0.6]), (2, 4, 3, 5), (5, 4, 2, 3)),
        (cut(build(1, 1e-3), [0.7], [0.5]), (3, 1, 4, 2), (2, 1, 3, 5)),
    )
    return [
        use(built, balanced(*shape), balanced(*other), [1], [randn(4, shape[1], *rest) for rest in ((), (2,), (4, 5, 2))])
        for built, shape, other in uses
    ]


def real():
    """Two hundred and sixty channels."""
    return [
        use(build(264, 1e-3).filled(bias=0.4, threshold=0.3), balanced(2, 264, 3, 3), balanced(1, 264, 3, 2), [1]),
    ]


def cut(layer, bias, threshold):
    """The layer with a threshold that lies near the bias of its channel."""
    return layer.filled(bias=bias, threshold=threshold)


def balanced(*shape):
    """Random images, each feature map of which has a scale of its own, and numbers of either sign."""
    per_map = (*shape[:2], 1, 1)
    return (randn(*shape) + uniform(-0.5, 0.5, *per_map)) * uniform(0.4, 2.0, *per_map)


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `FilterResponseNorm(3)` and call it on a tensor of shape (4, 3, 2, 5): a tensor of that shape must come back.",
    zh="用 `FilterResponseNorm(3)` 构造，对形状为 (4, 3, 2, 5) 的张量调用：应当返回同样形状的张量。",
)
def test_call(observe):
    """The layer can be built and called, and returns a tensor of its input's shape and dtype.

    zh: 层可以构造和调用，返回的张量与输入的形状和 dtype 相同。
    """
    for step, shape in ((train, (4, 3, 2, 5)), (evaluate, (2, 3, 4, 3))):
        output = observe(build(3), step(randn(*shape), backward=False))["step 1 · output"]
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
    "Square x, average over H and W alone with keepdim=True, add eps, take the root; divide x by that; then weight and bias.",
    zh="把 x 平方，只沿 H 和 W 取平均并设 keepdim=True，加上 eps，开根号；用 x 除以它；再乘 weight、加 bias。",
)
def test_feature_maps(agree):
    """Every feature map is divided by its own root mean square, then scaled and shifted by the numbers of its channel.

    zh: 每个特征图除以自己的均方根，再用所在通道的数缩放和平移。
    """
    for shape in SHAPES:
        agree(build(shape[1]).filled(threshold=LOW), train(large(*shape)), evaluate(large(*shape)))
    outlier = large(1, 2, 40, 33)
    outlier[0, 1, 37, 29] = 1e6
    agree(build(2).filled(threshold=LOW), train(outlier))


@pytest.mark.kind("formula")
@pytest.mark.points(2)
@pytest.mark.hint(
    "After weight and bias, take the larger one of y and threshold: torch.maximum(y, threshold), with one threshold per channel.",
    zh="乘 weight、加 bias 之后，取 y 与 threshold 中较大的一个：torch.maximum(y, threshold)，每个通道一个阈值。",
)
def test_threshold(agree):
    """The output is the larger one of y and the threshold of its channel, be that positive, negative or 0.

    zh: 输出是 y 与所在通道的阈值中较大的一个，阈值可正、可负、可为 0。
    """
    layer = build(4).filled(threshold=[0.4, -0.6, 0.0, 1.1], bias=[0.3, -0.4, 0.5, 0.8])
    agree(layer, train(large(5, 4, 3, 2)), evaluate(large(4, 4, 4, 4)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Subtract nothing: the mean of x stays in x, and in the mean of the squares. With the variance it would be instance norm.",
    zh="什么也不要减：x 的均值留在 x 中，也留在平方的均值中。若用方差，就成了实例归一化。",
)
def test_mean_stays(agree):
    """A feature map whose mean is far from 0 keeps it: nothing is subtracted, neither above the fraction line nor below.

    zh: 均值远离 0 的特征图会保留它的均值：分子和分母中都什么也不减。
    """
    layer = build(3).filled(threshold=LOW)
    agree(layer, train(randn(4, 3, 2, 5) * 300 + 2000), evaluate(randn(2, 3, 4, 3) * 300 - 2000))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is x / sqrt(mean(x²) + eps): eps stands inside the root, added to the mean, and its default is 1e-6.",
    zh="公式是 x / sqrt(mean(x²) + eps)：eps 在根号之内，与均值相加，默认值为 1e-6。",
)
def test_eps(agree):
    """Where the mean square is as small as eps, or 0, eps decides: it is added to the mean square, inside the root; its default is 1e-6.

    zh: 均方小到与 eps 相当，或为 0 时，结果由 eps 决定：它在根号之内加到均方上；默认值为 1e-6。
    """
    for eps, layer in ((1e-6, build(3)), (1e-3, build(3, eps=1e-3))):
        agree(layer.filled(threshold=LOW), train(maps(4, 3, 2, 5) * eps**0.5), evaluate(maps(2, 3, 4, 3) * eps**0.5))
    x = maps(4, 3, 2, 5)
    x[1, 2] = x[3] = 0
    agree(build(3, 0.1).filled(threshold=LOW), train(x), evaluate(x[1:3]))
    agree(build(3), train(x), evaluate(x[1:3]))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "weight, bias and threshold are nn.Parameters of shape (num_features,) that start at 1, 0 and 0; there is nothing else.",
    zh="weight、bias 和 threshold 是形状为 (num_features,) 的 nn.Parameter，初值依次为 1、0、0；此外什么也没有。",
)
def test_new_layer(agree):
    """A new layer's state dict has weight, bias and threshold: parameters of shape (C,) that start at 1, 0 and 0.

    zh: 新建的层的状态字典中有 weight、bias 和 threshold：形状为 (C,) 的参数，初值依次为 1、0、0。
    """
    agree(build(70))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Differentiate through the root mean square. Where y is cut off, the gradient is threshold's; elsewhere that of x, weight and bias.",
    zh="要对均方根求导。y 被截断的地方，梯度属于 threshold；其他地方属于 x、weight 和 bias。",
)
def test_gradients(agree):
    """The gradient flows through the root mean square as well, and reaches x, weight and bias, or the threshold.

    zh: 梯度也流过均方根，并到达 x、weight 和 bias，或者到达阈值。
    """
    agree(build(3), train(large(4, 3, 2, 5)), evaluate(large(2, 3, 4, 3)))
    agree(build(3).filled(weight=[0.0, 1.5, -1.0], threshold=[-2.0, 0.2, 0.1]), train(large(4, 3, 2, 5)))
    agree(build(3).filled(threshold=[100.0, LOW, 0.2]), train(large(4, 3, 2, 5)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The mean of a single square is that square: with one position x̂ is x / sqrt(x² + eps), not an error.",
    zh="单个平方的均值就是它自己：只有一个位置时，x̂ 为 x / sqrt(x² + eps)，而不是报错。",
)
def test_one_position(agree):
    """A feature map of one position is divided by its own magnitude, up to eps; so is one of a single row or column by its own.

    zh: 只有一个位置的特征图除以它自己的绝对值，只差 eps 的影响；只有一行或一列时同理。
    """
    layer = build(3, 0.1)
    agree(layer, train(maps(4, 3, 1, 1)), evaluate(maps(1, 3, 1, 1)), train(maps(2, 3, 1, 5)), evaluate(maps(2, 3, 4, 1)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.courtesy
@pytest.mark.hint(
    "Raise a ValueError for any number of dimensions but 4, in both modes.", zh="维数不是 4 时，两种模式下都抛出 ValueError。"
)
def test_refusals(refuses):
    """An input that does not have 4 dimensions is a ValueError, in training and in evaluation.

    zh: 输入不是 4 维时，训练和评估都抛出 ValueError。
    """
    for shape in [(3,), (4, 3), (4, 3, 5), (4, 3, 2, 5, 2), (4, 3, 2, 5, 1, 2)]:
        refuses(ValueError, build(3), train(randn(*shape)), legal=train(maps(4, 3, 2, 5)))
    refuses(ValueError, build(3), evaluate(randn(3, 2, 5)), legal=evaluate(maps(1, 3, 2, 5)))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Square and average in float32, whatever comes in, each map by itself, and cast the result back to the input's dtype.",
    zh="无论输入是什么类型，每个特征图都单独在 float32 中求平方、取平均，再把结果转回输入的 dtype。",
)
def test_magnitudes(agree):
    """Very small and very large feature maps are all normalised accurately, in float32 and, with float32 statistics, in half precision.

    zh: 数值极小和极大的特征图都准确地归一化：float32 如此；半精度也如此，统计量用 float32。
    """
    layer = build(3, 1e-30).filled(threshold=LOW)
    extreme = [evaluate(randn(2, 3, 4, 3) * scale, backward=False) for scale in (1e17, 1e-12)]
    agree(layer, train(randn(4, 3, 2, 5) * powers(10, -9, 9, 4, 3, 1, 1)), *extreme)
    for dtype in ("float16", "bfloat16"):
        half = build(3, 1e-12).filled(threshold=-10.0).to(dtype)
        agree(half, train(randn(4, 3, 5, 6) * 300, dtype=dtype), evaluate(randn(4, 3, 5, 6) * 1e-4, dtype=dtype))
