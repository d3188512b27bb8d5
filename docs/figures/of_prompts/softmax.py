"""The numbers of the prompt of softmax."""

from __future__ import annotations

from of_prompts.references import reference
from of_prompts.rows import DY, Worked, X, row, step


def worked() -> Worked:
    softmax = reference("softmax").softmax
    x = X.clone().requires_grad_()
    y = softmax(x)
    y.backward(DY)
    e = (X - X.max()).exp()
    rows = (
        row("x", X),
        step("m", "max x", X.max()),
        row("x − m", X - X.max()),
        row("e", e),
        step("Σ e", "0.0067 + 0.0183 + 0.0498 + 1", e.sum()),
        row("y", y),
        row("y(x + 1000)", softmax(X + 1000)),
        row("y(2x)", softmax(2 * X)),
        row("dy", DY),
        row("dx", x.grad),
    )
    return Worked(
        {"en": "One row of four numbers:", "zh": "一行的四个数："},
        rows,
        {
            "en": "A shift of x changes nothing, doubling makes y sharper. dx sums to 0. Since the Jacobian is symmetric, dx also tells "
            "how y changes\n"
            "with x₁: y₁ grows, nearly all at the expense of y₄.",
            "zh": "x 的平移不改变结果，乘以 2 则使 y 更尖锐。dx 之和为 0。雅可比矩阵是对称的，所以 dx 也是 y 随 x₁ 的变化：y₁ "
            "增加的部分几乎全部来自 y₄。",
        },
    )
