"""Hidden suite of `rezero`.

The alphas are filled with different numbers, but where a new stack is looked at. Sublayers differ, so that their order shows, and have
biases and a curve, so that scaling what goes into them is not scaling what comes out.
"""

import numpy as np
import pytest
from shared import rows

from normgrade.suite import build, evaluate, feed_forward, identity, linear, plain, probe, randn, scaled, train, use


def typical():
    """A layer with parameters and one without, two without of which one returns the tensor it was given, and three.

    The first two learn in three steps. Two layers would make such large numbers of it that rounding decides.
    """
    return [
        use(build([scaled(0.5), feed_forward(3)]), rows(2, 3), rows(1, 4, 3), [-1]),
        use(build([identity(), scaled(-0.5)]), rows(2, 3), rows(4), []),
        use(build([feed_forward(5), linear(5, 5), identity()]), rows(4, 5), rows(2, 3, 5), [-1]),
    ]


def real():
    """Layers of a hundred features."""
    return [
        use(build([linear(96, 96), scaled(0.5)]), rows(2, 96), rows(1, 2, 96), [-1]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Build it with `ReZero([f, g])` and call it on a tensor: a tensor of that shape must come back.",
    zh="用 `ReZero([f, g])` 构造，对一个张量调用：应当返回同样形状的张量。",
)
def test_call(observe):
    """The stack can be built from a list of sublayers and called, and returns a tensor of its input's shape.

    zh: 堆叠可以由子层的列表构造和调用，返回的张量与输入的形状相同。
    """
    observe(build([linear(5, 5), linear(5, 5)]), train(randn(4, 5), backward=False))


@pytest.mark.kind("formula")
@pytest.mark.points(3)
@pytest.mark.hint(
    "x = x + alpha * sublayer(x), in the order of the list: each sublayer gets what has been summed up so far.",
    zh="x = x + alpha * sublayer(x)，按列表的顺序：每个子层收到的是到目前为止的和。",
)
def test_stack(agree):
    """Each sublayer in turn adds its output, times its own alpha, to what has been summed up so far.

    zh: 各子层依次把自己的输出乘以自己的 α，加到到目前为止的和上。
    """
    layers = [feed_forward(4), linear(4, 4), feed_forward(4)]
    for alphas in ([0.7, -0.4, 1.3], [-1.0, 0.3, 0.6], [0.0, 1.9, 0.0]):
        agree(build(layers).filled(alphas=alphas), train(rows(3, 4)), evaluate(rows(2, 3, 4)), train(rows(4)))
    agree(build([feed_forward(3)] * 6).filled(alphas=[0.5, -0.3, 0.4, 0.2, -0.6, 0.1]), train(rows(2, 3)))
    agree(build([linear(3, 3)]).filled(alphas=0.8), train(rows(2, 2, 4, 3)), evaluate(rows(2, 1, 3, 2, 4, 3)))
    agree(build([linear(2, 2), scaled(0.3)] * 7).filled(alphas=np.linspace(-0.3, 0.4, 14, dtype=np.float32)), train(rows(3, 2)))
    for alphas, size in (([-40.0, 25.0], 1e15), ([2e-5, -3e-5], 1e-12)):
        agree(build([scaled(0.7), scaled(-0.6)]).filled(alphas=alphas), train(rows(4, 3) * size), evaluate(rows(2, 5) * size))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "All alphas begin at 0, and the stack hands x on; call each sublayer all the same, for the gradient of α needs its output.",
    zh="所有 α 都从 0 开始，堆叠把 x 原样传下去；每个子层照样要调用，因为 α 的梯度需要它的输出。",
)
def test_zero(agree):
    """Where every alpha is 0, the stack is the identity; the alphas get their gradients, and learn.

    zh: 每个 α 都为 0 时，堆叠是恒等映射；各个 α 照样得到梯度，并且学习。
    """
    agree(build([feed_forward(4), linear(4, 4)]).filled(alphas=0.0), train(rows(3, 4)), evaluate(rows(2, 3, 4)))
    agree(build([scaled(2.0), identity()]).as_built(), train(rows(4, 3)), evaluate(rows(2, 5)))
    infinite = rows(4, 6)
    infinite[1, 2], infinite[3, 0] = float("inf"), float("-inf")
    agree(build([linear(6, 6)]).filled(alphas=0.0), evaluate(infinite), evaluate(infinite, gradients="no_grad"))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Call every sublayer once and in order, with x as it is. Plain functions fit in a list, and in no container of Modules.",
    zh="按顺序调用每个子层各一次，传入 x 本身。普通函数可以放进列表，但放不进 Module 的容器。",
)
def test_functions_as_sublayers(agree):
    """Sublayers may be plain functions; each forward calls each of them once, in order, with the x of that moment.

    zh: 子层可以是普通函数；每次前向按顺序调用它们各一次，收到的是当时的 x。
    """
    for shape in ((5,), (4, 3), (2, 3, 5, 4), (2, 3, 1, 2, 4), (300, 2)):
        agree(probe("what_the_sublayers_see", x=rows(*shape), alphas=np.array([0.7, -0.4, 0.2], np.float32)))
    agree(probe("what_the_sublayers_see", x=rows(2, 3), alphas=np.array([0.0, 0.6], np.float32)))


@pytest.mark.kind("formula")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Functions and Modules may stand in one list, in any order: keep that order, and give each its own alpha.",
    zh="函数和 Module 可以放在同一个列表里，顺序任意：保持这个顺序，各用自己的 α。",
)
def test_mixed_sublayers(agree):
    """Modules and plain functions may be mixed; the order is that of the list.

    zh: Module 和普通函数可以混用；顺序就是列表的顺序。
    """
    agree(build([plain(1.5), feed_forward(4), plain(-0.5)]).filled(alphas=[0.7, -0.4, 1.3]), train(rows(3, 4)), evaluate(rows(2, 3, 4)))
    agree(build([identity(), linear(5, 5)]).filled(alphas=[-0.6, 0.9]), train(rows(3, 5)))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "self.alphas = nn.Parameter(torch.zeros(len(sublayers))); nothing else is learnt.",
    zh="self.alphas = nn.Parameter(torch.zeros(len(sublayers)))；此外什么也不学。",
)
def test_new_stack(agree):
    """A new stack has one parameter of its own, `alphas`: one number for each sublayer, all 0.

    zh: 新建的堆叠自己只有一个参数 `alphas`：每个子层一个数，全为 0。
    """
    agree(build([linear(4, 4), scaled(0.5), feed_forward(4)]))
    agree(build([scaled(0.5)]))
    agree(build([identity(), scaled(2.0)]))


@pytest.mark.kind("state")
@pytest.mark.points(1)
@pytest.mark.hint(
    "A plain list registers nothing: put the Modules into an nn.ModuleList. Copy nothing, freeze nothing, and leave their modes alone.",
    zh="普通列表不注册任何东西：把其中的 Module 放进 nn.ModuleList。不要复制，不要冻结，也不要改它们的模式。",
)
def test_registered(agree):
    """Sublayers that are Modules are part of the stack: their parameters, their state dicts and their modes; they stay as they were.

    zh: 作为 Module 的子层是堆叠的一部分：参数、状态字典和模式都在内；它们保持原样。
    """
    for training in (True, False):
        agree(probe("new_stack", training=training))


@pytest.mark.kind("gradient")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Skips, sublayers and alphas all have a gradient: no detach, no item(), no no_grad.",
    zh="跳跃连接、子层和 alphas 都有梯度：不要用 detach、item() 或 no_grad。",
)
def test_gradients(agree):
    """The gradient takes every skip and every sublayer, and reaches x, the alphas and the sublayers' parameters.

    zh: 梯度经过每个跳跃连接和每个子层，到达 x、alphas 和各子层的参数。
    """
    agree(build([feed_forward(3), feed_forward(3)]).filled(alphas=[0.8, -0.7]), train(rows(5, 3)), evaluate(rows(2, 3, 3)))
    agree(build([scaled(-2.0), linear(3, 3)]).filled(alphas=[-0.3, 1.0]), train(rows(5, 3), between=rows(4, 3)))


@pytest.mark.kind("edge")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Write α · F(x) and the sum as new tensors: mul_, add_ or `+=` may change the caller's x.",
    zh="α · F(x) 与和都写成新张量：用 mul_、add_ 或 `+=` 可能会改动调用者的 x。",
)
def test_sublayers_that_return_their_input(agree):
    """A sublayer may return the very tensor it was given, a part of it, or one that is needed later; what it returns is left alone.

    zh: 子层可以返回传给它的那个张量、它的一部分，或者以后还要用的张量；子层返回的张量保持不变。
    """
    stack = build([identity(), identity()]).filled(alphas=[0.5, -0.4])
    agree(stack, train(rows(4, 3)), evaluate(rows(2, 5)), evaluate(rows(2, 5), gradients="no_grad"))
    alphas = np.array([0.5, -0.4, 0.7], np.float32)
    agree(probe("what_becomes_of_their_outputs", x=rows(4, 3), alphas=alphas, upstream=randn(4, 3)))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "float32 numbers of shape (1,) turn half precision into float32: take them as alphas[i], or cast the result to x.dtype.",
    zh="形状为 (1,) 的 float32 数会把半精度变成 float32：按 alphas[i] 取出，或把结果转换为 x.dtype。",
)
def test_half_precision(agree):
    """Half-precision input comes back in its own dtype, whatever that of the alphas.

    zh: 半精度的输入以自己的 dtype 返回，无论 alphas 是什么 dtype。
    """
    for dtype in ("float16", "bfloat16"):
        for parameters in (dtype, "float32"):
            stack = build([feed_forward(4), scaled(0.5)]).filled(alphas=[0.4, -0.3]).to(parameters)
            agree(stack, train(rows(5, 4), dtype=dtype, backward=True), evaluate(rows(2, 4) * 100, dtype=dtype, gradients="no_grad"))
        agree(build([scaled(0.5)]).filled(alphas=0.4), evaluate(rows(3, 4) * 1000, dtype=dtype))
        spoilt = rows(4, 5)
        spoilt[0, 1], spoilt[1, 2], spoilt[2, 0] = float("inf"), float("-inf"), float("nan")
        agree(build([linear(5, 5)]).filled(alphas=0.4), train(spoilt, dtype=dtype), evaluate(spoilt, dtype=dtype))


@pytest.mark.kind("precision")
@pytest.mark.points(1)
@pytest.mark.hint(
    "Name no dtype: torch.zeros takes the default one, `.double()` changes it, and the sums follow x.",
    zh="不要写死 dtype：torch.zeros 用默认的 dtype，`.double()` 会改变它，和则跟随 x。",
)
def test_float64(agree):
    """A stack in float64 computes in float64, and returns it.

    zh: float64 的堆叠在 float64 中计算，并以它返回。
    """
    for layers, dim in (([feed_forward(4), linear(4, 4)], 4), ([scaled(0.5)], 3), ([identity()], 5)):
        agree(build(layers).to("float64"), train(rows(4, dim), dtype="float64"), evaluate(rows(2, 3, dim), dtype="float64"))
    huge = rows(4, 3).astype(np.float64) * 1e60  # more than float32 can hold
    stack = build([scaled(0.5), identity()]).to("float64")
    agree(stack, train(huge, dtype="float64"), evaluate(huge, dtype="float64", gradients="no_grad"))
