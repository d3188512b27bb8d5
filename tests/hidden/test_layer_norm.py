"""Hidden suite of `layer_norm`.

No two sizes in a shape agree. Rows differ in mean and scale, so that statistics over the wrong numbers show. Where eps is not the point,
the inputs are so large that it cannot matter.
"""

import pytest
from shared import rows

from normgrade.suite import build, evaluate, ones, probe, randn, train, uniform, use, words


def large(*shape):
    """Random rows beside whose variances the usual eps is nothing."""
    return rows(*shape) * 1000


def typical():
    """The layer as it is used: over one dimension and over several, with every switch."""
    return [
        use(build(6, eps=0.1), rows(5, 6), rows(2, 3, 6), fixed=[-1]),
        use(build([3, 5], eps=1e-3), rows(5, 3, 5), rows(2, 1, 2, 1, 3, 5), fixed=[-2, -1]),
        use(build(6, eps=1e-3, elementwise_affine=False), rows(5, 6), rows(2, 3, 6), fixed=[-1]),
        use(build((2, 3, 2, 2), eps=1e-3, bias=False), rows(3, 2, 3, 2, 2), rows(2, 1, 2, 3, 2, 2), fixed=[-4, -3, -2, -1]),
        use(build((2, 4, 3), eps=1e-4, elementwise_affine=False, bias=False), rows(5, 2, 4, 3), rows(2, 4, 3), fixed=[-3, -2, -1]),
    ]


def real():
    """A layer of a thousand features."""
    return [
        use(build(1100), rows(2, 1100), rows(1, 2, 1100), [-1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `LayerNorm(5)` and call it on a tensor of shape (5,): a tensor of that shape must come back.",
    zh="用 `LayerNorm(5)` 构造，对形状为 (5,) 的张量调用：应当返回同样形状的张量。",
)
def test_call(observe):
    """The layer can be built and called, and returns a tensor of its input's shape and dtype.

    zh: 层可以构造和调用，返回的张量与输入的形状和 dtype 相同。
    """
    for step, shape in ((train, (5,)), (evaluate, (4, 5))):
        output = observe(build(5), step(randn(*shape), backward=False))["step 1 · output"]
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
    "Take mean and variance over the last dimension of each position alone, with keepdim=True, and divide the variance by n.",
    zh="对每个位置单独在最后一维上求均值和方差，用 keepdim=True，方差除以 n。",
)
def test_last_dimension(agree):
    """Every position is normalised over its own last dimension, then scaled and shifted element by element.

    zh: 每个位置在自己的最后一维上归一化，再逐元素缩放和平移。
    """
    for shape in [(4, 7), (6, 5, 8), (2, 3, 5, 6), (2, 3, 1, 5, 4), (3, 2), (2, 1030)]:
        agree(build(shape[-1]), train(large(*shape)), train(large(*shape)))
    outlier = large(3, 200)
    outlier[1, 60] = 1e6
    agree(build(200), train(outlier))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "With a normalized_shape of k numbers, the statistics run over the last k dimensions together.",
    zh="normalized_shape 有 k 个数时，统计量在最后 k 维上合起来计算。",
)
def test_several_dimensions(agree):
    """With a tuple, mean and variance are taken over all of those last dimensions together.

    zh: 给出元组时，均值和方差在最后这几维上合起来计算。
    """
    for shape in [(3, 4), (5, 2, 4)]:
        agree(build(shape), train(large(2, 7, *shape)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Make a tuple of whatever is not an int, tuple(normalized_shape), and let the statistics run over as many last dimensions as it has.",
    zh="凡不是 int 的都转成元组：tuple(normalized_shape)；它有几项，统计量就在最后几维上计算。",
)
def test_shape_of_any_kind(agree):
    """normalized_shape may be a list, a torch.Size, or a tuple of a single number.

    zh: normalized_shape 可以是列表、torch.Size，或只含一个数的元组。
    """
    agree(build([5, 2, 4]), train(large(3, 5, 2, 4)))
    agree(build((7,)), train(large(2, 3, 7)))
    agree(probe("built_for_size", x=large(2, 7, 3, 4), dims=2))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Count the dimensions from the end: then it does not matter how many come before them, if any.",
    zh="从末尾数维：这样前面有几维、甚至有没有，都无所谓。",
)
def test_one_position(agree):
    """An input may be a single position, without a batch dimension.

    zh: 输入可以只有一个位置，没有批维。
    """
    agree(build((3, 4)), train(large(3, 4)), evaluate(large(3, 4)))
    agree(build(6), train(large(6)), evaluate(large(6)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is (x − μ) / sqrt(σ² + eps): eps stands inside the root, and its default is 1e-5.",
    zh="公式是 (x − μ) / sqrt(σ² + eps)：eps 在根号内，默认值是 1e-5。",
)
def test_eps(agree):
    """Where the variance is as small as eps, or 0, eps decides: it is added to the variance, inside the root; its default is 1e-5.

    zh: 方差与 eps 一样小，或为 0 时，eps 起决定作用：它加在方差上，在根号内；默认值是 1e-5。
    """
    for eps, layer in ((1e-5, build(8)), (1e-3, build(8, eps=1e-3))):
        agree(layer, train(rows(6, 5, 8) * eps**0.5), evaluate(rows(6, 5, 8) * eps**0.5))
    agree(build(6, eps=0.1), train(uniform(0.5, 2.0, 5, 1) * ones(1, 6)), evaluate(uniform(-2.0, -0.5, 5, 1) * ones(1, 6)))
    agree(build(1, eps=0.1), train(randn(4, 1)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "elementwise_affine=False means neither weight nor bias; bias=False means a weight alone.",
    zh="elementwise_affine=False 表示既没有 weight 也没有 bias；bias=False 表示只有 weight。",
)
def test_switched_off(agree):
    """Without the affine step, or without the bias, the rest of the formula stays as it is.

    zh: 没有仿射变换，或没有偏置时，公式的其余部分不变。
    """
    for switches in [{"elementwise_affine": False}, {"bias": False}, {"elementwise_affine": False, "bias": False}]:
        agree(build(7, **switches), train(large(4, 3, 7)), evaluate(large(5, 7), gradients="no_grad"))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`weight` and `bias` are nn.Parameters of the normalised shape, ones and zeros; a switched-off one is registered as None.",
    zh="`weight` 和 `bias` 是 nn.Parameter，形状是 normalized_shape，初值为 1 和 0；关闭的参数注册为 None。",
)
def test_new_layer(agree):
    """A new layer's state dict has PyTorch's keys, shapes and initial values, and none for what is switched off.

    zh: 新建的层，状态字典的键、形状和初值与 PyTorch 相同；关闭的项不在其中。
    """
    for shape in [6, (3, 5)]:
        agree(build(shape))
        agree(build(shape, bias=False))
        agree(build(shape, elementwise_affine=False))
        agree(build(shape, elementwise_affine=False, bias=False))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Mean and variance depend on x too: let autograd differentiate through both of them, without detach or no_grad.",
    zh="均值和方差也依赖于 x：让 autograd 对两者求导，不要用 detach 或 no_grad。",
)
def test_gradients(agree):
    """The gradients flow through mean and variance as well, and reach input, weight and bias.

    zh: 梯度也流经均值和方差，并到达输入、weight 和 bias。
    """
    agree(build(3), train(large(5, 3)), evaluate(large(4, 2, 3)))
    agree(build((2, 9)), train(large(3, 2, 9)))
    agree(build(3).filled(weight=[0.0, 1.5, -1.0]), train(large(4, 3)))


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
    layers = (build(64), [64]), (build((4, 16), bias=False), [4, 16]), (build((4, 16), elementwise_affine=False), [4, 16])
    for layer, shape in (*layers, (build(64, elementwise_affine=False), [64])):
        agree(layer, train((randn(3, 5, *shape) + 1000) * 1000), evaluate((randn(3, *shape) - 1000) * 1000))
        agree(layer, train((randn(3, 5, *shape) + 10000) * 1000), evaluate((randn(3, *shape) + 10000) * 1000, gradients="no_grad"))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Compute mean and variance in float32, whatever comes in; cast the result back to the input's dtype.",
    zh="无论输入是什么，都在 float32 中计算均值和方差；结果再转回输入的 dtype。",
)
def test_half_precision(agree):
    """Half-precision input is normalised with float32 statistics, and comes back in its own dtype.

    zh: 半精度输入用 float32 的统计量归一化，输出仍是输入的 dtype。
    """
    for dtype, offset, bias in (("float16", 1000, True), ("bfloat16", 10, False)):
        layer = build(64, eps=1e-12, bias=bias).to(dtype)
        agree(
            layer,
            train(randn(5, 64) * 300, dtype=dtype),
            evaluate(randn(5, 64) * 1e-3, dtype=dtype),
            train(randn(5, 64) + offset, dtype=dtype),
        )
