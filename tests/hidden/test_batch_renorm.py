"""Hidden suite of `batch_renorm`.

Mostly three channels, and never three values in one, but where the channels must not be found by their number. Channels differ in mean and
scale. Where the clipping is not the point, the bounds are so wide that nothing is clipped, or so narrow that everything is. Where eps is
not the point, the inputs are so large that it cannot matter.
"""

from math import inf

import pytest

from normgrade.suite import build, evaluate, ones, randn, train, uniform, use, words

SHAPES = [(4, 3), (5, 3, 2), (2, 3, 4, 5)]
WIDE = {"r_max": 1000.0, "d_max": 1000.0}  # bounds that are never reached
PLAIN = {"r_max": 1.0, "d_max": 0.0}  # bounds that leave nothing of the correction


def batch(*shape):
    """A random batch whose channels have each a mean and a scale of their own."""
    per_channel = (1, shape[1], *[1] * (len(shape) - 2))
    return randn(*shape) * uniform(0.6, 1.6, *per_channel) + uniform(-1.5, 1.5, *per_channel)


def large(*shape):
    """A random batch beside whose variances the usual eps is nothing."""
    return batch(*shape) * 1000


def known(layer, number=3):
    """The layer, of that number of channels, with running statistics as large as those of `large`."""
    return layer.filled(running_mean=uniform(-900, 900, number), running_std=uniform(500, 2000, number))


def typical():
    """The layer as it is used, for images, for vectors and for one channel; and the ranks that it refuses."""
    uses = (
        (build(3, 1.5, 0.8, 0.1, 0.3), (2, 3, 4, 3), (5, 3)),
        (build(5, 2.0, 1.2, 1e-3, 0.65), (4, 5, 7), (6, 5)),
        (build(1, eps=1e-3), (4, 1, 5, 2, 3), (2, 1, 5, 4)),
    )
    return [use(built, batch(*shape), batch(*other), [1], [randn(shape[1]), randn()]) for built, shape, other in uses]


def real():
    """Two hundred and sixty channels."""
    return [
        use(build(264, 1.5, 0.8, 1e-3), batch(2, 264, 2, 3), batch(5, 264), [1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `BatchRenorm(3)` and call it on a tensor of shape (4, 3): a tensor of that shape must come back.",
    zh="用 `BatchRenorm(3)` 构造，对形状为 (4, 3) 的张量调用：应当返回同样形状的张量。",
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
    "Without a correction it is batch norm: one mean and one biased standard deviation per channel, over every other dimension together.",
    zh="没有修正时就是批归一化：每个通道一个均值、一个有偏的标准差，在其余所有维上合起来计算。",
)
def test_batch_norm(agree):
    """With r_max=1 and d_max=0 training is batch norm: mean and biased standard deviation per channel, then weight and bias.

    zh: r_max=1、d_max=0 时，训练就是批归一化：用每个通道的均值和有偏标准差归一化，再缩放和平移。
    """
    for shape in [*SHAPES, (3, 3), (3, 3, 3, 3), (2, 3, 2, 5, 4), (2, 3, 4, 1, 2, 5)]:
        agree(build(3, **PLAIN, momentum=0.0), train(large(*shape)), train(large(*shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "x̂ = (x − μ_B) / σ_B · r + d with r = σ_B / running_std and d = (μ_B − running_mean) / running_std.",
    zh="x̂ = (x − μ_B) / σ_B · r + d，其中 r = σ_B / running_std，d = (μ_B − running_mean) / running_std。",
)
def test_correction(agree):
    """Where nothing is clipped, r and d bring the output of training to that of evaluation, by the statistics from before the batch.

    zh: 没有截断时，r 和 d 用这一批到来之前的滑动统计量，把训练的输出修正为评估时的输出。
    """
    for shape in SHAPES:
        agree(known(build(3, **WIDE, momentum=0.0)), train(large(*shape)), train(large(*shape)))
    agree(known(build(3, inf, inf, momentum=1.0)), train(large(4, 3)), train(large(5, 3)))
    agree(known(build(70, **WIDE), 70), train(large(4, 70, 2)))
    agree(known(build(2, **WIDE), 2), train(large(2, 2, 9, 35)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "r lies between 1/r_max and r_max, d between −d_max and d_max: clamp both from both sides. The defaults are 3 and 5.",
    zh="r 在 1/r_max 与 r_max 之间，d 在 −d_max 与 d_max 之间：两者都要从两侧截断。默认值为 3 和 5。",
)
def test_clipping(agree):
    """r is clipped to [1/r_max, r_max] and d to [−d_max, d_max], where r_max is 3 and d_max is 5 by default.

    zh: r 截断到 [1/r_max, r_max]，d 截断到 [−d_max, d_max]；默认 r_max 为 3，d_max 为 5。
    """
    x = randn(8, 3, 5) * 1000
    x[:, 0] += 6000
    x[:, 2] -= 7000
    for layer in (build(3), build(3, 1.7, 0.6), build(3, 2, 100), build(3, 100, 2), build(3, 1, 100), build(3, 100, 0)):
        clipped = layer.filled(running_mean=0.0, running_std=[100.0, 1200.0, 8000.0])
        agree(clipped, train(x), train(x[:, [2, 0, 1]]))  # in another order, each channel is clipped otherwise


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Evaluation is (x − running_mean) / running_std, then weight and bias: no eps, no r, no d, and nothing is updated.",
    zh="评估时是 (x − running_mean) / running_std，再乘 weight、加 bias：没有 eps，没有 r 和 d，什么都不更新。",
)
def test_evaluation(agree):
    """In evaluation x is normalised by running_mean and running_std as they are, without eps, and they stay as they are.

    zh: 评估时 x 直接用 running_mean 和 running_std 归一化，不加 eps，滑动统计量保持不变。
    """
    agree(known(build(3)), evaluate(large(4, 3)), evaluate(large(1, 3)), evaluate(large(2, 3, 4, 5)))
    agree(build(3, eps=0.1).filled(running_std=[0.2, 0.03, 1.5]), evaluate(batch(4, 3)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "σ_B is sqrt(var + eps), with eps inside the root, wherever it occurs: under x − μ_B, in r and in the update. The default is 1e-5.",
    zh="σ_B 就是 sqrt(var + eps)，eps 在根号内；x − μ_B 的分母、r 和更新中都是它。默认值是 1e-5。",
)
def test_eps(agree):
    """Where the variance is as small as eps, or 0, eps decides: σ_B is √(var + eps) everywhere; its default is 1e-5.

    zh: 方差与 eps 一样小，或为 0 时，eps 起决定作用：σ_B 处处都是 √(var + eps)；默认值是 1e-5。
    """
    for eps, layer in ((1e-5, build(3, momentum=0.5)), (1e-3, build(3, eps=1e-3, momentum=0.5))):
        small = layer.filled(running_mean=uniform(-1, 1, 3) * eps**0.5, running_std=uniform(0.7, 2.0, 3) * eps**0.5)
        agree(small, train(batch(5, 3) * eps**0.5), evaluate(batch(5, 3) * eps**0.5))
    agree(build(3, **PLAIN, momentum=0.5), train(batch(5, 3) * 1e-5**0.5))
    agree(build(3, eps=0.1, momentum=0.5), train(uniform(0.5, 2.0, 1, 3) * ones(5, 1)), evaluate(batch(5, 3)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "running ← running + momentum · (batch − running), for the mean and for σ_B itself, after r and d are computed; the default is 0.01.",
    zh="running ← running + momentum · (batch − running)，均值和 σ_B 本身都是如此，在算出 r 和 d 之后进行；默认值是 0.01。",
)
def test_running_statistics(agree):
    """The running statistics follow the batches by the momentum, 0.01 by default: the mean, and the standard deviation as it is.

    zh: 滑动统计量按动量（默认 0.01）跟随每一批：均值，以及原样的标准差。
    """
    for shape in SHAPES:
        agree(known(build(3, momentum=0.3)), train(large(*shape)), train(large(*shape) * 2 + 1), evaluate(large(*shape)))
    for layer in (build(3), build(3, momentum=0.0), build(3, momentum=1.0)):
        agree(known(layer), train(large(4, 3)), evaluate(large(4, 3)))
    tiny = build(3, eps=1e-20, momentum=0.5).filled(running_mean=0.0, running_std=[1e-9, 2e-9, 5e-9])
    agree(tiny, train(batch(5, 3) * 1e-9), evaluate(batch(4, 3) * 1e-9))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "weight, bias: parameters; running_mean, running_std: buffers, registered with self.register_buffer; they start at 1, 0, 0, 1.",
    zh="weight、bias 是参数；running_mean、running_std 是用 self.register_buffer 注册的缓冲区；初值依次为 1、0、0、1。",
)
def test_new_layer(agree):
    """A new layer's state dict has weight, bias, running_mean and running_std, with their shapes and initial values.

    zh: 新建的层，状态字典中有 weight、bias、running_mean 和 running_std，形状和初值与约定一致。
    """
    agree(build(3))


@pytest.mark.kind("gradient")
@pytest.mark.points(2)
@pytest.mark.hint(
    "r and d are constants, computed under no_grad or detached; μ_B and σ_B in (x − μ_B) / σ_B are not.",
    zh="r 和 d 是常数，在 no_grad 下计算或用 detach 分离；(x − μ_B) / σ_B 中的 μ_B 和 σ_B 则不是。",
)
def test_gradients(agree):
    """In training the gradient flows through the mean and the standard deviation of the batch, but not through r and d.

    zh: 训练时，梯度流经批的均值和标准差，但不流经 r 和 d。
    """
    agree(known(build(3, **WIDE)), train(large(2, 3, 2)), train(large(1, 3, 2)), train(large(5, 3)), evaluate(large(5, 3)))
    agree(build(3, **PLAIN).filled(weight=[0.0, 1.5, -1.0]), train(large(4, 3)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The standard deviation of a single value is sqrt(eps): nothing is refused.",
    zh="单个值的标准差是 sqrt(eps)：什么也不拒绝。",
)
def test_one_value(agree):
    """One value per channel is fine in training and in evaluation.

    zh: 训练和评估时，每个通道都可以只有一个值。
    """
    for shape in [(1, 3), (1, 3, 1, 1)]:
        agree(build(3, eps=0.1, momentum=0.3), train(batch(*shape)), evaluate(batch(*shape)), train(batch(*shape)))


@pytest.mark.kind("edge")
@pytest.mark.points(0)
@pytest.mark.courtesy
@pytest.mark.hint(
    "Raise a ValueError where x has fewer than 2 dimensions, in both modes.",
    zh="x 少于 2 维时，两种模式下都抛出 ValueError。",
)
def test_dimensions(refuses):
    """An input of fewer than 2 dimensions is a ValueError, in training and in evaluation.

    zh: 输入少于 2 维时，训练和评估都抛出 ValueError。
    """
    refuses(ValueError, build(3), train(randn(3)), legal=train(batch(2, 3)))
    refuses(ValueError, build(3), evaluate(randn(3)), legal=evaluate(batch(1, 3)))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Subtract the mean before squaring, in float32 whatever comes in; cast the result back to the input's dtype.",
    zh="无论输入是什么，都在 float32 中先减去均值再平方；结果再转回输入的 dtype。",
)
def test_accuracy(agree):
    """The result stays accurate where the mean is much larger than the standard deviation, and in half precision.

    zh: 均值远大于标准差时，以及半精度时，结果依然准确。
    """
    agree(build(3), train((randn(8, 3, 2, 4) + 1000) * 1000), train((randn(8, 3) - 1000) * 1e7))
    for dtype, offset in (("float16", 1000), ("bfloat16", 10)):
        layer = build(3, 2.0, 1.0, 1e-12, 0.3).filled(running_mean=0.0).to(dtype)
        agree(layer, train(randn(16, 3, 4) * 200, dtype=dtype), evaluate(randn(16, 3, 4), dtype=dtype))
        agree(layer, train(randn(16, 3, 4) * 1e-3, dtype=dtype), train(randn(16, 3, 4) + offset, dtype=dtype))
        far = build(3).filled(running_mean=offset + uniform(-1, 1, 3))  # float32: it is not rounded for the input
        agree(far, evaluate(randn(8, 3, 2) + offset, dtype=dtype))
