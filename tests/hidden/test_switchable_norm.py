"""Hidden suite of `switchable_norm`.

No two sizes in a shape agree. Every plane (one channel of one sample) has a mean and a scale of its own, so that the three kinds of
statistics differ. The weights that mix them are six different random numbers, unless a check says otherwise. Where eps is not the point,
the inputs are so large that it cannot matter. Where the running statistics are not the point, the momentum is 0: what is wrong with them
fails the checks of kind state. No float32 input lies far from zero: variances from second moments, as in the paper, are right.
"""

import pytest

from normgrade.suite import build, evaluate, ones, randn, train, uniform, use, words

SHAPES = [(4, 6, 3, 5), (5, 3, 4, 2)]


def planes(samples, channels, height, width):
    """Random images, each plane of which has a mean and a scale of its own."""
    return randn(samples, channels, height, width) * uniform(0.4, 2.0, samples, channels, 1, 1) + uniform(
        -1.5, 1.5, samples, channels, 1, 1
    )


def large(*shape):
    """Random images beside whose variances the usual eps is nothing."""
    return planes(*shape) * 1000


def layer(channels, **arguments):
    """A layer whose running statistics are as large as those of `large`; they stay as they are unless a momentum is given."""
    built = build(channels, **{"momentum": 0.0, **arguments})
    return built.filled(running_mean=uniform(-900, 900, channels), running_var=uniform(5e5, 2e6, channels))


def typical():
    """The layer as it is used, for several channels and for one; and the ranks that it refuses."""
    uses = (
        (build(3, 0.1, 0.27), (4, 3, 2, 5), (2, 3, 4, 3)),
        (build(4, 1e-3, 0.3), (4, 4, 4, 4), (2, 4, 5, 3)),
        (build(1, 1e-3), (3, 1, 4, 2), (2, 1, 3, 5)),
    )
    return [
        use(built, planes(*shape), planes(*other), [1], [randn(4, shape[1], *rest) for rest in ((), (2,), (4, 5, 2))])
        for built, shape, other in uses
    ]


def real():
    """Two hundred and sixty channels."""
    return [
        use(build(264, 1e-3), planes(2, 264, 2, 3), planes(1, 264, 3, 3), [1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `SwitchNorm(3)` and call it on a tensor of shape (4, 3, 2, 5): a tensor of that shape must come back.",
    zh="用 `SwitchNorm(3)` 构造，对形状为 (4, 3, 2, 5) 的张量调用：应当返回同样形状的张量。",
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
@pytest.mark.points(1)
@pytest.mark.hint(
    "Three means and three biased variances; a softmax of mean_weight mixes the means, one of var_weight the variances, "
    "in the order instance, layer, batch.",
    zh="共六个统计量，方差都有偏；mean_weight 的 softmax 混合均值，var_weight 的 softmax 混合方差，顺序是实例、层、批。",
)
def test_training(agree):
    """In training x is normalised by the mixed mean and the mixed variance of instance, layer and batch, then scaled and shifted.

    zh: 训练时，x 用实例、层、批混合而成的均值和方差归一化，然后缩放和平移。
    """
    for shape in SHAPES:
        agree(layer(shape[1]), train(large(*shape)), train(large(*shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Instance: over H and W. Layer: over C, H and W. Batch: over N, H and W. Each variance is that of all those numbers, divided by n.",
    zh="实例：在 H 和 W 上。层：在 C、H 和 W 上。批：在 N、H 和 W 上。每个方差都是其中所有数的方差，除以 n。",
)
def test_one_kind(agree):
    """With all weight on one kind of statistics, the layer is instance norm, layer norm over (C, H, W), or batch norm.

    zh: 把全部权重放在一种统计量上，这个层就是实例归一化、在 (C, H, W) 上的层归一化或批归一化。
    """
    for kind in range(3):
        chosen = [0.0 if kind == other else -200.0 for other in range(3)]  # shares of 1, 0 and 0
        agree(layer(5).filled(mean_weight=chosen, var_weight=chosen), train(large(3, 5, 4, 2)), evaluate(large(2, 5, 3, 4)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "In evaluation running_mean and running_var stand in for the batch's statistics alone; instance and layer still come from x.",
    zh="评估时 running_mean 和 running_var 只代替批的统计量；实例和层的统计量仍由 x 算出。",
)
def test_evaluation(agree):
    """In evaluation only the batch's statistics are replaced, by the running ones, so that no sample depends on another.

    zh: 评估时只有批的统计量换成滑动统计量，因此任何样本都不依赖别的样本。
    """
    agree(layer(5), evaluate(large(3, 5, 4, 2)), evaluate(large(1, 5, 2, 3)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is (x − μ) / sqrt(σ² + eps) with the mixed σ²: eps stands inside the root, and its default is 1e-5.",
    zh="公式是 (x − μ) / sqrt(σ² + eps)，σ² 是混合后的方差：eps 在根号里面，默认值是 1e-5。",
)
def test_eps(agree):
    """Where the variances are as small as eps, or 0, eps decides: it is added to the variance, inside the root; its default is 1e-5.

    zh: 方差小到与 eps 相当，或为 0 时，eps 起决定作用：它在根号里面加到方差上；默认值是 1e-5。
    """
    for eps, built in ((1e-5, build(3, momentum=0.0)), (1e-3, build(3, 1e-3, 0.0))):
        small = built.filled(running_mean=uniform(-0.01, 0.01, 3), running_var=uniform(0.5, 2.0, 3) * eps)
        agree(small, evaluate(planes(4, 3, 2, 5) * eps**0.5), train(planes(4, 3, 2, 5) * eps**0.5))
    plane, image = uniform(-2.0, 2.0, 4, 3, 1, 1) * ones(2, 5), uniform(-2.0, 2.0, 4, 1, 1, 1) * ones(3, 2, 5)
    agree(build(3, 0.1, 0.0), train(plane), evaluate(image), train(image), evaluate(plane))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "running ← (1 − momentum) · running + momentum · batch, with the biased variance of the batch; evaluation changes nothing.",
    zh="running ← (1 − momentum) · running + momentum · batch，方差用批的有偏方差；评估时什么也不改变。",
)
def test_running_statistics(agree):
    """The running statistics follow the batch's own mean and biased variance by the momentum, and only in training, whatever the batch's
    share is.

    zh: 滑动统计量按动量跟随批自身的均值和有偏方差，而且只在训练时更新；这与批所占的份额无关。
    """
    alone = [0.0, -200.0, -200.0]  # the batch's share is 0
    agree(layer(5, momentum=0.27).filled(mean_weight=alone, var_weight=alone), train(large(3, 5, 4, 2)))
    for shape in SHAPES:
        moving = layer(shape[1], momentum=0.27)
        agree(moving, train(large(*shape)), train(large(*shape) * 2 + 1000), evaluate(large(*shape)), evaluate(large(*shape)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The default momentum is 0.1, the weight of the new batch; with 0 the running statistics stay as they are.",
    zh="momentum 的默认值是 0.1，即新一批的权重；为 0 时滑动统计量保持不变。",
)
def test_momentum(agree):
    """The momentum is the weight of the new batch: 0.1 by default; 0 keeps the old statistics, 1 replaces them.

    zh: 动量是新一批的权重：不指定时为 0.1；为 0 则保留旧的统计量，为 1 则被新值取代。
    """
    for built in (build(3), build(3, momentum=0), build(3, momentum=1.0), build(3, momentum=0.65)):
        known = built.filled(running_mean=uniform(-900, 900, 3), running_var=uniform(5e5, 2e6, 3))
        agree(known, train(large(4, 3, 2, 5)), evaluate(large(4, 3, 2, 5)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Parameters: weight (ones) and bias (zeros) of shape (C,), mean_weight and var_weight (ones) of shape (3,). Buffers: running_mean "
    "(zeros), running_var (ones).",
    zh="参数：形状为 (C,) 的 weight、bias，形状为 (3,) 且全为 1 的 mean_weight、var_weight。"
    "缓冲区：全为 0 的 running_mean，全为 1 的 running_var。",
)
def test_new_layer(agree):
    """A new layer's state dict has the six keys, with their shapes and initial values.

    zh: 新建的层的状态字典有那六个键，形状和初始值都符合约定。
    """
    agree(build(5))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "All six statistics depend on x in training, and instance and layer statistics in evaluation too: differentiate through them, and "
    "through both softmaxes. The running statistics carry no gradient from earlier batches.",
    zh="训练时六个统计量都依赖 x，评估时实例和层的统计量同样依赖 x：既要对它们求导，也要对两个 softmax 求导。"
    "滑动统计量不带有先前各批的梯度。",
)
def test_gradients(agree):
    """The gradients flow through all statistics that come from x, and reach weight, bias and both kinds of mixing weights.

    zh: 梯度流经所有由 x 算出的统计量，并到达 weight、bias 和两组混合权重。
    """
    agree(layer(3), train(large(2, 3, 4, 5)), train(large(5, 3, 2, 4)))
    agree(layer(3).filled(weight=[0.0, 1.5, -1.0]), train(large(2, 3, 4, 5)))
    agree(layer(3, momentum=0.27), train(large(2, 3, 4, 5)), evaluate(large(4, 3, 2, 5)), train(large(5, 3, 2, 4)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.courtesy
@pytest.mark.hint(
    "Raise a ValueError for any number of dimensions but 4, in training and in evaluation.",
    zh="维数不是 4 就抛出 ValueError，训练和评估时都如此。",
)
def test_refusals(refuses):
    """Inputs that are not (N, C, H, W) are ValueErrors.

    zh: 形状不是 (N, C, H, W) 的输入，抛出 ValueError。
    """
    refuses(ValueError, build(3), train(randn(4, 3)), legal=train(randn(4, 3, 2, 5)))
    refuses(ValueError, build(3), train(randn(4, 3, 2)), legal=train(randn(1, 3, 4, 2)))
    refuses(ValueError, build(3), train(randn(2, 3, 4, 5, 2)), legal=train(randn(2, 3, 4, 5)))
    refuses(ValueError, build(3), evaluate(randn(3, 4, 2)), legal=evaluate(randn(1, 3, 4, 2)))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is right, but numerically unstable: exp overflows at 100, vanishes at −110. Use torch.softmax, or subtract the largest "
    "weight first.",
    zh="公式正确，但数值计算不稳定：exp 在 100 处溢出，在 −110 处变为 0。用 torch.softmax，或先减去最大的权重。",
)
def test_large_mixing_weights(agree):
    """Only the differences between the mixing weights count, however large or small they are.

    zh: 只有混合权重之间的差起作用，不论权重多大或多小。
    """
    above, below = uniform(100, 102, 3), uniform(-112, -110, 3)
    agree(layer(3).filled(mean_weight=above, var_weight=below), train(large(4, 3, 2, 5)), evaluate(large(4, 3, 2, 5)))
    agree(layer(3).filled(mean_weight=below, var_weight=above), train(large(4, 3, 2, 5)))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Compute the statistics in float32, whatever comes in; cast the result back to the input's dtype.",
    zh="不论输入是什么类型，都在 float32 中计算统计量；最后把结果转换回输入的 dtype。",
)
def test_half_precision(agree):
    """Half-precision input is normalised with float32 statistics, in training and evaluation, and comes back in its own dtype.

    zh: 半精度输入在训练和评估时都用 float32 的统计量归一化，输出仍是输入自己的 dtype。
    """
    for dtype in ("float16", "bfloat16"):
        even = build(3, 1e-12, 0.27).filled(mean_weight=uniform(0.8, 1.2, 3), running_mean=0.0).to(dtype)
        agree(even, train(randn(5, 3, 8, 4) * 200, dtype=dtype), evaluate(randn(5, 3, 8, 4), dtype=dtype))
        agree(
            even,
            train(randn(5, 3, 8, 4) * 1e-3, dtype=dtype),
            train(randn(5, 3, 8, 4) + 1, dtype=dtype),
            evaluate(randn(5, 3, 8, 4) + 1, dtype=dtype),
        )
