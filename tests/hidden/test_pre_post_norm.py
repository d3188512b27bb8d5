"""Hidden suite of `pre_post_norm`.

Positions differ in mean and in spread, and the norms have numbers of their own: with a weight of 1 and a bias of 0, a norm of what a norm
returned changes nothing. Sublayers differ, so that their order shows, and have biases and a curve. The three classes are graded apart, but
for the interface, which asks for the first alone.
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

BLOCKS = ("PostNorm", "PreNorm")
STACK = "PreNormStack"
KINDS = (*BLOCKS, STACK)


def block(kind, dim, *sublayers):
    """One of the blocks around its sublayer, or a stack of some."""
    return build(dim, [*sublayers] if kind == STACK else sublayers[0]).named(kind)


def typical():
    """A stack of layers, and a block of each kind."""
    return [
        use(block(STACK, 6, linear(6, 6), scaled(0.5), feed_forward(6)), rows(5, 6), rows(2, 3, 6), fixed=[-1]),
        use(block("PostNorm", 5, linear(5, 5)), rows(2, 4, 5), rows(3, 5), fixed=[-1]),
        use(block("PreNorm", 4, feed_forward(4)), rows(3, 4), rows(2, 5, 4), fixed=[-1]),
    ]


def real():
    """Layers of a hundred features."""
    return [
        use(block(STACK, 96, linear(96, 96), scaled(0.5)), rows(2, 96), rows(1, 2, 96), [-1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `PostNorm(6, torch.nn.Linear(6, 6))`, and call it on a tensor of shape (4, 6).",
    zh="用 `PostNorm(6, torch.nn.Linear(6, 6))` 构造，再对形状为 (4, 6) 的张量调用。",
)
def test_call(observe):
    """PostNorm can be built and called, and returns a tensor of its input's shape.

    zh: PostNorm 可以构造和调用，返回的张量与输入的形状相同。
    """
    output = observe(block("PostNorm", 6, linear(6, 6)), train(randn(4, 6), backward=False))["step 1 · output"]
    assert output.values.shape == (4, 6), words(
        f"the output should have the input's shape (4, 6), but has {output.values.shape}",
        zh=f"输出的形状应当与输入相同，是 (4, 6)，实际是 {output.values.shape}",
    )


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "LN(x + F(x)): the sublayer sees x as it is, and the norm is applied to the sum.",
    zh="LN(x + F(x))：子层看到的是 x 本身，归一化作用于和。",
)
def test_post_norm(agree):
    """PostNorm adds what the sublayer makes of x to x, and normalises the sum.

    zh: PostNorm 把子层对 x 的输出加到 x 上，再对和做归一化。
    """
    for shape in ((7,), (4, 7), (6, 5, 8), (2, 1, 3, 1, 2, 4)):
        agree(block("PostNorm", shape[-1], feed_forward(shape[-1])), train(rows(*shape)), evaluate(rows(*shape)))
    for sublayer in (linear(7, 7), scaled(0.5), identity()):
        agree(block("PostNorm", 7, sublayer), train(rows(4, 7)), evaluate(100 * rows(2, 3, 7)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "x + F(LN(x)): the norm is on the branch, in front of the sublayer. x itself is added as it came.",
    zh="x + F(LN(x))：归一化在分支上，位于子层之前。相加的是原样的 x。",
)
def test_pre_norm(agree):
    """PreNorm gives the sublayer the layer norm of x, and adds what comes back to x as it is.

    zh: PreNorm 把 x 的层归一化交给子层，再把子层的输出加到原样的 x 上。
    """
    for shape in ((7,), (4, 7), (6, 5, 8), (2, 1, 3, 1, 2, 4)):
        agree(block("PreNorm", shape[-1], feed_forward(shape[-1])), train(rows(*shape)), evaluate(rows(*shape)))
    for sublayer in (linear(7, 7), scaled(0.5), identity()):
        agree(block("PreNorm", 7, sublayer), train(rows(4, 7)), evaluate(100 * rows(2, 3, 7)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "x = block(x) for each Pre-LN block in the order of the list, then norm(x), once and at the very end.",
    zh="按列表的顺序对每个 Pre-LN 块做 x = block(x)，最后做一次 norm(x)。",
)
def test_stack(agree):
    """PreNormStack goes through one Pre-LN block for each sublayer, in order, and ends with a norm of its own.

    zh: PreNormStack 依次经过每个子层的 Pre-LN 块，最后再做一次它自己的归一化。
    """
    agree(block(STACK, 7, linear(7, 7), feed_forward(7)), train(rows(4, 7)), evaluate(rows(2, 3, 7)), train(rows(7)))
    agree(block(STACK, 5, scaled(1.5), feed_forward(5), identity()), train(rows(3, 4, 5)), evaluate(100 * rows(6, 5)))
    agree(block(STACK, 3, *[linear(3, 3), scaled(-0.6)] * 6), train(rows(5, 3)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Nothing is special about one sublayer, about many, or about none: the last norm is applied in every case, and once.",
    zh="一个、许多或没有子层都不是特例：任何情况下最后的归一化都恰好做一次。",
)
def test_depth(agree):
    """A stack may have one sublayer, many, or none, which leaves the last norm; a position may have a single feature.

    zh: 堆叠可以有一个子层、许多子层，也可以没有子层，这时只剩最后的归一化；一个位置也可以只有一个特征。
    """
    agree(block(STACK, 6), train(rows(4, 6)), evaluate(rows(2, 3, 6)))
    agree(block(STACK, 6, feed_forward(6)), train(rows(4, 6)), evaluate(rows(2, 3, 6)))
    agree(block(STACK, 5, *[scaled(0.3)] * 13), evaluate(rows(3, 5), backward=False))
    for kind in KINDS:
        agree(block(kind, 1, feed_forward(1)), train(rows(4, 1), backward=False))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Call the sublayer once, with one tensor, whatever type it has. Write sums as new tensors: `+=` may write into x, or into what a "
    "sublayer needs later.",
    zh="子层只调用一次，只传一个张量，不论它是什么类型。和要写成新张量：`+=` 可能会写进 x，或写进子层以后还要用的张量。",
)
def test_functions_as_sublayers(agree):
    """A sublayer may be a plain function: each forward calls it once, in order; what it returns, even its own input, is left alone.

    zh: 子层可以是普通函数：每次前向按顺序各调用一次；它返回的张量，即使就是它的输入，也不被改动。
    """
    for kind, count in (("PostNorm", 1), ("PreNorm", 1), (STACK, 3)):
        for shape in ((6,), (3, 3, 3, 3), (2, 1, 3, 2, 4)):
            agree(probe("given", kind=kind, x=rows(*shape), count=count, upstream=randn(*shape)))
        agree(probe("returned", kind=kind, x=rows(4, 3), upstream=randn(4, 3)))
    agree(block(STACK, 6, linear(6, 6), plain(0.5), linear(6, 6), plain(-0.7)), train(rows(5, 6)), evaluate(rows(2, 3, 6)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Each norm is a torch.nn.LayerNorm(dim) as PyTorch builds it: one in a block; in a stack one for each sublayer, and `norm`.",
    zh="每个归一化层都是 PyTorch 默认构造的 torch.nn.LayerNorm(dim)：块中一个；堆叠中每个子层一个，另加 `norm`。",
)
def test_norms(agree):
    """A block has one norm, `norm`; a stack has one for each sublayer, in their order, and `norm`. Each is a torch.nn.LayerNorm(dim).

    zh: 块有一个归一化层 `norm`；堆叠按顺序为每个子层各有一个，另加 `norm`。每个都是 torch.nn.LayerNorm(dim)。
    """
    for kind in KINDS:
        agree(block(kind, 7, linear(7, 7)).as_built(), train(rows(4, 7)))
        agree(probe("norms", kind=kind, dim=5))
    agree(probe("norms", kind=STACK, dim=3, count=12))
    agree(probe("norms", kind=STACK, dim=4, count=0))


@pytest.mark.kind("state")
@pytest.mark.points(2)
@pytest.mark.hint(
    "A Module is registered as an attribute or in an nn.ModuleList, and in no plain list. Register it once; copy and change nothing.",
    zh="Module 要作为属性或放进 nn.ModuleList 才会注册，放进普通列表不会。只注册一次，不要复制，也不要改动。",
)
def test_registered(agree):
    """Sublayers that are Modules are part of the block or of the stack, with their parameters and modes; they stay as they were.

    zh: 作为 Module 的子层是块或堆叠的一部分，参数和模式都在内；它们保持原样。
    """
    for training in (True, False):
        for kind, count in (("PostNorm", 1), ("PreNorm", 1), (STACK, 3)):
            agree(probe("new", kind=kind, training=training, x=rows(2, 3), count=count))
            if training:
                agree(probe("bare", kind=kind))
    agree(probe("shared", x=rows(3, 5)))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "x has two paths to the output, and the gradient takes both: no detach. Keep nothing from one call to the next.",
    zh="x 有两条通路到达输出，梯度两条都走：不要 detach。两次调用之间不要保留任何东西。",
)
def test_gradients(agree):
    """The gradient takes the residual path and the branch, and reaches x and all parameters, also of a sublayer that returns zeros; what
    was learnt counts from the next call on.

    zh: 梯度经过残差通路和分支，到达 x 和所有参数，子层输出为零时也一样；学到的内容从下一次调用起生效。
    """
    for kind in KINDS:
        agree(block(kind, 3, feed_forward(3)), train(rows(5, 3)), evaluate(rows(2, 4, 3)))
        x = rows(4, 5)
        agree(block(kind, 5, linear(5, 5)), train(x), learn(0.1), evaluate(x), change(), train(x), load(), evaluate(x, gradients="no_grad"))
        zero = {"sublayer.weight": 0.0, "sublayer.bias": 0.0}
        agree(block(kind, 4, linear(4, 4)).filled(**zero), train(rows(3, 4)))
    for kind, other in (("PreNorm", scaled(0.5)), (STACK, [scaled(0.5), identity()])):
        story = block(kind, 4, linear(4, 4))
        agree(story, train(rows(3, 4)), swap(4, other), evaluate(rows(2, 4)), swap(), train(rows(3, 4)))


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
    for kind in KINDS:
        for sublayer in (scaled(0.5), identity()):
            x = rows(4, 6) * 0.003
            x[1] = 0.0
            agree(block(kind, 6, sublayer), train(x), evaluate(x))


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
    for kind in KINDS:
        x = rows(5, 6) + 500
        agree(block(kind, 6, scaled(0.5)), train(x), evaluate(x))


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
    for kind in KINDS:
        for dtype in ("float64", "float16", "bfloat16"):
            steps = train(rows(4, 6), dtype=dtype, backward=True), evaluate(rows(2, 3, 6), dtype=dtype, gradients="no_grad")
            agree(block(kind, 6, feed_forward(6), scaled(0.5)).to(dtype), *steps)
        agree(block(kind, 8, scaled(0.5)).to("float16"), evaluate(coarse(6, 8) * 2048, dtype="float16"))
        for dtype in ("float16", "bfloat16"):
            agree(probe("narrow", kind=kind, x=rows(4, 6), dtype=dtype))
            spoilt = coarse(4, 5, dtype=dtype)
            spoilt[0, 1], spoilt[2, 3] = float("inf"), float("nan")
            agree(block(kind, 5, scaled(0.5)).to(dtype), evaluate(spoilt, dtype=dtype))
        huge = rows(5, 6) * 1e25  # whose square float32 does not hold
        agree(block(kind, 6, feed_forward(6)).to("float64"), train(huge, dtype="float64"), evaluate(huge, dtype="float64"))
        huge = rows(3, 6).astype("float64") * 1e40  # more than float32 holds
        agree(block(kind, 6, scaled(0.5)).to("float64"), evaluate(huge, dtype="float64", frozen=True, backward=False))
