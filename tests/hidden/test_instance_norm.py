"""Hidden suite of `instance_norm`.

Three channels, several samples, and no two sizes of a shape agree; instances differ in mean and scale within a sample and within a channel;
the momentum is not one half; most layers have a large eps, so that its place matters at every input.
"""

import pytest

from normgrade.suite import build, evaluate, ones, randn, reload, train, uniform, use, words

EPS = 0.1


def instances(*shape):
    """A random batch whose instances, each a channel of a sample, have a mean and a scale of their own."""
    per_instance = (*shape[:2], *[1] * (len(shape) - 2))
    return randn(*shape) * uniform(0.4, 2.0, *per_instance) + uniform(-1.5, 1.5, *per_instance)


def typical():
    """The layer as it is used, with every switch, and what it refuses: one value per instance, and strange ranks."""
    illegal = [randn(2, 3, 1), randn(2, 3, 1, 1), randn(4, 3), randn(2, 3, 2, 2, 2)]
    return [
        use(build(3, EPS, 0.3, affine=True, track_running_stats=True), instances(2, 3, 7), instances(4, 3, 2, 5), [1], illegal),
        use(build(3, EPS), instances(2, 3, 7), instances(4, 3, 2, 5), [1], illegal),
        use(build(3, EPS, affine=True), instances(2, 3, 7), instances(4, 3, 2, 5), [1], illegal),
        use(build(3, EPS, 0.3, track_running_stats=True), instances(2, 3, 7), instances(4, 3, 2, 5), [1], illegal),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The constructor takes num_features, eps, momentum, affine, track_running_stats, in this order, and all but the first have defaults.",
    zh="构造函数依次接受 num_features、eps、momentum、affine、track_running_stats，除第一个外都有默认值。",
)
def test_build(observe):
    """The layer can be built, with its arguments by position and by name, and is an nn.Module.

    zh: 该层可以构造，参数可按位置给，也可按名字给，并且它是一个 nn.Module。
    """
    observe(build(3))
    observe(build(3, 1e-3, 0.2, True, True))
    observe(build(num_features=3, eps=1e-3, momentum=0.2, affine=False, track_running_stats=False))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "One mean and one variance per sample and channel, over all positions together; the variance divided by n.",
    zh="每个样本的每个通道有一个均值和一个方差，在所有位置上一起计算；方差除以 n。",
)
@pytest.mark.parametrize("shape", [(4, 3, 7), (2, 3, 4, 5)])
def test_instances(agree, shape):
    """Every channel of every sample is normalised by its own mean and biased variance, and nothing else is done unless asked for.

    zh: 每个样本的每个通道用自己的均值和有偏方差归一化；没有要求的事一概不做。
    """
    agree(build(3, eps=EPS), train(instances(*shape)), train(instances(*shape)))


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
    agree(build(3, eps=EPS, affine=True), train(instances(2, 3, 4, 5)), train(instances(4, 3, 7)))


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
    layer = build(3, eps=EPS, affine=True, track_running_stats=True)
    agree(layer, evaluate(instances(2, 3, 4, 5)), evaluate(instances(4, 3, 7)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is (x − μ) / sqrt(σ² + eps), with and without tracking: eps stands inside the root, and its default is 1e-5.",
    zh="公式是 (x − μ) / sqrt(σ² + eps)，开启跟踪与否都一样：eps 在根号之内，默认值为 1e-5。",
)
def test_eps(agree):
    """Where the variance is as small as eps, eps decides: it is added to the variance, inside the root; its default is 1e-5.

    zh: 方差小到与 eps 相当时，结果由 eps 决定：它加在方差上，在根号之内；默认值为 1e-5。
    """
    for eps, arguments in ((1e-5, {}), (1e-3, {"eps": 1e-3})):
        agree(build(3, **arguments), train(instances(4, 3, 7) * eps**0.5))
        small = build(3, track_running_stats=True, **arguments)
        small = small.filled(running_mean=uniform(-0.01, 0.01, 3), running_var=uniform(0.5, 2.0, 3) * eps)
        agree(small, evaluate(instances(4, 3, 7) * eps**0.5))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Without tracking there is no second mode: evaluation normalises each instance by its own statistics, as training does.",
    zh="未开启跟踪就没有第二种模式：评估和训练一样，用每个实例自己的统计量归一化。",
)
def test_same_in_evaluation(agree):
    """Without tracking, which is the default, evaluation computes what training computes, and nothing is remembered between calls.

    zh: 未开启跟踪（默认如此）时，评估与训练的计算相同，两次调用之间什么也不保留。
    """
    agree(build(3, EPS), train(instances(4, 3, 7)), evaluate(instances(2, 3, 4, 5)))
    agree(build(3, EPS, 0.3, True, False), train(instances(4, 3, 7)), evaluate(instances(4, 3, 7)))


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
    layer = build(3, eps=EPS, momentum=0.3, track_running_stats=True)
    agree(layer, train(instances(4, 3, 7)), train(instances(2, 3, 4, 5) * 2 + 1), evaluate(instances(4, 3, 7)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint("momentum is the weight of the new statistics, and 0.1 unless said.", zh="momentum 是新统计量的权重，未指定时为 0.1。")
def test_momentum(agree):
    """The momentum is 0.1 unless said, 0 freezes the running statistics, and 1 replaces them.

    zh: momentum 未指定时为 0.1；取 0 时滑动统计量保持不变，取 1 时被新值取代。
    """
    agree(build(3, EPS, track_running_stats=True), train(instances(4, 3, 7)))
    agree(build(3, EPS, 0.0, track_running_stats=True), train(instances(4, 3, 7)))
    agree(build(3, EPS, 1.0, track_running_stats=True), train(instances(4, 3, 7)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "weight, bias: parameters; running_mean, running_var, num_batches_tracked: buffers; a switched-off one, as all are by default, is "
    "registered as None.",
    zh="weight、bias 是参数；running_mean、running_var、num_batches_tracked 是缓冲区；关闭的一律注册为 None，默认全部关闭。",
)
def test_new_layer(agree):
    """A new layer's state dict is empty by default, and has PyTorch's keys, shapes and initial values for what is switched on.

    zh: 新建的层默认状态字典为空；开启的部分具有 PyTorch 的键、形状和初始值。
    """
    agree(build(3))
    agree(build(5, affine=True))
    agree(build(5, track_running_stats=True))
    agree(build(3, affine=True, track_running_stats=True))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "num_batches_tracked is an integer buffer that is there with tracking, and that nothing ever changes.",
    zh="num_batches_tracked 是整数缓冲区，开启跟踪时存在，并且从不改变。",
)
def test_counter(observe):
    """num_batches_tracked stays as it is, in training and in evaluation.

    zh: num_batches_tracked 在训练和评估中都保持不变。
    """
    layer = build(3, EPS, track_running_stats=True).filled(num_batches_tracked=5).watching("num_batches_tracked")
    seen = observe(layer, train(instances(4, 3, 7)), evaluate(instances(4, 3, 7)))
    for step, mode, mode_zh in ((1, "training", "训练"), (2, "evaluation", "评估")):
        count = seen[f"step {step} · num_batches_tracked"].values.tolist()
        assert count == 5, words(
            f"num_batches_tracked was 5 and is {count} after a step of {mode}",
            zh=f"num_batches_tracked 原来是 5，{mode_zh}一步之后变成了 {count}",
        )


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Only registered parameters and buffers travel through state_dict, and nothing else is saved with a model.",
    zh="只有注册过的参数和缓冲区才会进入 state_dict，此外没有别的东西随模型保存。",
)
def test_reloaded(agree):
    """A reloaded state dict restores weight, bias and running statistics, and training goes on from there.

    zh: 重新载入状态字典会恢复权重、偏置和滑动统计量，训练从那里继续。
    """
    agree(build(3, EPS, 0.3, True, True), train(instances(4, 3, 7)), reload(), evaluate(instances(4, 3, 7)), train(instances(4, 3, 7)))


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
    agree(build(3, eps=EPS, affine=True), train(instances(2, 3, 5)), evaluate(instances(4, 3, 2)))
    layer = build(3, eps=EPS, affine=True, track_running_stats=True)
    agree(layer, train(instances(2, 3, 5)), train(instances(4, 3, 2)), evaluate(instances(2, 3, 5)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "What counts is the number of positions, L or H · W: raise a ValueError where it is 1, however many samples there are.",
    zh="要看的是位置的个数，即 L 或 H · W：为 1 时抛出 ValueError，不论有多少个样本。",
)
def test_one_value_per_channel(refuses):
    """One value per channel is a ValueError, in training and, without tracking, in evaluation; two in a row are enough.

    zh: 每个通道只有一个数时抛出 ValueError，训练时如此，未开启跟踪的评估也如此；一行有两个数就够了。
    """
    refuses(ValueError, build(3), train(randn(1, 3, 1)), legal=train(randn(1, 3, 2)))
    refuses(ValueError, build(3), train(randn(4, 3, 1)), legal=train(randn(4, 3, 2)))
    refuses(ValueError, build(3), evaluate(randn(2, 3, 1, 1)), legal=evaluate(randn(2, 3, 1, 4)))
    refuses(ValueError, build(3, track_running_stats=True), train(randn(2, 3, 1, 1)), legal=train(randn(2, 3, 4, 1)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Raise a ValueError for any number of dimensions but 3 and 4, in both modes, with tracking and without.",
    zh="维数不是 3 或 4 就抛出 ValueError，两种模式都如此，开启跟踪与否也都如此。",
)
@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 4, 5, 6)])
def test_other_ranks(refuses, shape):
    """An input that is neither (N, C, L) nor (N, C, H, W) is a ValueError.

    zh: 输入既不是 (N, C, L) 也不是 (N, C, H, W) 时抛出 ValueError。
    """
    tracks = build(3, track_running_stats=True)
    refuses(ValueError, build(3), train(randn(*shape)), legal=train(randn(4, 3, 2)))
    refuses(ValueError, tracks, evaluate(randn(*shape)), legal=evaluate(randn(2, 3, 4, 5)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "An instance of equal numbers has variance 0: eps inside the root keeps the division, and its gradient, finite.",
    zh="数值全相等的实例方差为 0：根号内的 eps 使除法及其梯度保持有限。",
)
def test_constant_instances(agree):
    """Instances of equal numbers become the bias, 0 where there is none, with finite gradients; two positions are enough.

    zh: 数值全相等的实例，输出等于偏置（没有偏置时为 0），梯度有限；两个位置就够了。
    """
    agree(build(3, eps=EPS), train(uniform(0.5, 2.0, 2, 3, 1) * ones(1, 1, 5)))
    agree(build(3, eps=EPS, affine=True), evaluate(uniform(-2.0, -0.5, 2, 3, 1, 1) * ones(1, 1, 4, 5)))
    agree(build(3, eps=EPS, track_running_stats=True), train(instances(4, 3, 2)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`view` needs its numbers side by side in memory; `reshape`, or no reshaping at all, does not.",
    zh="`view` 要求数据在内存中连续排列；`reshape` 不要求，根本不改变形状也就没有这个问题。",
)
def test_any_memory_layout(agree):
    """Inputs that are not contiguous in memory are as good as any, and none is changed.

    zh: 内存中不连续的输入同样可用，而且都不会被改变。
    """
    agree(build(3, eps=EPS), train(instances(2, 3, 4, 5), scattered=True))
    agree(build(3, EPS, 0.3, True, True), train(instances(2, 3, 4, 5), scattered=True), evaluate(instances(4, 3, 7), scattered=True))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Right formula, unstable arithmetic: E[x²] − E[x]² cancels when the mean is large. Subtract the mean first, then square.",
    zh="公式没错，但算法不稳定：均值很大时 E[x²] − E[x]² 会相消。先减均值，再平方。",
)
def test_large_offset(agree):
    """A mean that is large beside the deviation leaves the result intact.

    zh: 均值远大于标准差时，结果依然准确。
    """
    agree(build(3), train(randn(2, 3, 4, 8) + 1000), evaluate(randn(4, 3, 32) - 1000))
    agree(build(3), train(randn(2, 3, 4, 8) + 10000))
    agree(build(3, track_running_stats=True), train(randn(4, 3, 16) + 1000))


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
    for x, dtype in ((randn(2, 3, 32) * 300, "float16"), (randn(2, 3, 32) * 1e-3, "float16"), (randn(2, 3, 32) + 10, "bfloat16")):
        agree(build(3), train(x, dtype), evaluate(x, dtype))
        agree(build(3, EPS, 0.3, True, True), train(x, dtype), evaluate(x, dtype))
