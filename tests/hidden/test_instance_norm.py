"""Hidden suite of `instance_norm`.

Three channels, several samples, and no two sizes of a shape agree; instances differ in mean and scale within a sample and within a channel;
the momentum is not one half. Where eps is not the point, the inputs are so large that it cannot matter.
"""

import pytest

from normgrade.suite import build, evaluate, ones, randn, train, uniform, use, words

COUNTER = "num_batches_tracked"


def instances(*shape):
    """A random batch whose instances, each a channel of a sample, have a mean and a scale of their own."""
    per_instance = (*shape[:2], *[1] * (len(shape) - 2))
    return randn(*shape) * uniform(0.4, 2.0, *per_instance) + uniform(-1.5, 1.5, *per_instance)


def large(*shape):
    """A random batch beside whose variances the usual eps is nothing."""
    return instances(*shape) * 1000


def tracking(**arguments):
    """A layer that tracks, whose running statistics are as large as those of `large`."""
    layer = build(3, track_running_stats=True, **arguments)
    return layer.filled(running_mean=uniform(-900, 900, 3), running_var=uniform(5e5, 2e6, 3))


def typical():
    """The layer as it is used, with every switch, for one channel and for several."""
    return [
        used(build(3, 0.1, 0.27, True, True), (4, 3, 7, 2), (2, 3, 4, 5), tracks=True),
        used(build(5, 1e-3, affine=False), (2, 5, 7), (5, 5, 3, 2)),
        used(build(4, 1e-3, affine=True), (4, 4, 4), (4, 4, 4, 4)),
        used(build(1, 1e-3, 0.27, track_running_stats=True).watching(COUNTER), (2, 1, 7, 3), (4, 1, 2, 5), tracks=True),
    ]


def real():
    """Two hundred and sixty channels, and maps of forty by forty."""
    return [
        use(build(264, 1e-3, affine=True, track_running_stats=True), instances(2, 264, 2, 3), instances(1, 264, 4), [1]),
        use(build(2, 1e-3), instances(1, 2, 40, 40), instances(2, 2, 30), [1]),
    ]


def used(layer, shape, other, tracks=False):
    """A use of the layer on these shapes, and what it refuses: strange ranks, and one value per instance.

    One value in the evaluation of a layer that tracks is not graded.
    """
    ones = () if tracks else ((1,), (1, 1))
    illegal = [randn(2, shape[1], *rest) for rest in (*ones, (), (2, 2, 2))]
    return use(layer, instances(*shape), instances(*other), [1], illegal)


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `InstanceNorm(3)` and call it on a tensor of shape (4, 3, 5): a tensor of that shape must come back.",
    zh="用 `InstanceNorm(3)` 构造，对形状为 (4, 3, 5) 的张量调用：应当返回同样形状的张量。",
)
def test_call(observe):
    """The layer can be built and called, and returns a tensor of its input's shape and dtype.

    zh: 层可以构造和调用，返回的张量与输入的形状和 dtype 相同。
    """
    for step, shape in ((train, (4, 3, 5)), (evaluate, (2, 3, 4, 5))):
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
    "One mean and one variance per sample and channel, over all positions together; the variance divided by n.",
    zh="每个样本的每个通道有一个均值和一个方差，在所有位置上一起计算；方差除以 n。",
)
def test_instances(agree):
    """Every channel of every sample is normalised by its own mean and biased variance, and nothing else is done unless asked for.

    zh: 每个样本的每个通道用自己的均值和有偏方差归一化；没有要求的事一概不做。
    """
    for shape in ((4, 3, 7), (2, 3, 4, 5)):
        agree(build(3), train(large(*shape)), train(large(*shape)), evaluate(large(*shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "With affine=True there is one weight and one bias per channel: multiply by the weight, then add the bias.",
    zh="affine=True 时，每个通道有一个权重和一个偏置：先乘以权重，再加上偏置。",
)
def test_affine(agree):
    """With affine=True every channel is scaled by its weight and shifted by its bias, the same for all samples.

    zh: affine=True 时，每个通道用自己的权重缩放、用自己的偏置平移，对所有样本都相同。
    """
    agree(build(3, affine=True), train(large(2, 3, 4, 5)), train(large(4, 3, 7)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The running statistics take the place of the instance's, in the same formula, and nothing is updated.",
    zh="滑动统计量代替实例自己的统计量，代入同一个公式，什么都不更新。",
)
def test_evaluation_with_tracking(agree):
    """With tracking, evaluation normalises by the running statistics and leaves them as they are.

    zh: 开启跟踪后，评估用滑动统计量归一化，并且不改变它们。
    """
    agree(tracking(affine=True), evaluate(large(2, 3, 4, 5)), evaluate(large(4, 3, 7)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is (x − μ) / sqrt(σ² + eps), with and without tracking: eps stands inside the root, and its default is 1e-5.",
    zh="公式是 (x − μ) / sqrt(σ² + eps)，开启跟踪与否都一样：eps 在根号之内，默认值为 1e-5。",
)
def test_eps(agree):
    """Where the variance is as small as eps, or 0, eps decides: it is added to the variance, inside the root; its default is 1e-5.

    zh: 方差小到与 eps 相当，或为 0 时，结果由 eps 决定：它加在方差上，在根号之内；默认值为 1e-5。
    """
    for eps, arguments in ((1e-5, {}), (1e-3, {"eps": 1e-3})):
        agree(build(3, **arguments), train(instances(4, 3, 7) * eps**0.5))
        small = build(3, track_running_stats=True, **arguments)
        small = small.filled(running_mean=uniform(-0.01, 0.01, 3), running_var=uniform(0.5, 2.0, 3) * eps)
        agree(small, evaluate(instances(4, 3, 7) * eps**0.5))
    agree(
        build(3, 0.1, affine=True), train(uniform(0.5, 2.0, 2, 3, 1) * ones(1, 1, 5)), evaluate(uniform(0.5, 2.0, 2, 3, 1, 1) * ones(4, 5))
    )


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "running ← (1 − momentum) · running + momentum · new. New is the mean over the samples of each instance's own mean and variance, the "
    "latter divided by n − 1, where n counts the positions.",
    zh="running ← (1 − momentum) · running + momentum · new。"
    "其中 new 是各实例自己的均值和方差在样本上的平均，方差除以 n − 1，n 是位置的个数。",
)
def test_running_statistics(agree):
    """With tracking, the running statistics follow the averages over the batch of the instances' means and unbiased variances.

    zh: 开启跟踪后，滑动统计量跟随各实例的均值和无偏方差在一批样本上的平均。
    """
    layer = build(3, momentum=0.27, track_running_stats=True)
    agree(layer, train(large(4, 3, 7)), train(large(2, 3, 4, 5) * 2 + 1000), train(large(3, 3, 2)), evaluate(large(4, 3, 7)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint("momentum is the weight of the new statistics, and 0.1 by default.", zh="momentum 是新统计量的权重，未指定时为 0.1。")
def test_momentum(agree):
    """The momentum is 0.1 by default, 0 freezes the running statistics, and 1 replaces them.

    zh: momentum 未指定时为 0.1；取 0 时滑动统计量保持不变，取 1 时被新值取代。
    """
    for arguments in ({}, {"momentum": 0}, {"momentum": 0.0}, {"momentum": 1.0}, {"momentum": 0.65}):
        agree(tracking(**arguments), train(large(4, 3, 7)), evaluate(large(4, 3, 7)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "weight, bias: parameters; running_mean, running_var, num_batches_tracked: buffers, and nothing ever changes the last; a switched-off "
    "one, as all are by default, is registered as None.",
    zh="weight、bias 是参数；running_mean、running_var、num_batches_tracked 是缓冲区，最后一个从不改变；"
    "关闭的一律注册为 None，默认全部关闭。",
)
def test_new_layer(agree):
    """A new layer's state dict is empty by default, and has PyTorch's keys, shapes and initial values for what is switched on;
    num_batches_tracked stays 0.

    zh: 新建的层默认状态字典为空；开启的部分具有 PyTorch 的键、形状和初始值；num_batches_tracked 始终为 0。
    """
    agree(build(3))
    agree(build(5, affine=True))
    agree(build(5, track_running_stats=True))
    agree(build(3, affine=True, track_running_stats=True))
    agree(tracking().filled(num_batches_tracked=5).watching(COUNTER), train(large(4, 3, 7)), evaluate(large(4, 3, 7)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The mean and the variance of an instance depend on x: differentiate through both. The running ones carry no gradient.",
    zh="实例的均值和方差依赖于 x：对两者都要求导。滑动统计量不带梯度。",
)
def test_gradients(agree):
    """The gradients flow through the instances' statistics; the running ones carry none from one step to the next.

    zh: 梯度流经实例的统计量；滑动统计量不会把梯度从一步带到下一步。
    """
    agree(build(3, affine=True), train(large(2, 3, 5)), evaluate(large(4, 3, 3)))
    agree(build(3, affine=True).filled(weight=[0.0, 1.5, -1.0]), train(large(2, 3, 5)))
    agree(tracking(affine=True), train(large(2, 3, 5)), train(large(4, 3, 3)), evaluate(large(2, 3, 5)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Raise a ValueError where the number of positions, L or H · W, is 1, however many samples there are.",
    zh="位置的个数（L 或 H · W）为 1 时，不论有多少个样本，都抛出 ValueError。",
)
def test_refusals(refuses):
    """One value per channel where a variance is needed is a ValueError.

    zh: 需要方差而每个通道只有一个数，抛出 ValueError。
    """
    plain, tracks = build(3), build(3, track_running_stats=True)
    refuses(ValueError, plain, train(randn(1, 3, 1)), legal=train(randn(1, 3, 2)))
    refuses(ValueError, plain, train(randn(4, 3, 1)), legal=train(randn(4, 3, 2)))
    refuses(ValueError, plain, evaluate(randn(2, 3, 1, 1)), legal=evaluate(randn(2, 3, 1, 4)))
    refuses(ValueError, tracks, train(randn(2, 3, 1, 1)), legal=train(randn(2, 3, 4, 1)))
    for layer in (build(3, affine=True), build(3, affine=True, track_running_stats=True)):
        refuses(ValueError, layer, train(randn(2, 3, 1), gradients="no_grad"), legal=train(randn(2, 3, 2), gradients="no_grad"))


@pytest.mark.kind("edge")
@pytest.mark.points(0)
@pytest.mark.courtesy
@pytest.mark.hint(
    "Raise a ValueError for any number of dimensions but 3 and 4, in training and in evaluation.",
    zh="维数不是 3、4 时，训练和评估都抛出 ValueError。",
)
def test_dimensions(refuses):
    """An input that does not have 3 or 4 dimensions is a ValueError.

    zh: 输入不是 3 维或 4 维，抛出 ValueError。
    """
    plain, tracks = build(3), build(3, track_running_stats=True)
    for shape in ((4, 3), (2, 3, 4, 5, 6)):
        refuses(ValueError, plain, train(randn(*shape)), legal=train(randn(4, 3, 2)))
        refuses(ValueError, tracks, evaluate(randn(*shape)), legal=evaluate(randn(2, 3, 4, 5)))


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
    agree(build(3), train((randn(2, 3, 4, 8) + 1000) * 1000), evaluate((randn(4, 3, 32) - 1000) * 1000))
    agree(build(3), train((randn(2, 3, 4, 8) + 10000) * 1000))
    agree(build(3, track_running_stats=True), train((randn(4, 3, 16) + 1000) * 1000))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Compute the statistics in float32, whatever comes in; go back to the input's dtype after scale and shift.",
    zh="不论输入是什么类型，统计量都在 float32 中计算；缩放和平移之后再转换回输入的 dtype。",
)
def test_half_precision(agree):
    """Half-precision input is normalised with float32 statistics, and comes back in its own dtype.

    zh: 半精度输入用 float32 的统计量归一化，输出仍是输入的 dtype。
    """
    for dtype in ("float16", "bfloat16"):
        for layer in (build(3, 1e-12), build(3, 1e-12, 0.27, True, True).filled(running_mean=0.0)):
            layer = layer.to(dtype)
            agree(layer, train(randn(2, 3, 32) * 200, dtype=dtype), evaluate(randn(2, 3, 32), dtype=dtype))
            agree(
                layer,
                train(randn(2, 3, 32) * 1e-3, dtype=dtype),
                train(randn(2, 3, 32) + 10, dtype=dtype),
                evaluate(randn(2, 3, 32) + 1, dtype=dtype),
            )
        far = build(3, track_running_stats=True).filled(running_mean=100 + uniform(-1, 1, 3))  # float32: it is not rounded for the input
        agree(far, evaluate(randn(2, 3, 8) + 100, dtype=dtype))
