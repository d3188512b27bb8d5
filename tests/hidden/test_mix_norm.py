"""Hidden suite of `mix_norm`.

The norms have numbers of their own: with a weight of 1 and a bias of 0, a norm of what a norm returned changes nothing. Sublayers
differ, so that their order shows, and have biases and a curve. No product of a number of layers and a ratio is near a whole number, unless
the ratio is a multiple of 1/4, which is exact: right ways of rounding down may differ there.
"""

import pytest
from shared import coarse, rows

from normgrade.suite import (
    build,
    change,
    evaluate,
    feed_forward,
    identity,
    learn,
    linear,
    load,
    plain,
    probe,
    randn,
    scaled,
    swap,
    train,
    use,
    words,
)

KINDS = {"Post-LN": 1.0, "Pre-LN": 0.0}


def typical():
    """One Post-LN layer and three others, by default; and one layer of either kind, which tells the mistakes of the two apart."""
    return [
        use(build(6, [linear(6, 6), scaled(0.5), identity(), scaled(-0.7)]), rows(5, 6), rows(2, 3, 6), fixed=[-1]),
        use(build(5, [linear(5, 5)], 1.0), rows(2, 4, 5), rows(3, 5), fixed=[-1]),
        use(build(4, [linear(4, 4)], 0.0), rows(3, 4), rows(2, 5, 4), fixed=[-1]),
    ]


def real():
    """Layers of a hundred features."""
    return [
        use(build(96, [linear(96, 96), scaled(0.5), identity(), scaled(-0.7)]), rows(2, 96), rows(1, 2, 96), [-1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `MixNormStack(6, [f, g, h, k])`, and call it on a tensor of shape (4, 6).",
    zh="用 `MixNormStack(6, [f, g, h, k])` 构造，再对形状为 (4, 6) 的张量调用。",
)
def test_call(observe):
    """The stack can be built from a list of sublayers and called, and returns a tensor of its input's shape.

    zh: 堆叠可以由子层的列表构造和调用，返回的张量与输入的形状相同。
    """
    output = observe(build(6, [linear(6, 6)] * 4), train(randn(4, 6), backward=False))["step 1 · output"]
    assert output.values.shape == (4, 6), words(
        f"the output should have the input's shape (4, 6), but has {output.values.shape}",
        zh=f"输出的形状应当与输入相同，是 (4, 6)，实际是 {output.values.shape}",
    )


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "With a ratio of 1 each layer is LN(x + F(x)): the sublayer sees x as it is, and the norm is applied to the sum.",
    zh="比例为 1 时每一层都是 LN(x + F(x))：子层看到的是 x 本身，归一化作用于和。",
)
def test_post_layers(agree):
    """A Post-LN layer adds what the sublayer makes of x to x, and normalises the sum.

    zh: Post-LN 层把子层对 x 的输出加到 x 上，再对和做归一化。
    """
    for shape in ((7,), (4, 7), (2, 1, 3, 1, 2, 4)):
        agree(build(shape[-1], [feed_forward(shape[-1])], 1.0), train(rows(*shape)), evaluate(rows(*shape)))
    agree(build(7, [linear(7, 7), scaled(0.5), feed_forward(7)], 1), train(rows(4, 7)), evaluate(100 * rows(2, 3, 7)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "With a ratio of 0 each layer is x + F(LN(x)): x itself is added as it came, and nothing follows the last layer.",
    zh="比例为 0 时每一层都是 x + F(LN(x))：相加的是原样的 x，最后一层之后什么也没有。",
)
def test_pre_layers(agree):
    """A Pre-LN layer gives the sublayer the layer norm of x, and adds what comes back to x as it is; no norm follows the last.

    zh: Pre-LN 层把 x 的层归一化交给子层，再把子层的输出加到原样的 x 上；最后一层之后没有归一化。
    """
    for shape in ((7,), (4, 7), (2, 1, 3, 1, 2, 4)):
        agree(build(shape[-1], [feed_forward(shape[-1])], 0.0), train(rows(*shape)), evaluate(rows(*shape)))
    agree(build(7, [linear(7, 7), scaled(0.5), feed_forward(7)], 0), train(rows(4, 7)), evaluate(100 * rows(2, 3, 7)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "One loop over the layers in the order of the list: the first ones are Post-LN, all others Pre-LN.",
    zh="按列表的顺序对各层循环一次：靠前的是 Post-LN，其余都是 Pre-LN。",
)
def test_mixed(agree):
    """The first layers are Post-LN, the rest Pre-LN, in the order of the list; each has its own norm.

    zh: 按列表的顺序，靠前的层是 Post-LN，其余是 Pre-LN；每一层有自己的归一化。
    """
    agree(build(7, [linear(7, 7), feed_forward(7)], 0.5), train(rows(4, 7)), evaluate(rows(2, 3, 7)), train(rows(7)))
    agree(build(5, [scaled(1.5), feed_forward(5), identity(), linear(5, 5)], 0.75), train(rows(3, 4, 5)), evaluate(100 * rows(6, 5)))
    agree(build(3, [linear(3, 3), scaled(-0.6)] * 6, 0.3), train(rows(5, 3)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "math.floor(len(sublayers) * post_ratio): 2.5 becomes 2, and 0.75 becomes 0. The default of post_ratio is 0.25.",
    zh="math.floor(len(sublayers) * post_ratio)：2.5 取 2，0.75 取 0。post_ratio 的默认值是 0.25。",
)
def test_how_many(agree):
    """⌊L · post_ratio⌋ layers are Post-LN, rounded down; that can be none, or all. Without layers, x comes back as it is.

    zh: Post-LN 有 ⌊L · post_ratio⌋ 层，向下取整；可以一层也没有，也可以是全部。没有层时，x 原样返回。
    """
    for count, ratios in ((10, [0.0, 0.25]), (3, [0.25, 0.6, 0.99]), (4, [0.7]), (1, [0.9]), (13, [0.98])):
        for ratio in ratios:
            agree(build(4, [scaled(0.3)] * count, ratio), evaluate(rows(3, 4), backward=False))
    for ratio in (0.25, 1.0):
        agree(build(4, [], ratio), train(rows(3, 4)), evaluate(rows(2, 4), gradients="no_grad"))
    agree(build(4, [scaled(0.3)] * 9), evaluate(rows(3, 4)))
    agree(build(1, [feed_forward(1)] * 4), train(rows(4, 1), backward=False))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Call each sublayer once, with one tensor, whatever type it has. Write sums as new tensors: `+=` may write into x, or into what a "
    "sublayer needs later.",
    zh="每个子层只调用一次，只传一个张量，不论它是什么类型。和要写成新张量：`+=` 可能会写进 x，或写进子层以后还要用的张量。",
)
def test_functions_as_sublayers(agree):
    """Sublayers may be plain functions: each forward calls each once, in order; what it returns, even its own input, is left alone.

    zh: 子层可以是普通函数：每次前向按顺序各调用一次；它返回的张量，即使就是它的输入，也不被改动。
    """
    for shape in ((6,), (3, 3, 3, 3)):
        agree(probe("given", x=rows(*shape), count=3, ratio=0.5, upstream=randn(*shape)))
    agree(probe("given", x=rows(4, 5), count=4, ratio=0.5, upstream=randn(4, 5)))
    mixed = [linear(6, 6), plain(0.5), linear(6, 6), plain(-0.7)]
    agree(build(6, mixed), train(rows(5, 6)), evaluate(rows(2, 3, 6)))
    agree(build(6, mixed[1:], 0.5), train(rows(5, 6)))
    for ratio in KINDS.values():
        agree(probe("returned", x=rows(4, 3), ratio=ratio, upstream=randn(4, 3)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "nn.ModuleList(nn.LayerNorm(dim) for _ in sublayers): one for each sublayer, as PyTorch builds it, and none at the end.",
    zh="nn.ModuleList(nn.LayerNorm(dim) for _ in sublayers)：每个子层一个，用 PyTorch 的默认设置，最后没有额外的归一化。",
)
def test_norms(agree):
    """A new stack has one torch.nn.LayerNorm(dim) for each sublayer, in their order, and no other parameters of its own.

    zh: 新的堆叠按顺序为每个子层各有一个 torch.nn.LayerNorm(dim)，自己没有其他参数。
    """
    agree(build(7, [linear(7, 7), scaled(0.5)], 0.5).as_built(), train(rows(4, 7)))
    for dim, count, ratio in ((5, 1, 1.0), (3, 12, 0.25), (4, 0, 0.25)):
        agree(probe("norms", dim=dim, count=count, ratio=ratio))


@pytest.mark.kind("state")
@pytest.mark.points(2)
@pytest.mark.hint(
    "A plain list registers nothing: put the Modules into an nn.ModuleList. Register each once; copy and change nothing.",
    zh="普通列表不注册任何东西：把其中的 Module 放进 nn.ModuleList。每个只注册一次，不要复制，也不要改动。",
)
def test_registered(agree):
    """Sublayers that are Modules are part of the stack, with their parameters and modes; they stay as they were.

    zh: 作为 Module 的子层是堆叠的一部分，参数和模式都在内；它们保持原样。
    """
    for training in (True, False):
        for count, ratio in ((3, 0.5), (1, 0.0), (1, 1.0)):
            agree(probe("new", training=training, x=rows(2, 3), count=count, ratio=ratio))
    agree(probe("shared", x=rows(3, 5)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "x has two paths through each layer, and the gradient takes both: no detach. Keep nothing from one call to the next.",
    zh="x 经过每一层都有两条通路，梯度两条都走：不要 detach。两次调用之间不要保留任何东西。",
)
def test_gradients(agree):
    """The gradient takes the residual path and the branch of every layer, and reaches x and all parameters, also of a sublayer that returns
    zeros; what was learnt counts from the next call on.

    zh: 梯度经过每一层的残差通路和分支，到达 x 和所有参数，子层输出为零时也一样；学到的内容从下一次调用起生效。
    """
    agree(build(3, [feed_forward(3), linear(3, 3), feed_forward(3)], 0.5), train(rows(5, 3)), evaluate(rows(2, 4, 3)))
    zero = {"sublayer.weight": 0.0, "sublayer.bias": 0.0}
    for ratio in KINDS.values():
        x = rows(4, 5)
        steps = train(x), learn(0.1), evaluate(x), change(), train(x), load(), evaluate(x, gradients="no_grad")
        agree(build(5, [linear(5, 5)], ratio), *steps)
        agree(build(4, [linear(4, 4)], ratio).filled(**zero), train(rows(3, 4)))
    other = swap(4, [scaled(0.5), identity(), scaled(0.7)], 0.9)
    agree(build(4, [linear(4, 4)], 0.0), train(rows(3, 4)), other, evaluate(rows(2, 4)), swap(), train(rows(3, 4)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Where what is normalised is small, eps counts: it is the 1e-5 of torch.nn.LayerNorm(dim).",
    zh="被归一化的数很小时 eps 起作用：它是 torch.nn.LayerNorm(dim) 的 1e-5。",
)
def test_small_input(agree):
    """Where the variance is as small as the eps of torch.nn.LayerNorm, eps decides; a constant position is fine.

    zh: 方差小到与 torch.nn.LayerNorm 的 eps 相当时，结果由 eps 决定；数值恒定的位置也没有问题。
    """
    for ratio in KINDS.values():
        x = rows(4, 6) * 0.003
        x[1] = 0.0
        agree(build(6, [identity()], ratio), train(x), evaluate(x))


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
    for ratio in KINDS.values():
        x = rows(5, 6) + 500
        agree(build(6, [scaled(0.5)], ratio), train(x), evaluate(x))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "torch.nn.LayerNorm keeps the dtype of its input. A norm by hand widens half precision before its first sum, and goes back at its end.",
    zh="torch.nn.LayerNorm 保持输入的 dtype。手写归一化时，在第一次求和之前提升半精度，最后再转换回来。",
)
def test_dtypes(agree):
    """float64, float16 and bfloat16 come back as they came; float64 is computed with no less, and half precision has wider statistics.

    zh: float64、float16 和 bfloat16 以原来的 dtype 返回；float64 不会用更低的精度计算，半精度的统计量用更宽的类型。
    """
    for dtype in ("float64", "float16", "bfloat16"):
        steps = train(rows(4, 6), dtype=dtype, backward=True), evaluate(rows(2, 3, 6), dtype=dtype, gradients="no_grad")
        agree(build(6, [feed_forward(6), scaled(0.5)], 0.5).to(dtype), *steps)
    for ratio in KINDS.values():
        agree(build(8, [scaled(0.5)], ratio).to("float16"), evaluate(coarse(6, 8) * 2048, dtype="float16"))
        for dtype in ("float16", "bfloat16"):
            agree(probe("narrow", x=rows(4, 6), dtype=dtype, ratio=ratio))
        spoilt = coarse(4, 5)
        spoilt[0, 1], spoilt[2, 3] = float("inf"), float("nan")
        agree(build(5, [scaled(0.5)], ratio).to("float16"), evaluate(spoilt, dtype="float16"))
        huge = rows(5, 6) * 1e25  # whose square float32 does not hold
        agree(build(6, [feed_forward(6)], ratio).to("float64"), train(huge, dtype="float64"), evaluate(huge, dtype="float64"))
        huge = rows(3, 6).astype("float64") * 1e40  # more than float32 holds
        agree(build(6, [scaled(0.5)], ratio).to("float64"), evaluate(huge, dtype="float64", frozen=True, backward=False))
