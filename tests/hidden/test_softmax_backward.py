"""Hidden suite of `softmax_backward`."""

import pytest
from shared import rows

from normgrade.suite import evaluate, forward_backward, randn, use, words


def typical():
    """Rows in two and three dimensions, and a single row."""
    return [
        use(forward_backward(), rows(4, 6), rows(2, 3, 6), fixed=[]),
        use(forward_backward(), rows(2, 5, 3), rows(7), fixed=[]),
    ]


@pytest.mark.kind("interface")
@pytest.mark.points(1)
@pytest.mark.hint(
    "`y, cache = forward(x)`, then `backward(dy, cache)` gives a tuple: `(dx,)`.",
    zh="`y, cache = forward(x)`，然后 `backward(dy, cache)` 返回元组 `(dx,)`。",
)
def test_call(observe):
    """Both functions can be called: forward gives y and a cache, backward a tuple with the gradient of x.

    zh: 两个函数都可以调用：forward 返回 y 和 cache，backward 返回装着 x 的梯度的元组。
    """
    seen = observe(forward_backward(), evaluate(randn(4, 6)))
    assert seen["step 1 · output"].values.shape == (4, 6), words("y should have the shape of x", zh="y 的形状应与 x 相同")
    assert seen["step 1 · gradients are a tuple"] is True, words("backward should return a tuple", zh="backward 应返回元组")


@pytest.mark.kind("formula")
@pytest.mark.points(6)
@pytest.mark.hint("TODO", zh="TODO")
def test_forward(agree):
    """Softmax.

    zh: TODO
    """
    for shape in [(4, 6), (2, 3, 5)]:
        agree(forward_backward(), evaluate(rows(*shape), backward=False))


@pytest.mark.kind("gradient")
@pytest.mark.points(8)
@pytest.mark.hint("TODO", zh="TODO")
def test_gradient(agree):
    """The gradient of x.

    zh: TODO
    """
    for shape in [(4, 6), (2, 3, 5), (7,)]:
        agree(forward_backward(), evaluate(rows(*shape)))
