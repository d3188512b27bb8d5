"""Hidden suite of `layer_norm`.

No two sizes in a shape agree. Rows differ in mean and scale, so that statistics over the wrong numbers show. Most layers have a large eps:
its place then matters at every input.
"""

import pytest

from normgrade.suite import build, evaluate, ones, randn, reload, train, uniform, use, words

EPS = 0.1


def rows(*shape):
    """Random rows, each with a mean and a scale of its own."""
    ones_last = (*shape[:-1], 1)
    return randn(*shape) * uniform(0.3, 2.0, *ones_last) + uniform(-1.5, 1.5, *ones_last)


def typical():
    """The layer as it is used: over one dimension and over several, with every switch."""
    return [
        use(build(6, eps=EPS), rows(5, 6), rows(2, 3, 6), fixed=[-1]),
        use(build((3, 5), eps=EPS), rows(4, 3, 5), rows(2, 7, 3, 5), fixed=[-2, -1]),
        use(build(6, eps=EPS, elementwise_affine=False), rows(5, 6), rows(2, 3, 6), fixed=[-1]),
        use(build(6, eps=EPS, bias=False), rows(5, 6), rows(2, 3, 6), fixed=[-1]),
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
    output = observe(build(5), train(randn(5)))["step 1 · output"]
    assert output.dtype == "float32", words(
        f"the output should be float32, as the input is, but is {output.dtype}", zh=f"输出应当与输入一样是 float32，实际是 {output.dtype}"
    )
    assert output.values.shape == (5,), words(
        f"the output should have the input's shape (5,), but has {output.values.shape}",
        zh=f"输出的形状应当与输入相同，是 (5,)，实际是 {output.values.shape}",
    )


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Take mean and variance over the last dimension of each position alone, with keepdim=True, and divide the variance by n.",
    zh="对每个位置单独在最后一维上求均值和方差，用 keepdim=True，方差除以 n。",
)
@pytest.mark.parametrize("shape", [(4, 7), (6, 5, 8), (2, 3, 5, 6)])
def test_last_dimension(agree, shape):
    """Every position is normalised over its own last dimension, then scaled and shifted element by element.

    zh: 每个位置在自己的最后一维上归一化，再逐元素缩放和平移。
    """
    agree(build(shape[-1], eps=EPS), train(rows(*shape)), train(rows(*shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "With a normalized_shape of k numbers, the statistics run over the last k dimensions together.",
    zh="normalized_shape 有 k 个数时，统计量在最后 k 维上合起来计算。",
)
@pytest.mark.parametrize("normalized_shape", [(3, 4), [5, 2, 4]])
def test_several_dimensions(agree, normalized_shape):
    """With a tuple, mean and variance are taken over all of those last dimensions together.

    zh: 给出元组时，均值和方差在最后这几维上合起来计算。
    """
    agree(build(normalized_shape, eps=EPS), train(rows(2, 7, *normalized_shape)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "The formula is (x − μ) / sqrt(σ² + eps): eps stands inside the root, and its default is 1e-5.",
    zh="公式是 (x − μ) / sqrt(σ² + eps)：eps 在根号内，默认值是 1e-5。",
)
@pytest.mark.parametrize("arguments", [{}, {"eps": 1e-3}])
def test_eps(agree, arguments):
    """Where the variance is as small as eps, eps decides: it is added to the variance, inside the root; its default is 1e-5.

    zh: 方差与 eps 一样小时，eps 起决定作用：它加在方差上，在根号内；默认值是 1e-5。
    """
    scale = arguments.get("eps", 1e-5) ** 0.5
    agree(build(8, **arguments), train(rows(6, 5, 8) * scale), evaluate(rows(6, 5, 8) * scale))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "elementwise_affine=False means neither weight nor bias; bias=False means a weight alone.",
    zh="elementwise_affine=False 表示既没有 weight 也没有 bias；bias=False 表示只有 weight。",
)
@pytest.mark.parametrize("arguments", [{"elementwise_affine": False}, {"bias": False}])
def test_switched_off(agree, arguments):
    """Without the affine step, or without the bias, the rest of the formula stays as it is.

    zh: 没有仿射变换，或没有偏置时，公式的其余部分不变。
    """
    agree(build(7, eps=EPS, **arguments), train(rows(4, 3, 7)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`weight` and `bias` are nn.Parameters of the normalised shape, ones and zeros; a switched-off one is registered as None.",
    zh="`weight` 和 `bias` 是 nn.Parameter，形状是 normalized_shape，初值为 1 和 0；关闭的参数注册为 None。",
)
@pytest.mark.parametrize("normalized_shape", [6, (3, 5)])
def test_new_layer(agree, normalized_shape):
    """A new layer's state dict has PyTorch's keys, shapes and initial values, and none for what is switched off.

    zh: 新建的层，状态字典的键、形状和初值与 PyTorch 相同；关闭的项不在其中。
    """
    agree(build(normalized_shape))
    agree(build(normalized_shape, bias=False))
    agree(build(normalized_shape, elementwise_affine=False))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Only nn.Parameters (and buffers) travel through state_dict; nothing else about the layer may change while it is used.",
    zh="只有 nn.Parameter（和缓冲区）随 state_dict 传递；使用过程中，层的其他内容都不应改变。",
)
def test_same_in_evaluation(agree):
    """Evaluation computes what training computes, nothing is remembered between calls, and a reloaded state dict restores the layer.

    zh: 评估与训练的计算相同，两次调用之间不记住任何东西，重新载入状态字典可以恢复这个层。
    """
    agree(build(7, EPS), train(rows(4, 7) + 2), evaluate(rows(4, 7)), train(rows(4, 7)), reload(), evaluate(rows(1, 7)))


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
    agree(build(3, eps=EPS), train(randn(5, 3)), evaluate(randn(4, 2, 3)))
    agree(build((2, 9), eps=EPS), train(randn(3, 2, 9)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "A row of equal numbers has variance 0: eps inside the root keeps the division, and its gradient, finite.",
    zh="各数相等的行方差为 0：根号内的 eps 使除法及其梯度保持有限。",
)
def test_constant_rows(agree):
    """Rows of equal numbers become the bias, with finite gradients; so does a single feature.

    zh: 各数相等的行变成 bias，梯度有限；只有一个特征时也是如此。
    """
    agree(build(6, eps=EPS), train(uniform(0.5, 2.0, 5, 1) * ones(1, 6)), evaluate(uniform(-2.0, -0.5, 5, 1) * ones(1, 6)))
    agree(build(1, eps=EPS), train(randn(4, 1)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`view` needs its numbers side by side in memory; `reshape`, or no reshaping at all, does not.",
    zh="`view` 要求数据在内存中连续；`reshape` 没有这个要求，干脆不改变形状也行。",
)
def test_any_memory_layout(agree):
    """Inputs that are not contiguous in memory, and inputs without a batch, are as good as any; none is changed.

    zh: 内存不连续的输入、没有批维的输入都能正常处理；输入都不会被改动。
    """
    agree(build((3, 4), eps=EPS), train(rows(2, 5, 3, 4), scattered=True), evaluate(rows(5, 3, 4), scattered=True))
    agree(build((3, 4), eps=EPS), train(rows(3, 4)))
    agree(build(6, eps=EPS), train(rows(6)))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Right formula, unstable arithmetic: E[x²] − E[x]² cancels when the mean is large. Subtract the mean first, then square.",
    zh="公式没错，算术不稳定：均值很大时，E[x²] − E[x]² 会相消。先减去均值，再平方。",
)
def test_large_offset(agree):
    """A mean that is large beside the deviation leaves the result intact.

    zh: 均值相对标准差很大时，结果依然准确。
    """
    agree(build(64), train(randn(3, 5, 64) + 1000), evaluate(randn(3, 64) - 1000))
    agree(build(64), train(randn(3, 5, 64) + 10000))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Compute mean and variance in float32, whatever comes in; cast the result back to the input's dtype.",
    zh="无论输入是什么，都在 float32 中计算均值和方差；结果再转回输入的 dtype。",
)
@pytest.mark.parametrize("case", ["float16 large", "float16 small", "bfloat16 offset"])
def test_half_precision(agree, case):
    """Half-precision input is normalised with float32 statistics, and comes back in its own dtype.

    zh: 半精度输入用 float32 的统计量归一化，输出仍是输入的 dtype。
    """
    dtype, _, size = case.partition(" ")
    x = {"large": randn(5, 64) * 300, "small": randn(5, 64) * 1e-3, "offset": randn(5, 64) + 10}[size]
    agree(build(64).to(dtype), train(x, dtype), evaluate(x, dtype))
    agree(build(64), train(x, dtype))
