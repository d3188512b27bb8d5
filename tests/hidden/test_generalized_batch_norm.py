"""Hidden suite of `generalized_batch_norm`.

Mostly three channels, and never three values in one, but where the channels must not be found by their number. Channels differ in mean and
scale. Values lie well above the mean or below it, never near it, where |x − μ| has no slope. Where eps is not the point, the inputs are so
large that it cannot matter.

No pair of functions shows everything. A deviation that does not change when a number is added to all values hides whether the statistic was
subtracted before; `root_mean_square` does change.
"""

import numpy as np
import pytest

from normgrade.suite import build, evaluate, ones, probe, randn, train, uniform, use, words

SHAPES = [(4, 3), (5, 3, 2), (2, 3, 4, 5)]
PAIRS = [
    ("mean", "standard_deviation"),
    ("upper_mean", "root_mean_square"),
    ("mid_range", "half_range"),
    ("quantile", "superquantile_deviation"),
    ("nothing", "mean_distance"),
]


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


def layer(*args, pair=PAIRS[1], channels=3, **kwargs):
    """A layer for three channels that measures them with two functions; what follows is eps and momentum."""
    return build(channels, *pair, *args, **kwargs).named("measured")


def known(built, number=3):
    """The layer, of that number of channels, with running numbers as large as those of `large`."""
    return built.filled(running_statistic=uniform(-900, 900, number), running_deviation=uniform(500, 2000, number))


def typical():
    """The layer as it is used, for images, for vectors and for one channel, each with other functions; and the ranks that it refuses."""
    uses = (
        (layer(0.1, 0.3), (2, 3, 4, 3), (5, 3)),
        (layer(1e-3, 0.65, pair=PAIRS[0], channels=5), (4, 5, 7), (6, 5)),
        (layer(1e-3, pair=PAIRS[2], channels=1), (4, 1, 5, 2, 3), (2, 1, 5, 4)),
    )
    return [use(built, batch(*shape), batch(*other), [1], [randn(shape[1]), randn()]) for built, shape, other in uses]


def real():
    """Two hundred and sixty channels."""
    return [
        use(layer(1e-3, 0.65, pair=PAIRS[0], channels=264), batch(2, 264, 2, 3), batch(5, 264), [1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `GeneralizedBatchNorm(3, mean, std)`, two functions from (3, n) to (3,), and call it on a tensor of shape (3, 3).",
    zh="用 `GeneralizedBatchNorm(3, mean, std)` 构造，其中两个函数把 (3, n) 变成 (3,)，再对形状为 (3, 3) 的张量调用。",
)
def test_call(observe):
    """The layer can be built and called, and returns a tensor of its input's shape and dtype.

    zh: 层可以构造和调用，返回的张量与输入的形状和 dtype 相同。
    """
    for step, shape in ((train, (3, 3)), (evaluate, (2, 3, 4, 5))):
        output = observe(layer(pair=PAIRS[0]), step(randn(*shape), backward=False))["step 1 · output"]
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
    "Both functions get x as (C, n), and x becomes (x − S) / (D + eps); then weight and bias.",
    zh="两个函数得到的都是 (C, n) 形状的 x，结果是 (x − S) / (D + eps)，再乘 weight、加 bias。",
)
def test_training(agree):
    """In training every channel is normalised by what the two functions make of it in this batch, then scaled and shifted.

    zh: 训练时，每个通道用两个函数对这一批算出的数归一化，再缩放和平移。
    """
    for pair in PAIRS:
        for shape in SHAPES:
            agree(layer(momentum=0.0, pair=pair), train(large(*shape)))
    for shape in [(3, 3), (3, 3, 3, 3), (2, 3, 2, 5, 4), (2, 3, 4, 1, 2, 5)]:
        agree(layer(momentum=0.0), train(large(*shape)), train(large(*shape)))
    agree(layer(momentum=0.0, pair=("root_mean_square", "root_mean_square")), train(large(4, 3, 2)))
    agree(layer(momentum=0.0, channels=70), train(large(4, 70, 2)))
    agree(layer(momentum=0.0, channels=2, pair=PAIRS[3]), train(large(2, 2, 9, 35)))
    agree(layer(), train(batch(8, 3, 4) * 1000 + 1e6))
    agree(layer(pair=PAIRS[2]), train(batch(8, 3) * 1e12))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Call each function once per training step, with one tensor of shape (C, n), and none in evaluation; write into none of these tensors.",
    zh="每个训练步对两个函数各调用一次，只传一个形状为 (C, n) 的张量；评估时都不调用；这些张量都不要改写。",
)
def test_calls_of_the_functions(agree):
    """Each function is called once per training step, with x as (C, n), and never in evaluation; these tensors are left alone.

    zh: 每个训练步对每个函数只调用一次，传入 (C, n) 形状的 x；评估时从不调用；传入的张量不被改动。
    """
    for number, shape in enumerate([*SHAPES, (4, 3, 1, 2, 2), (1, 3)]):
        for statistic, deviation in (PAIRS[1], PAIRS[2]):
            agree(probe("recorded", x=batch(*shape), statistic=statistic, deviation=deviation, gradients=number % 2 == 0))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "In evaluation running_statistic and running_deviation take the place of S and D, in the same formula, and nothing is updated.",
    zh="评估时，在同一个公式里用 running_statistic 和 running_deviation 代替 S 和 D，什么都不更新。",
)
def test_evaluation(agree):
    """In evaluation the running numbers are used, and they stay as they are.

    zh: 评估时使用滑动统计量，滑动统计量保持不变。
    """
    for pair in PAIRS[:3]:
        agree(known(layer(pair=pair)), evaluate(large(4, 3)), evaluate(large(1, 3)), evaluate(large(2, 3, 4, 5)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is (x − S) / (D + eps), in training and in evaluation: eps is added to the deviation; its default is 1e-5.",
    zh="公式是 (x − S) / (D + eps)，训练和评估都一样：eps 加在偏差上；默认值是 1e-5。",
)
def test_eps(agree):
    """Where the deviation is as small as eps, or 0, eps decides: it is added to the deviation; its default is 1e-5.

    zh: 偏差与 eps 一样小，或为 0 时，eps 起决定作用：它加在偏差上；默认值是 1e-5。
    """
    for eps, built in ((1e-5, layer()), (1e-3, layer(eps=1e-3, pair=PAIRS[0])), (1e-15, layer(1e-15))):
        small = built.filled(running_statistic=uniform(-2, 2, 3) * eps, running_deviation=uniform(0.5, 2.0, 3) * eps)
        agree(small, evaluate(batch(5, 3) * eps), train(batch(4, 3) * eps), evaluate(batch(5, 3) * eps))
    for pair in (PAIRS[0], PAIRS[2]):
        agree(layer(0.1, pair=pair), train(uniform(0.5, 2.0, 1, 3) * ones(5, 1)), evaluate(batch(5, 3)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "running ← running + momentum · (batch − running), for what either function returned, as it is; the momentum is 0.1 by default.",
    zh="running ← running + momentum · (batch − running)，两个函数的返回值都原样使用；momentum 默认为 0.1。",
)
def test_running_numbers(agree):
    """The running numbers follow what the functions return by the momentum, 0.1 by default; the deviation goes in as it is.

    zh: 滑动统计量按动量（默认 0.1）跟随两个函数的返回值；其中的偏差原样使用。
    """
    for pair, shapes in ((PAIRS[1], SHAPES), (PAIRS[3], SHAPES[1:2]), (PAIRS[4], SHAPES[2:])):
        for shape in shapes:
            agree(layer(momentum=0.3, pair=pair), train(large(*shape)), train(large(*shape) * 2 + 1), evaluate(large(*shape)))
    for shape in [(3, 3), (2, 3, 4, 1, 2, 5)]:
        agree(layer(momentum=0.3), train(large(*shape)), evaluate(large(*shape)))
    agree(layer(momentum=0.3, channels=70), train(large(4, 70, 2)), evaluate(large(2, 70)))
    agree(layer(momentum=0.3, channels=2), train(large(2, 2, 9, 35)))
    for built in (layer(), layer(momentum=0.0), layer(momentum=1.0)):
        agree(known(built), train(large(4, 3)), evaluate(large(4, 3)))
    agree(layer(0.1, 1.0), train(batch(4, 3)), evaluate(batch(4, 3)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "weight, bias: parameters; running_statistic, running_deviation: buffers, by self.register_buffer; they start at 1, 0, 0, 1.",
    zh="weight、bias 是参数；running_statistic、running_deviation 是用 self.register_buffer 注册的缓冲区；初值依次为 1、0、0、1。",
)
def test_new_layer(agree):
    """A new layer's state dict has weight, bias, running_statistic and running_deviation, with their shapes and initial values.

    zh: 新建的层，状态字典中有 weight、bias、running_statistic 和 running_deviation，形状和初值与约定一致。
    """
    agree(layer())


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "In training, S and D depend on x: let autograd go back through both functions. The running numbers carry no gradient at all.",
    zh="训练时，S 和 D 依赖于 x：让 autograd 经两个函数反向传播。滑动统计量完全不带梯度。",
)
def test_gradients(agree):
    """In training the gradients flow through both functions; the running numbers carry none from one step to the next.

    zh: 训练时，梯度流经两个函数；滑动统计量不会把梯度从一步带到下一步。
    """
    for pair in PAIRS[:3]:
        built = layer(pair=pair)
        agree(built, train(large(2, 3, 2)), train(large(1, 3, 2)), train(large(5, 3)), evaluate(large(5, 3)))
        agree(built.filled(weight=[0.0, 1.5, -1.0]), train(large(4, 3)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "What a function returns may be anybody's tensor, without a gradient, or one number for all channels: compute a new one from it.",
    zh="函数返回的可以是别人的张量，可以没有梯度，也可以用一个数代表所有通道：应由它算出新张量，不要改写。",
)
def test_constants(agree):
    """The functions may return constants, the same tensors at each call; the layer does not write into them.

    zh: 函数可以返回常数，每次都是同一个张量；层不改写它们。
    """
    for statistic, deviation in ((uniform(-2, 2, 3), uniform(0.5, 2, 3)), (uniform(-2, 2, 1), uniform(0.5, 2, 1))):
        for momentum, gradients in ((0.3, True), (1.0, False)):
            agree(probe("constants", x=batch(4, 3), statistic=statistic, deviation=deviation, momentum=momentum, gradients=gradients))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The functions say what one value per channel means: nothing is refused.",
    zh="每个通道只有一个值时，结果由两个函数决定：什么也不拒绝。",
)
def test_one_value(agree):
    """One value per channel is fine in training and in evaluation.

    zh: 训练和评估时，每个通道都可以只有一个值。
    """
    for pair in (PAIRS[0], PAIRS[1]):
        for shape in [(1, 3), (1, 3, 1, 1)]:
            agree(layer(0.1, 0.3, pair=pair), train(batch(*shape)), evaluate(batch(*shape)), train(batch(*shape)))


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
    refuses(ValueError, layer(), train(randn(3)), legal=train(batch(2, 3)))
    refuses(ValueError, layer(), evaluate(randn(3)), legal=evaluate(batch(1, 3)))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Widen half precision to float32 before the functions see it, leave float64 alone, and go back to the input's dtype at the very end.",
    zh="先把半精度提升到 float32，再交给函数，float64 则保持不变；到最后才转回输入的 dtype。",
)
def test_dtypes(agree):
    """The functions are given float32 where the input is in half precision, float64 stays float64, and the output has the input's dtype.

    zh: 输入是半精度时，函数得到的是 float32；float64 仍是 float64；输出的 dtype 与输入相同。
    """
    agree(probe("given_dtype", x=batch(4, 3), dtype="float64"))
    huge = batch(4, 3, 2) * 1e25  # whose square float32 does not hold
    agree(layer().to("float64"), train(huge, dtype="float64"), evaluate(huge, dtype="float64"))
    for dtype, offset in (("float16", 1000), ("bfloat16", 10)):
        agree(probe("given_dtype", x=batch(4, 3), dtype=dtype))
        agree(probe("given_dtype", x=batch(4, 3, 2), dtype=dtype, parameters="float32"))
        built = layer(1e-12, 0.3, pair=PAIRS[0]).filled(running_statistic=0.0).to(dtype)
        agree(built, train(batch(16, 3, 4) * 200, dtype=dtype), evaluate(batch(16, 3, 4), dtype=dtype))
        agree(built, train(batch(16, 3, 4) * 1e-3, dtype=dtype), train(batch(16, 3, 4) + offset, dtype=dtype))
        far = layer().filled(running_statistic=offset + uniform(-1, 1, 3))  # float32: it is not rounded for the input
        agree(far, evaluate(randn(8, 3, 2) + offset, dtype=dtype))
    agree(layer(2e-8).to("float16"), train(batch(8, 3, 4) * 1e-6, dtype="float16"))  # such an eps is 0 in float16
