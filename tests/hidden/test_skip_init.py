"""Hidden suite of `skip_init`.

α is filled with a number that is neither 0 nor 1, but where a new block is looked at. Branches have biases and a curve, so that scaling
what goes into them is not scaling what comes out.
"""

import numpy as np
import pytest
from shared import rows

from normgrade.suite import build, evaluate, feed_forward, identity, linear, probe, randn, scaled, train, use


def block(*args, **kwargs):
    return build(*args, **kwargs).as_scalars("alpha")


def typical():
    """A block around layers, one around a layer that returns the tensor it was given, and one around a layer without parameters."""
    return [
        use(block(feed_forward(3), 0.3), rows(4, 3), rows(2, 1, 3), [-1]),
        use(block(identity(), -1.7), rows(2, 4, 3), rows(7), []),
        use(block(scaled(0.5)), rows(4, 3), rows(2, 1, 3, 5), []),
    ]


def real():
    """A branch of a hundred features."""
    return [
        use(block(linear(96, 96)), rows(2, 96), rows(1, 2, 96), [-1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `SkipInit(branch)` and call it on a tensor: a tensor of that shape must come back.",
    zh="用 `SkipInit(branch)` 构造，对一个张量调用：应当返回同样形状的张量。",
)
def test_call(observe):
    """The block can be built around a branch and called, and returns a tensor of its input's shape.

    zh: 块可以包住一个分支来构造和调用，返回的张量与输入的形状相同。
    """
    observe(block(linear(5, 5)), train(randn(4, 5), backward=False))


@pytest.mark.kind("formula")
@pytest.mark.points(3)
@pytest.mark.hint(
    "y = x + α · F(x): α multiplies the branch's output, and nothing else.", zh="y = x + α · F(x)：α 乘在分支的输出上，此外不乘任何东西。"
)
def test_block(agree):
    """The block adds α times the branch's output to its input.

    zh: 块把分支输出的 α 倍加到输入上。
    """
    for alpha in (0.37, -0.8, 2.6, 1.0):
        agree(block(feed_forward(6)).filled(alpha=alpha), train(rows(4, 6)), evaluate(rows(2, 3, 6)), train(rows(6)))
    agree(block(linear(3, 3)).filled(alpha=0.6), train(rows(2, 3, 4, 3)), evaluate(rows(2, 1, 3, 2, 4, 3)))
    for alpha, size in ((-40.0, 1e15), (2e-5, 1e-12)):
        agree(block(scaled(0.7)).filled(alpha=alpha), train(rows(4, 3) * size), evaluate(rows(2, 5) * size))
    agree(block(linear(3, 3)).filled(alpha=-2e-5), train(rows(4, 3)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "With α = 0 the block hands x on; call the branch all the same, for the gradient of α needs its output.",
    zh="α = 0 时块把 x 原样传下去；分支照样要调用，因为 α 的梯度需要它的输出。",
)
def test_zero(agree):
    """Where α is 0, the block is the identity; α gets its gradient, and learns.

    zh: α 为 0 时，块是恒等映射；α 照样得到梯度，并且学习。
    """
    agree(block(feed_forward(6)).filled(alpha=0.0), train(rows(4, 6)), evaluate(rows(2, 3, 6)))
    agree(block(scaled(2.0)).as_built(), train(rows(4, 3)), evaluate(rows(2, 5)))
    infinite = rows(4, 6)
    infinite[1, 2], infinite[3, 0] = float("inf"), float("-inf")
    agree(block(linear(6, 6)).filled(alpha=0.0), evaluate(infinite), evaluate(infinite, gradients="no_grad"))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Call the branch once, with x as it is. A plain function fits in an attribute, and in no container of Modules.",
    zh="只调用分支一次，传入 x 本身。普通函数可以存为属性，但放不进 Module 的容器。",
)
def test_function_as_branch(agree):
    """The branch may be a plain function; each forward calls it once, with x as it is.

    zh: 分支可以是普通函数；每次前向只调用它一次，收到的是 x 本身。
    """
    for shape in ((5,), (4, 3), (2, 3, 5, 4), (2, 3, 1, 2, 4), (300, 2)):
        agree(probe("what_the_branch_sees", x=rows(*shape), alpha=0.7))
    agree(probe("what_the_branch_sees", x=rows(2, 3), alpha=0.0))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "self.alpha = nn.Parameter(torch.tensor(alpha)), with 0.0 as the argument's default; nothing else is learnt.",
    zh="self.alpha = nn.Parameter(torch.tensor(alpha))，参数默认值为 0.0；此外什么也不学。",
)
def test_new_block(agree):
    """A new block has one parameter of its own, `alpha`, which begins at the number given, and at 0 by default.

    zh: 新建的块自己只有一个参数 `alpha`，初值为给出的数，默认为 0。
    """
    for given in ((), (0.25,), (-1.5,), (3.0,)):
        agree(block(linear(4, 4), *given))
    agree(block(scaled(0.5), alpha=0.125))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "A Module that is an attribute is registered: self.branch = branch. Copy nothing, freeze nothing, and leave its mode as it is.",
    zh="作为属性的 Module 会被注册：self.branch = branch。不要复制，不要冻结，也不要改它的模式。",
)
def test_registered(agree):
    """A branch that is a Module is part of the block: its parameters, its state dict and its mode; it stays as it was.

    zh: 作为 Module 的分支是块的一部分：参数、状态字典和模式都在内；它保持原样。
    """
    for training in (True, False):
        agree(probe("new_block", alpha=0.5, training=training))


@pytest.mark.kind("gradient")
@pytest.mark.points(2)
@pytest.mark.hint(
    "Skip, branch and α all have a gradient: no detach, no item(), no no_grad.",
    zh="跳跃连接、分支和 α 都有梯度：不要用 detach、item() 或 no_grad。",
)
def test_gradients(agree):
    """The gradient takes the skip and the branch, and reaches x, α and the branch's parameters.

    zh: 梯度经过跳跃连接和分支，到达 x、α 和分支的参数。
    """
    agree(block(feed_forward(4)).filled(alpha=0.8), train(rows(5, 4)), evaluate(rows(2, 3, 4)))
    agree(block(scaled(-2.0)).filled(alpha=-0.3), train(rows(5, 4)), evaluate(rows(3)))
    agree(block(linear(5, 5)).filled(alpha=1.0), train(rows(3, 2, 5), between=rows(4, 5)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Write α · F(x) and the sum as new tensors: mul_, add_ or `+=` on what the branch returned may change the caller's x.",
    zh="α · F(x) 与和都写成新张量：对分支返回的张量用 mul_、add_ 或 `+=`，可能会改动调用者的 x。",
)
def test_branch_that_returns_its_input(agree):
    """A branch may return the very tensor it was given, a part of it, or one that is needed later; what it returns is left alone.

    zh: 分支可以返回传给它的那个张量、它的一部分，或者以后还要用的张量；分支返回的张量保持不变。
    """
    agree(block(identity()).filled(alpha=0.5), train(rows(4, 3)), evaluate(rows(2, 5)), evaluate(rows(2, 5), gradients="no_grad"))
    agree(block(identity()).filled(alpha=-1.0), train(rows(4, 3)))
    agree(probe("what_becomes_of_its_output", x=rows(4, 3), alpha=0.5, upstream=randn(4, 3)))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "A float32 α of shape (1,) turns half precision into float32: give it the shape (), or cast the result to x.dtype.",
    zh="形状为 (1,) 的 float32 α 会把半精度变成 float32：让它的形状为 ()，或把结果转换为 x.dtype。",
)
def test_half_precision(agree):
    """Half-precision input comes back in its own dtype, whatever that of α.

    zh: 半精度的输入以自己的 dtype 返回，无论 α 是什么 dtype。
    """
    for dtype in ("float16", "bfloat16"):
        for parameters in (dtype, "float32"):
            layer = block(feed_forward(6)).filled(alpha=0.4).to(parameters)
            agree(layer, train(rows(5, 6), dtype=dtype, backward=True), evaluate(rows(2, 6) * 100, dtype=dtype, gradients="no_grad"))
        agree(block(scaled(0.5)).filled(alpha=0.4), evaluate(rows(3, 4) * 1000, dtype=dtype))
        spoilt = rows(4, 5)
        spoilt[0, 1], spoilt[1, 2], spoilt[2, 0] = float("inf"), float("-inf"), float("nan")
        agree(block(linear(5, 5)).filled(alpha=0.4), train(spoilt, dtype=dtype), evaluate(spoilt, dtype=dtype))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Name no dtype: torch.tensor(alpha) takes the default one, `.double()` changes it, and the sum follows x.",
    zh="不要写死 dtype：torch.tensor(alpha) 用默认的 dtype，`.double()` 会改变它，和则跟随 x。",
)
def test_float64(agree):
    """A block in float64 computes in float64, and returns it.

    zh: float64 的块在 float64 中计算，并以它返回。
    """
    for layer, dim in ((block(feed_forward(6)), 6), (block(scaled(0.5)), 3), (block(identity()), 4)):
        agree(layer.to("float64"), train(rows(4, dim), dtype="float64"), evaluate(rows(2, 3, dim), dtype="float64"))
    huge = rows(4, 3).astype(np.float64) * 1e60  # more than float32 can hold
    agree(block(scaled(0.5)).to("float64"), train(huge, dtype="float64"), evaluate(huge, dtype="float64", gradients="no_grad"))
