"""Hidden suite of `layer_norm_scaling`.

Positions differ in mean and in spread, and no two sizes in a shape agree. No layer but that of `test_first_layer` is the first, where the
factor is 1 and hides every mistake about it; the numbers of the layers are such that ℓ, √ℓ, ℓ ± 1 and 2ℓ are told apart. The sublayer has
biases and is not linear: behind a linear one without bias, a factor before the sublayer and one behind it do the same.
"""

import pytest

from normgrade.suite import build, evaluate, feed_forward, identity, linear, probe, randn, scaled, train, uniform, use, words


def rows(*shape):
    """Random positions, each with a mean and a spread of its own."""
    return randn(*shape) * uniform(0.5, 2.0, *shape[:-1], 1) + uniform(-2.0, 2.0, *shape[:-1], 1)


def typical():
    """The block as it is used: around a network, around one layer, and as the first of a model."""
    return [
        use(build(6, feed_forward(6), 3), rows(5, 6), rows(2, 3, 6), fixed=[-1]),
        use(build(5, linear(5, 5), 7), rows(2, 4, 5), rows(3, 5), fixed=[-1]),
        use(build(4, feed_forward(4), 1), rows(3, 4), rows(2, 5, 4), fixed=[-1]),
    ]


def real():
    """A block of a hundred features, deep in a model."""
    return [
        use(build(96, linear(96, 96), 24), rows(2, 96), rows(1, 2, 96), [-1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `ScaledPreNorm(6, torch.nn.Linear(6, 6), 3)`, and call it on a tensor of shape (4, 6).",
    zh="用 `ScaledPreNorm(6, torch.nn.Linear(6, 6), 3)` 构造，再对形状为 (4, 6) 的张量调用。",
)
def test_call(observe):
    """The block can be built and called, and returns a tensor of its input's shape and dtype.

    zh: 残差块可以构造和调用，返回的张量与输入的形状和 dtype 相同。
    """
    for step, shape in ((train, (4, 6)), (evaluate, (2, 3, 6))):
        output = observe(build(6, linear(6, 6), 3), step(randn(*shape), backward=False))["step 1 · output"]
        assert output.dtype == "float32", words(
            f"the output should be float32, as the input is, but is {output.dtype}",
            zh=f"输出应当与输入一样是 float32，实际是 {output.dtype}",
        )
        assert output.values.shape == shape, words(
            f"the output should have the input's shape {shape}, but has {output.values.shape}",
            zh=f"输出的形状应当与输入相同，是 {shape}，实际是 {output.values.shape}",
        )


@pytest.mark.kind("formula")
@pytest.mark.points(3)
@pytest.mark.hint(
    "Three steps, in this order: the norm, the division by √layer, the sublayer. Then x is added, as it came.",
    zh="依次三步：归一化、除以 √layer、子层；最后加上原样的 x。",
)
def test_formula(agree):
    """The output is x + F(LN(x) / √layer), in layers of every number.

    zh: 无论是第几层，输出都是 x + F(LN(x) / √layer)。
    """
    for layer, shape in [(2, (4, 7)), (5, (6, 5, 8)), (13, (2, 1, 3, 1, 2, 4)), (1000, (3,))]:
        agree(build(shape[-1], feed_forward(shape[-1]), layer), train(rows(*shape)), evaluate(rows(*shape)))
    agree(build(1, feed_forward(1), 3), train(rows(4, 1), backward=False))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Try identity as the sublayer: the output less x is then LN(x) / √layer.",
    zh="用恒等函数作子层试一试：输出减去 x 就是 LN(x) / √layer。",
)
def test_simple_sublayers(agree):
    """Whatever the sublayer is, the factor is on its input, and the residual path has none.

    zh: 无论子层是什么，因子只作用于它的输入，残差通路上没有因子。
    """
    for sublayer in [identity(), scaled(0.5), linear(7, 7)]:
        agree(build(7, sublayer, 6), train(rows(4, 7)), evaluate(100 * rows(2, 3, 7)))
    agree(build(300, identity(), 6), train(rows(2, 300)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Call the sublayer once, with one argument, and do not ask what type it has: a plain function has no parameters and no modes.",
    zh="子层只调用一次，只传一个参数，也不要检查它的类型：普通函数没有参数，也没有模式。",
)
def test_sublayer_called_once(agree):
    """The sublayer may be no module. It is called once, with LN(x) / √layer, and what it returns is left alone.

    zh: 子层可以不是模块。它只被调用一次，得到的是 LN(x) / √layer；它的返回值不被改动。
    """
    agree(probe("recorded", x=rows(4, 6), layer=1))
    agree(probe("recorded", x=rows(2, 3, 7), layer=5, training=False))
    agree(probe("recorded", x=rows(2, 1, 3, 2, 5), layer=6, gradients=False))
    agree(probe("recorded", x=rows(6), layer=3, training=False, gradients=False))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Layers are counted from 1. The first divides by √1: nothing changes there.", zh="层从 1 数起。第一层除以 √1，什么也不变。"
)
def test_first_layer(agree):
    """The first layer, with the number 1, is an ordinary Pre-LN block.

    zh: 第一层的编号是 1，它就是普通的 Pre-LN 块。
    """
    for shape in [(4, 7), (3, 2, 5)]:
        agree(build(shape[-1], feed_forward(shape[-1]), 1), train(rows(*shape)), evaluate(rows(*shape)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Where x is small, eps counts: it is that of torch.nn.LayerNorm(dim), and what is normalised is x itself.",
    zh="x 很小时 eps 起作用：它是 torch.nn.LayerNorm(dim) 的 eps，而被归一化的是 x 本身。",
)
def test_small_input(agree):
    """Positions with a small variance are normalised with the eps of torch.nn.LayerNorm, and before they are scaled.

    zh: 方差很小的位置按 torch.nn.LayerNorm 的 eps 归一化，而且先归一化再缩放。
    """
    for layer, shape in [(4, (5, 6)), (9, (2, 3, 8))]:
        x = rows(*shape) * 0.003
        agree(build(shape[-1], feed_forward(shape[-1]), layer), train(x), evaluate(x))


@pytest.mark.kind("stability")
@pytest.mark.points(1)
@pytest.mark.hint(
    "If you write the norm by hand, subtract the mean before you square: mean(x²) − mean(x)² cancels.",
    zh="如果手写归一化，请先减均值再平方：mean(x²) − mean(x)² 会相消。",
)
def test_large_mean(agree):
    """A position whose mean is large against its spread is normalised as precisely as any other.

    zh: 均值远大于离散程度的位置，归一化得与其他位置一样精确。
    """
    for layer, shape in [(3, (5, 6)), (11, (2, 3, 8))]:
        x = rows(*shape) + 500
        agree(build(shape[-1], feed_forward(shape[-1]), layer), train(x), evaluate(x))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "norm is a torch.nn.LayerNorm(dim) as PyTorch builds it. The factor is a number, no parameter or buffer. Keep the sublayer as it is.",
    zh="norm 是 PyTorch 默认构造的 torch.nn.LayerNorm(dim)。因子是一个数，不是参数，也不是缓冲区。把子层保存为属性。",
)
def test_new_block(agree):
    """A new block has the parameters of `norm`, a torch.nn.LayerNorm, and those of the sublayer, which is neither copied nor changed.

    zh: 新的残差块只有 `norm`（torch.nn.LayerNorm）的参数和子层的参数；子层既不被复制，也不被改动。
    """
    for sublayer in [feed_forward(7), linear(7, 7), identity()]:
        agree(build(7, sublayer, 3).as_built(), train(rows(4, 7)))
    agree(probe("shared", x=rows(3, 5)))
    agree(probe("norm", dim=5))


@pytest.mark.kind("gradient")
@pytest.mark.points(2)
@pytest.mark.hint(
    "x has two paths to the output, and the gradient takes both. Detach neither x nor what the norm returns.",
    zh="x 有两条通路到达输出，梯度两条都走。x 和归一化的输出都不要 detach。",
)
def test_gradients(agree):
    """The gradient reaches x by both paths, and the parameters of the norm and of the sublayer.

    zh: 梯度沿两条通路到达 x，也到达归一化和子层的参数。
    """
    for layer, shape in [(2, (5, 3)), (6, (4, 2, 9))]:
        agree(build(shape[-1], feed_forward(shape[-1]), layer), train(rows(*shape)), evaluate(rows(*shape)))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "√layer as a number of Python changes no dtype. A norm by hand widens half precision before its first sum, and goes back at its end.",
    zh="把 √layer 写成 Python 的数就不会改变 dtype。手写归一化时，在第一次求和之前提升半精度，最后再转换回来。",
)
def test_dtypes(agree):
    """float64, float16 and bfloat16 come back as they came; float64 is not computed with less, and half precision has wider statistics.

    zh: float64、float16 和 bfloat16 以原来的 dtype 返回；float64 不会用更低的精度计算，半精度的统计量用更宽的类型。
    """
    for dtype in ["float64", "float16", "bfloat16"]:
        for layer in [1, 3]:
            agree(build(6, feed_forward(6), layer).to(dtype), train(rows(4, 6), dtype=dtype), evaluate(rows(2, 3, 6), dtype=dtype))
            steps = [step(rows(5, 6), dtype=dtype, witness=dtype != "float64", backward=True) for step in (train, evaluate)]
            agree(build(6, identity(), layer).to(dtype), *steps)
    huge = rows(5, 6) * 1e25  # whose square float32 does not hold
    agree(build(6, feed_forward(6), 3).to("float64"), train(huge, dtype="float64"), evaluate(huge, dtype="float64"))
    for dtype, gradients in [("float16", "no_grad"), ("bfloat16", "inference_mode")]:
        x = rows(5, 6)
        agree(probe("given_dtype", x=x, layer=3, dtype=dtype))
        agree(build(6, identity(), 3).to(dtype), evaluate(x, dtype=dtype, witness=True, gradients=gradients))
