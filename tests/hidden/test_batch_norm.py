"""Hidden suite of `batch_norm`.

Mostly three channels, and never three values in one. Channels differ in mean and scale. Where eps is not the point,
the inputs are so large that it cannot matter.
"""

import pytest

from normgrade.suite import build, copy, evaluate, ones, pickle, randn, reload, train, uniform, use, words

COUNTER = "num_batches_tracked"
SHAPES = [(4, 3), (5, 3, 2), (2, 3, 4, 5)]


def batch(*shape):
    """A random batch whose channels have each a mean and a scale of their own."""
    per_channel = (1, shape[1], *[1] * (len(shape) - 2))
    return randn(*shape) * uniform(0.4, 2.0, *per_channel) + uniform(-1.5, 1.5, *per_channel)


def large(*shape):
    """A random batch beside whose variances the usual eps is nothing."""
    return batch(*shape) * 1000


def typical():
    """The layer as it is used, with every switch, and what it refuses: one value per channel in training, and strange ranks."""
    return [
        used(build(3, 0.1, 0.3), (2, 3, 4, 3), (5, 3)),
        used(build(5, 1e-3, None).watching(COUNTER), (4, 5, 7), (5, 5)),
        used(build(4, 1e-3, 0.3, affine=False).watching(COUNTER), (4, 4, 4, 4), (5, 4)),
        used(build(1, 1e-3, track_running_stats=False), (4, 1, 6), (2, 1, 5, 4), tracks=False),
        used(build(3, 1e-3, affine=False, track_running_stats=False), (5, 3), (2, 3, 5, 4), tracks=False),
    ]


def real():
    """Two hundred and sixty channels, and maps of forty by forty."""
    return [
        use(build(264, 1e-3), batch(2, 264, 2, 3), batch(5, 264), [1]),
        use(build(2, 1e-3), batch(1, 2, 40, 40), batch(4, 2), [1]),
    ]


def used(layer, shape, other, tracks=True):
    """A use of the layer on these shapes, and what it refuses: strange ranks, and one value per channel.

    One value in the evaluation of a layer that does not track is not graded: there `shape` keeps its samples where it has no positions.
    """
    ones = ((), (1,), (1, 1)) if tracks else ()
    many = (2, shape[1], *[2] * (7 - len(shape)))  # five dimensions or more
    illegal = [*(randn(1, shape[1], *rest) for rest in ones), randn(shape[1]), randn(*many)]
    fixed = [1] if tracks or len(shape) > 2 else [1, -2]
    return use(layer, batch(*shape), batch(*other), fixed, illegal)


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `BatchNorm(3)` and call it on a tensor of shape (4, 3): a tensor of that shape must come back.",
    zh="用 `BatchNorm(3)` 构造，对形状为 (4, 3) 的张量调用：应当返回同样形状的张量。",
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
@pytest.mark.points(1)
@pytest.mark.hint(
    "One mean and one variance per channel, over every other dimension together; the variance divided by n.",
    zh="每个通道一个均值、一个方差，在其余所有维上合起来计算；方差除以 n。",
)
def test_training(agree):
    """In training every channel is normalised by the mean and the biased variance of the batch, then scaled and shifted.

    zh: 训练时，每个通道用批的均值和有偏方差归一化，再缩放和平移。
    """
    for shape in SHAPES:
        agree(build(3, track_running_stats=False), train(large(*shape)), train(large(*shape)))
    outlier = large(20, 3, 10)
    outlier[7, 1, 2] = 1e6
    agree(build(3, track_running_stats=False), train(outlier))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "In evaluation the running statistics take the place of the batch's, in the same formula, and nothing is updated.",
    zh="评估时，在同一个公式里用滑动统计量代替批统计量，什么都不更新。",
)
def test_evaluation(agree):
    """In evaluation the running statistics are used, so a single value per channel will do, and they stay as they are.

    zh: 评估时使用滑动统计量，每个通道只有一个值也可以，滑动统计量保持不变。
    """
    trained = build(3).filled(running_mean=uniform(-900, 900, 3), running_var=uniform(5e5, 2e6, 3))
    agree(trained, evaluate(large(4, 3)), evaluate(large(1, 3)), evaluate(large(2, 3, 4, 5)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is (x − μ) / sqrt(σ² + eps), in training and in evaluation: eps stands inside the root; its default is 1e-5.",
    zh="公式是 (x − μ) / sqrt(σ² + eps)，训练和评估都一样：eps 在根号内，默认值是 1e-5。",
)
def test_eps(agree):
    """Where the variance is as small as eps, or 0, eps decides: it is added to the variance, inside the root; its default is 1e-5.

    zh: 方差与 eps 一样小，或为 0 时，eps 起决定作用：它加在方差上，在根号内；默认值是 1e-5。
    """
    for eps, layer in ((1e-5, build(3)), (1e-3, build(3, eps=1e-3))):
        small = layer.filled(running_mean=uniform(-0.01, 0.01, 3), running_var=uniform(0.5, 2.0, 3) * eps)
        agree(small, evaluate(batch(5, 3) * eps**0.5), train(batch(5, 3) * eps**0.5))
    agree(build(3, eps=0.1), train(uniform(0.5, 2.0, 1, 3) * ones(5, 1)), evaluate(batch(5, 3)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "running ← (1 − momentum) · running + momentum · batch, with the unbiased variance: n − 1, where n counts all values of a channel.",
    zh="running ← (1 − momentum) · running + momentum · batch，用无偏方差：除以 n − 1，n 是一个通道的全部数值个数。",
)
def test_running_statistics(agree):
    """The running statistics follow the batches by the momentum, with the unbiased variance.

    zh: 滑动统计量按动量跟随每一批，其中的方差用无偏方差。
    """
    for shape in SHAPES:
        agree(build(3, momentum=0.3), train(large(*shape)), train(large(*shape) * 2 + 1), evaluate(large(*shape)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The default momentum is 0.1, the weight of the new batch. momentum=None means the mean over all batches: a weight of 1 / count.",
    zh="momentum 默认为 0.1，是新批的权重。momentum=None 表示对所有批求平均：权重是 1 / 批数。",
)
def test_momentum(agree):
    """The momentum is 0.1 by default, 0 freezes the statistics, and None averages over all batches so far.

    zh: 动量默认为 0.1，取 0 时统计量冻结，取 None 时对至今所有批求平均。
    """
    agree(build(3), train(large(4, 3)), evaluate(large(4, 3)))
    for momentum in (0, 0.65, 1):
        moved = build(3, momentum=momentum).filled(running_var=uniform(5e5, 2e6, 3))
        agree(moved, train(large(4, 3)), evaluate(large(4, 3)))
    start = build(3, momentum=None).filled(running_mean=0.0, running_var=1.0, num_batches_tracked=0)
    agree(start, train(large(4, 3)), train(large(4, 3) * 2 - 1), train(large(5, 3)), evaluate(large(4, 3)))
    much = build(3, momentum=None, affine=False).filled(running_var=uniform(5e5, 2e6, 3), num_batches_tracked=100)
    agree(much, train(large(4, 3)), copy(), train(large(2, 3, 2, 2)), evaluate(large(4, 3)))
    agree(build(3, momentum=None, track_running_stats=False), train(large(4, 3)), evaluate(large(4, 3)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "weight, bias: parameters; running_mean, running_var, num_batches_tracked: buffers; a switched-off one is registered as None.",
    zh="weight、bias 是参数；running_mean、running_var、num_batches_tracked 是缓冲区；关闭的项注册为 None。",
)
def test_new_layer(agree):
    """A new layer's state dict has PyTorch's keys, shapes and initial values, and none for what is switched off.

    zh: 新建的层，状态字典的键、形状和初值与 PyTorch 相同；关闭的项不在其中。
    """
    agree(build(3))
    agree(build(5, affine=False))
    agree(build(5, track_running_stats=False))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "num_batches_tracked is an integer buffer that grows by one at every training step, and only there.",
    zh="num_batches_tracked 是整数缓冲区，每个训练步加 1，其他时候不变。",
)
def test_counter(agree):
    """The batches are counted in training, whatever the momentum, and not in evaluation; every copy of the layer counts on.

    zh: 训练时给批计数，与动量无关；评估时不计数；层的每个副本都接着计数。
    """
    for momentum, moved in ((0.1, pickle()), (0, copy()), (None, reload())):
        layer = build(3, momentum=momentum).filled(running_var=1e6).watching(COUNTER)
        agree(layer, train(large(4, 3)), evaluate(large(4, 3)), moved, train(large(4, 3)), train(large(4, 3), gradients="no_grad"))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "In training, mean and variance depend on x: differentiate through them. The running statistics carry no gradient at all.",
    zh="训练时，均值和方差依赖于 x：要对它们求导。滑动统计量完全不带梯度。",
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
    "Raise a ValueError in training when every channel has a single value, whatever the switches.",
    zh="训练时每个通道都只有一个值，无论开关如何设置，都抛出 ValueError。",
)
def test_refusals(refuses):
    """Training on one value per channel is a ValueError.

    zh: 训练时每个通道只有一个值，抛出 ValueError。
    """
    refuses(ValueError, build(3), train(randn(1, 3)), legal=train(randn(2, 3)))
    refuses(ValueError, build(3, track_running_stats=False), train(randn(1, 3)), legal=train(randn(2, 3)))
    refuses(ValueError, build(3), train(randn(1, 3, 1)), legal=train(randn(1, 3, 2)))
    refuses(ValueError, build(3), train(randn(1, 3, 1, 1)), legal=train(randn(1, 3, 2, 1)))
    refuses(ValueError, build(3), train(randn(1, 3, 1, 1)), legal=train(randn(1, 3, 1, 2)))
    for layer in (build(3, momentum=None), build(3, affine=False), build(3, affine=False, track_running_stats=False)):
        refuses(ValueError, layer, train(randn(1, 3), gradients="no_grad"), legal=train(randn(2, 3), gradients="no_grad"))


@pytest.mark.kind("edge")
@pytest.mark.points(0)
@pytest.mark.courtesy
@pytest.mark.hint(
    "Raise a ValueError for any number of dimensions but 2, 3 and 4, in training and in evaluation.",
    zh="维数不是 2、3、4 时，训练和评估都抛出 ValueError。",
)
def test_dimensions(refuses):
    """An input that does not have 2, 3 or 4 dimensions is a ValueError.

    zh: 输入不是 2、3 或 4 维，抛出 ValueError。
    """
    refuses(ValueError, build(3), train(randn(2, 3, 2, 2, 2)), legal=train(randn(4, 3, 1, 1)))
    refuses(ValueError, build(3), evaluate(randn(3)), legal=evaluate(randn(1, 3)))


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
    for layer in (build(3), build(3, affine=False), build(3, track_running_stats=False)):
        agree(layer, train((randn(8, 3, 2, 4) + 1000) * 1000), train((randn(8, 3) - 1000) * 1000))
        agree(layer, train((randn(8, 3, 2, 4) + 10000) * 1000), train((randn(8, 3, 5) + 10000) * 1000, gradients="no_grad"))


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
    for dtype, offset, momentum in (("float16", 1000, None), ("bfloat16", 10, 0.3)):
        layer = build(3, 1e-12, momentum).filled(running_mean=0.0).watching(COUNTER).to(dtype)
        agree(layer, train(randn(16, 3, 4) * 200, dtype=dtype), evaluate(randn(16, 3, 4), dtype=dtype), train(randn(16, 3, 4), dtype=dtype))
        agree(
            layer,
            train(randn(16, 3, 4) * 1e-3, dtype=dtype),
            train(randn(16, 3, 4) + offset, dtype=dtype),
            evaluate(randn(16, 3, 4) + 1, dtype=dtype),
        )
        agree(build(3, 1e-12).filled(running_mean=0.0, running_var=1e-9), evaluate(randn(4, 3) * 1e-4, dtype=dtype))
        far = build(3).filled(running_mean=offset + uniform(-1, 1, 3))  # float32: it is not rounded for the input
        agree(far, evaluate(randn(8, 3, 2) + offset, dtype=dtype))
