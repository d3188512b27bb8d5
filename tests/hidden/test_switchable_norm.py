"""Hidden suite of `switchable_norm`.

No two sizes in a shape agree. Every plane (one channel of one sample) has a mean and a scale of its own, so that the three kinds of
statistics differ. The weights that mix them are six different random numbers, unless a check says otherwise. Most layers have a large eps,
so that its place matters at every input. Where the running statistics are not the point, the momentum is 0: what is wrong with them fails
the checks of kind state. No float32 input lies far from zero: variances from second moments, as in the paper, are right.
"""

import pytest

from normgrade.suite import build, evaluate, ones, randn, reload, train, uniform, use

EPS = 0.1
SHAPES = [(4, 6, 3, 5), (5, 3, 4, 2)]


def planes(samples, channels, height, width):
    """Random images, each plane of which has a mean and a scale of its own."""
    return randn(samples, channels, height, width) * uniform(0.4, 2.0, samples, channels, 1, 1) + uniform(
        -1.5, 1.5, samples, channels, 1, 1
    )


def typical():
    """The layer as it is used: it has no switches, but a momentum; and the ranks that it refuses."""
    illegal = [randn(4, 3), randn(4, 3, 2), randn(2, 3, 4, 5, 2)]
    return [
        use(build(3, EPS, 0.3), planes(4, 3, 2, 5), planes(2, 3, 4, 3), [1], illegal),
        use(build(5, EPS), planes(3, 5, 4, 2), planes(2, 5, 3, 4), [1], illegal),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The constructor takes num_features, eps and momentum, in this order, and all but the first have defaults.",
    zh="构造函数依次接受 num_features、eps 和 momentum；除第一个外都有默认值。",
)
def test_build(observe):
    """The layer can be built, with its arguments by position and by name, and is an nn.Module.

    zh: 这个层能够构造，参数既可按位置也可按名称给出，并且它是 nn.Module。
    """
    observe(build(3))
    observe(build(3, 1e-3, 0.2))
    observe(build(num_features=3, eps=1e-3, momentum=0.2))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Three means and three biased variances; a softmax of mean_weight mixes the means, one of var_weight the variances, "
    "in the order instance, layer, batch.",
    zh="共六个统计量，方差都有偏；mean_weight 的 softmax 混合均值，var_weight 的 softmax 混合方差，顺序是实例、层、批。",
)
@pytest.mark.parametrize("shape", SHAPES)
def test_training(agree, shape):
    """In training x is normalised by the mixed mean and the mixed variance of instance, layer and batch, then scaled and shifted.

    zh: 训练时，x 用实例、层、批混合而成的均值和方差归一化，然后缩放和平移。
    """
    agree(build(shape[1], EPS, 0.0), train(planes(*shape)), train(planes(*shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Instance: over H and W. Layer: over C, H and W. Batch: over N, H and W. Each variance is that of all those numbers, divided by n.",
    zh="实例：在 H 和 W 上。层：在 C、H 和 W 上。批：在 N、H 和 W 上。每个方差都是其中所有数的方差，除以 n。",
)
@pytest.mark.parametrize("kind", ["instance", "layer", "batch"])
def test_one_kind(agree, kind):
    """With all weight on one kind of statistics, the layer is instance norm, layer norm over (C, H, W), or batch norm.

    zh: 把全部权重放在一种统计量上，这个层就是实例归一化、在 (C, H, W) 上的层归一化或批归一化。
    """
    chosen = [0.0 if kind == name else -200.0 for name in ("instance", "layer", "batch")]  # shares of 1, 0 and 0
    agree(build(5, EPS, 0.0).filled(mean_weight=chosen, var_weight=chosen), train(planes(3, 5, 4, 2)), evaluate(planes(2, 5, 3, 4)))


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
    agree(build(5, eps=EPS), evaluate(planes(3, 5, 4, 2)), evaluate(planes(1, 5, 2, 3)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is (x − μ) / sqrt(σ² + eps) with the mixed σ²: eps stands inside the root, and its default is 1e-5.",
    zh="公式是 (x − μ) / sqrt(σ² + eps)，σ² 是混合后的方差：eps 在根号里面，默认值是 1e-5。",
)
def test_eps(agree):
    """Where the variances are as small as eps, eps decides: it is added to the variance, inside the root; its default is 1e-5.

    zh: 方差小到与 eps 相当时，eps 起决定作用：它在根号里面加到方差上；默认值是 1e-5。
    """
    for eps, layer in ((1e-5, build(3, momentum=0.0)), (1e-3, build(3, 1e-3, 0.0))):
        small = layer.filled(running_mean=uniform(-0.01, 0.01, 3), running_var=uniform(0.5, 2.0, 3) * eps)
        agree(small, evaluate(planes(4, 3, 2, 5) * eps**0.5), train(planes(4, 3, 2, 5) * eps**0.5))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "running ← (1 − momentum) · running + momentum · batch, with the biased variance of the batch; evaluation changes nothing.",
    zh="running ← (1 − momentum) · running + momentum · batch，方差用批的有偏方差；评估时什么也不改变。",
)
@pytest.mark.parametrize("shape", SHAPES)
def test_running_statistics(agree, shape):
    """The running statistics follow the batch's own mean and biased variance by the momentum, and only in training.

    zh: 滑动统计量按动量跟随批自身的均值和有偏方差，而且只在训练时更新。
    """
    layer = build(shape[1], eps=EPS, momentum=0.3)
    agree(layer, train(planes(*shape)), train(planes(*shape) * 2 + 1), evaluate(planes(*shape)), evaluate(planes(*shape)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The default momentum is 0.1, the weight of the new batch; with 0 the running statistics stay as they are.",
    zh="momentum 的默认值是 0.1，即新一批的权重；为 0 时滑动统计量保持不变。",
)
def test_momentum(agree):
    """The momentum is the weight of the new batch: 0.1 unless said; 0 keeps the old statistics.

    zh: 动量是新一批的权重：不指定时为 0.1；为 0 则保留旧的统计量。
    """
    agree(build(3, EPS), train(planes(4, 3, 2, 5)), evaluate(planes(4, 3, 2, 5)))
    agree(build(3, EPS, 0.0), train(planes(4, 3, 2, 5)), evaluate(planes(4, 3, 2, 5)))


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


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Only registered parameters and buffers travel through state_dict: register each of the six.",
    zh="只有注册过的参数和缓冲区才会随 state_dict 保存和恢复：六个都要注册。",
)
def test_reloaded(agree):
    """A reloaded state dict restores the layer: parameters, mixing weights and running statistics.

    zh: 重新载入状态字典能恢复这个层：参数、混合权重和滑动统计量。
    """
    agree(build(3, EPS, 0.3), train(planes(4, 3, 2, 5)), reload(), evaluate(planes(4, 3, 2, 5)), train(planes(2, 3, 5, 4)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "All six statistics depend on x in training: differentiate through them, and through both softmaxes.",
    zh="训练时六个统计量都依赖 x：既要对它们求导，也要对两个 softmax 求导。",
)
def test_gradients_in_training(agree):
    """In training the gradients flow through all six statistics, and reach weight, bias and both kinds of mixing weights.

    zh: 训练时梯度流经全部六个统计量，并到达 weight、bias 和两组混合权重。
    """
    agree(build(3, EPS, 0.0), train(planes(2, 3, 4, 5)), train(planes(5, 3, 2, 4)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Instance and layer statistics depend on x in evaluation too. The running statistics carry no gradient from earlier batches.",
    zh="评估时，实例和层的统计量同样依赖 x。滑动统计量不带有先前各批的梯度。",
)
def test_gradients_in_evaluation(agree):
    """In evaluation the gradients flow through instance and layer statistics; the running ones carry none from earlier steps.

    zh: 评估时梯度流经实例和层的统计量；滑动统计量不带有先前各步的梯度。
    """
    agree(build(3, eps=EPS, momentum=0.3), train(planes(2, 3, 4, 5)), evaluate(planes(4, 3, 2, 5)), train(planes(5, 3, 2, 4)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Raise a ValueError for any number of dimensions but 4, in training and in evaluation.",
    zh="维数不是 4 就抛出 ValueError，训练和评估时都如此。",
)
def test_refusals(refuses):
    """Inputs that are not (N, C, H, W) are ValueErrors.

    zh: 形状不是 (N, C, H, W) 的输入以 ValueError 拒绝。
    """
    refuses(ValueError, build(3), train(randn(4, 3)), legal=train(randn(4, 3, 2, 5)))
    refuses(ValueError, build(3), train(randn(4, 3, 2)), legal=train(randn(1, 3, 4, 2)))
    refuses(ValueError, build(3), train(randn(2, 3, 4, 5, 2)), legal=train(randn(2, 3, 4, 5)))
    refuses(ValueError, build(3), evaluate(randn(3, 4, 2)), legal=evaluate(randn(1, 3, 4, 2)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Equal numbers have variance 0: add eps before the root is taken, and value and gradient stay finite.",
    zh="相同的数方差为 0：在开方之前加上 eps，值和梯度就都保持有限。",
)
def test_constant_planes(agree):
    """Planes of equal numbers, and whole images of them, give what the formula says, with finite gradients.

    zh: 由相同的数组成的平面，以及由相同的数组成的整幅图像，输出符合公式，梯度有限。
    """
    plane, image = ones(1, 1, 2, 5), ones(1, 3, 2, 5)
    agree(build(3, EPS, 0.0), train(uniform(-2.0, 2.0, 4, 3, 1, 1) * plane), evaluate(uniform(-2.0, 2.0, 4, 1, 1, 1) * image))
    agree(build(3, EPS, 0.0), train(uniform(-2.0, 2.0, 4, 1, 1, 1) * image), evaluate(uniform(-2.0, 2.0, 1, 3, 1, 1) * plane))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`view` needs its numbers side by side in memory; `reshape`, or no reshaping at all, does not.",
    zh="`view` 要求数在内存中连续存放；`reshape` 或干脆不改变形状则没有这个要求。",
)
def test_any_memory_layout(agree):
    """Inputs that are not contiguous in memory, and single samples, are as good as any; none is changed.

    zh: 内存中不连续的输入和单个样本同样有效；任何输入都不会被改动。
    """
    agree(build(3, EPS, 0.0), train(planes(2, 3, 4, 5), scattered=True), evaluate(planes(4, 3, 2, 5), scattered=True))
    agree(build(3, EPS, 0.0), train(planes(1, 3, 4, 5)), evaluate(planes(1, 3, 2, 5)))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Right formula, unstable arithmetic: exp overflows at 100, vanishes at −110. Use torch.softmax, or subtract the largest weight first.",
    zh="公式正确，但数值计算不稳定：exp 在 100 处溢出，在 −110 处变为 0。用 torch.softmax，或先减去最大的权重。",
)
def test_large_mixing_weights(agree):
    """Only the differences between the mixing weights count, however large or small they are.

    zh: 只有混合权重之间的差起作用，不论权重多大或多小。
    """
    agree(
        build(3, EPS, 0.0).filled(mean_weight=uniform(100, 102, 3), var_weight=uniform(-112, -110, 3)),
        train(planes(4, 3, 2, 5)),
        evaluate(planes(4, 3, 2, 5)),
    )
    agree(build(3, EPS, 0.0).filled(mean_weight=uniform(-112, -110, 3), var_weight=uniform(100, 102, 3)), train(planes(4, 3, 2, 5)))


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
    layer = build(3, EPS, 0.0).filled(mean_weight=uniform(0.8, 1.2, 3), bias=0.0)  # each mean counts, and shows where y is small
    agree(layer, train(randn(5, 3, 8, 4) + 10, "bfloat16"), evaluate(randn(5, 3, 8, 4) + 10, "bfloat16"))
    agree(build(3, momentum=0.0), train(randn(5, 3, 8, 4) * 1e-3, "float16"))
    agree(build(3, EPS, 0.3), train(randn(5, 3, 8, 4) * 300, "float16"), evaluate(randn(5, 3, 8, 4) * 300, "float16"))
