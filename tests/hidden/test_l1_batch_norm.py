"""Hidden suite of `l1_batch_norm`.

Mostly three channels, and never three values in one, but where the channels must not be found by their number. Channels differ in mean and
scale. Values lie well above the mean or below it, never near it, where |x − μ| has no slope. Where eps is not the point, the inputs are so
large that it cannot matter.
"""

import numpy as np
import pytest

from normgrade.suite import build, evaluate, ones, randn, train, uniform, use, words

SHAPES = [(4, 3), (5, 3, 2), (2, 3, 4, 5)]


def batch(*shape):
    """A random batch whose channels have each a mean and a scale of their own, and no value near that mean."""
    places = np.indices(shape)
    sign = np.where((places.sum(axis=0) - places[1]) % 3, -1.0, 1.0)  # a third of the values lies above the mean, the others below
    per_channel = (1, shape[1], *[1] * (len(shape) - 2))
    values = sign * uniform(0.9, 1.3, *shape) * uniform(0.4, 2.0, *per_channel) + uniform(-1.5, 1.5, *per_channel)
    return values.astype(np.float32)


def large(*shape):
    """A random batch beside whose deviations the usual eps is nothing."""
    return batch(*shape) * 1000


def typical():
    """The layer as it is used, for images, for vectors and for one channel; and the ranks that it refuses."""
    uses = (
        (build(3, 0.1, 0.3), (2, 3, 4, 3), (5, 3)),
        (build(5, 1e-3, 0.65), (4, 5, 7), (6, 5)),
        (build(1, 1e-3), (4, 1, 5, 2, 3), (2, 1, 5, 4)),
    )
    return [use(built, batch(*shape), batch(*other), [1], [randn(shape[1]), randn()]) for built, shape, other in uses]


def real():
    """Two hundred and sixty channels."""
    return [
        use(build(264, 1e-3), batch(2, 264, 2, 3), batch(5, 264), [1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `L1BatchNorm(3)` and call it on a tensor of shape (4, 3): a tensor of that shape must come back.",
    zh="用 `L1BatchNorm(3)` 构造，对形状为 (4, 3) 的张量调用：应当返回同样形状的张量。",
)
def test_call(observe):
    """The layer can be built and called, and returns a tensor of its input's shape and dtype.

    zh: 层可以构造和调用，返回的张量与输入的形状和 dtype 相同。
    """
    for step, shape in ((train, (4, 3)), (evaluate, (2, 3, 4, 5))):
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
    "One mean per channel, over every other dimension together; then the mean of |x − mean| over the same dimensions.",
    zh="每个通道一个均值，在其余所有维上合起来计算；再在同样的维上求 |x − mean| 的均值。",
)
def test_training(agree):
    """In training every channel is normalised by the mean and the mean absolute deviation of the batch, then scaled and shifted.

    zh: 训练时，每个通道用批的均值和平均绝对偏差归一化，再缩放和平移。
    """
    for shape in [*SHAPES, (3, 3), (3, 3, 3, 3), (2, 3, 2, 5, 4), (2, 3, 4, 1, 2, 5)]:
        agree(build(3, momentum=0.0), train(large(*shape)), train(large(*shape)))
    agree(build(70, momentum=0.0), train(large(4, 70, 2)))
    agree(build(2, momentum=0.0), train(large(2, 2, 9, 35)))
    outlier = large(20, 3, 10)
    outlier[7, 1, 2] = 1e5
    agree(build(3, momentum=0.0), train(outlier))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "In evaluation running_mean and running_dev take the place of the batch's statistics, in the same formula, and nothing is updated.",
    zh="评估时，在同一个公式里用 running_mean 和 running_dev 代替批统计量，什么都不更新。",
)
def test_evaluation(agree):
    """In evaluation the running statistics are used, and they stay as they are.

    zh: 评估时使用滑动统计量，滑动统计量保持不变。
    """
    trained = build(3).filled(running_mean=uniform(-900, 900, 3), running_dev=uniform(500, 2000, 3))
    agree(trained, evaluate(large(4, 3)), evaluate(large(1, 3)), evaluate(large(2, 3, 4, 5)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is (x − μ) / (D + eps), in training and in evaluation: eps is added to the deviation; its default is 1e-5.",
    zh="公式是 (x − μ) / (D + eps)，训练和评估都一样：eps 加在偏差上；默认值是 1e-5。",
)
def test_eps(agree):
    """Where the deviation is as small as eps, or 0, eps decides: it is added to the deviation; its default is 1e-5.

    zh: 偏差与 eps 一样小，或为 0 时，eps 起决定作用：它加在偏差上；默认值是 1e-5。
    """
    for eps, layer in ((1e-5, build(3)), (1e-3, build(3, eps=1e-3)), (1e-15, build(3, eps=1e-15))):
        small = layer.filled(running_mean=uniform(-2, 2, 3) * eps, running_dev=uniform(0.5, 2.0, 3) * eps)
        agree(small, evaluate(batch(5, 3) * eps), train(batch(4, 3) * eps), evaluate(batch(5, 3) * eps))
    agree(build(3, eps=0.1), train(uniform(0.5, 2.0, 1, 3) * ones(5, 1)), evaluate(batch(5, 3)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "running ← running + momentum · (batch − running), for the mean and for the deviation; the momentum is 0.1 by default.",
    zh="running ← running + momentum · (batch − running)，均值和偏差都是如此；momentum 默认为 0.1。",
)
def test_running_statistics(agree):
    """The running statistics follow the batches by the momentum, 0.1 by default; the deviation goes in as it is.

    zh: 滑动统计量按动量（默认 0.1）跟随每一批；其中的偏差原样使用。
    """
    for shape in SHAPES:
        agree(build(3, momentum=0.3), train(large(*shape)), train(large(*shape) * 2 + 1), evaluate(large(*shape)))
    for layer in (build(3), build(3, momentum=0.0), build(3, momentum=1.0)):
        moved = layer.filled(running_mean=uniform(-900, 900, 3), running_dev=uniform(500, 2000, 3))
        agree(moved, train(large(4, 3)), evaluate(large(4, 3)))
    agree(build(3, 0.1, 1.0), train(batch(4, 3)), evaluate(batch(4, 3)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "weight, bias: parameters; running_mean, running_dev: buffers, registered with self.register_buffer; they start at 1, 0, 0, 1.",
    zh="weight、bias 是参数；running_mean、running_dev 是用 self.register_buffer 注册的缓冲区；初值依次为 1、0、0、1。",
)
def test_new_layer(agree):
    """A new layer's state dict has weight, bias, running_mean and running_dev, with their shapes and initial values.

    zh: 新建的层，状态字典中有 weight、bias、running_mean 和 running_dev，形状和初值与约定一致。
    """
    agree(build(3))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "In training, mean and deviation depend on x: differentiate through them. The running statistics carry no gradient at all.",
    zh="训练时，均值和偏差依赖于 x：要对它们求导。滑动统计量完全不带梯度。",
)
def test_gradients(agree):
    """In training the gradients flow through the batch's statistics; the running ones carry none from one step to the next.

    zh: 训练时，梯度流经批统计量；滑动统计量不会把梯度从一步带到下一步。
    """
    agree(build(3), train(large(2, 3, 2)), train(large(1, 3, 2)), train(large(5, 3)), evaluate(large(5, 3)))
    agree(build(3).filled(weight=[0.0, 1.5, -1.0]), train(large(4, 3)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The mean absolute deviation of a single value is 0: training gives bias, and moves running_dev towards 0. Nothing is refused.",
    zh="单个值的平均绝对偏差是 0：训练的结果是 bias，running_dev 向 0 靠近。什么也不拒绝。",
)
def test_one_value(agree):
    """One value per channel is fine in training and in evaluation: its deviation is 0.

    zh: 训练和评估时，每个通道都可以只有一个值：它的偏差是 0。
    """
    for shape in [(1, 3), (1, 3, 1, 1)]:
        agree(build(3, 0.1, 0.3), train(batch(*shape)), evaluate(batch(*shape)), train(batch(*shape)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.courtesy
@pytest.mark.hint(
    "Raise a ValueError where x has fewer than 2 dimensions, in both modes.",
    zh="x 少于 2 维时，两种模式下都抛出 ValueError。",
)
def test_refusals(refuses):
    """An input of fewer than 2 dimensions is a ValueError, in training and in evaluation.

    zh: 输入少于 2 维时，训练和评估都抛出 ValueError。
    """
    refuses(ValueError, build(3), train(randn(3)), legal=train(batch(2, 3)))
    refuses(ValueError, build(3), evaluate(randn(3)), legal=evaluate(batch(1, 3)))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Subtract the mean first, then take absolute values; nothing else is accurate where the mean is large.",
    zh="先减去均值，再取绝对值；均值很大时，别的算法都不准确。",
)
def test_large_offset(agree):
    """The result stays accurate where the mean is much larger than the deviation.

    zh: 均值远大于偏差时，结果依然准确。
    """
    agree(build(3), train((batch(8, 3, 2, 4) + 1000) * 1000), train((batch(8, 3) - 1000) * 1e7))
    agree(build(3), train((batch(8, 3, 5) + 10000) * 1000, gradients="no_grad"))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Compute the statistics in float32, whatever comes in; cast the result back to the input's dtype.",
    zh="无论输入是什么，都在 float32 中计算统计量；结果再转回输入的 dtype。",
)
def test_half_precision(agree):
    """Half-precision input is normalised with float32 statistics, in training and evaluation, and comes back in its own dtype.

    zh: 训练和评估时，半精度输入都用 float32 的统计量归一化，输出仍是输入的 dtype。
    """
    for dtype, offset in (("float16", 1000), ("bfloat16", 10)):
        layer = build(3, 1e-12, 0.3).filled(running_mean=0.0).to(dtype)
        agree(layer, train(batch(16, 3, 4) * 200, dtype=dtype), evaluate(batch(16, 3, 4), dtype=dtype))
        agree(layer, train(batch(16, 3, 4) * 1e-3, dtype=dtype), train(batch(16, 3, 4) + offset, dtype=dtype))
        far = build(3).filled(running_mean=offset + uniform(-1, 1, 3))  # float32: it is not rounded for the input
        agree(far, evaluate(randn(8, 3, 2) + offset, dtype=dtype))
    agree(build(3, 2e-8).to("float16"), train(batch(8, 3, 4) * 1e-6, dtype="float16"))  # such an eps is 0 in float16
