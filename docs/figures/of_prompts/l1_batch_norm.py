"""The numbers of the prompt of L1 batch norm."""

from __future__ import annotations

from of_prompts.references import reference
from of_prompts.rows import DY, Worked, X, row, short, step


def worked() -> Worked:
    layer = reference("l1_batch_norm").L1BatchNorm(1, eps=0.0).double()
    x = X.reshape(4, 1).requires_grad_()
    y = layer(x)
    y.backward(DY.reshape(4, 1))
    distances = (X - X.mean()).abs()
    rows = (
        row("x", X),
        step("μ", "12/4", X.mean()),
        row("|x − μ|", distances),
        step("D", "(2 + 1 + 0 + 3)/4", distances.mean()),
        step("σ", "√(14/4)", X.std(correction=0)) + f" ≠ √(14/3) = {short(X.std().item())}",
        row("x̂ = (x − μ)/D", y),
        row("(x − μ)/σ", (X - X.mean()) / X.std(correction=0)),
        row("dy", DY),
        row("dx", x.grad),
        step("running_mean", "0 + 0.1 · (3 − 0)", layer.running_mean),
        step("running_dev", "1 + 0.1 · (1.5 − 1)", layer.running_dev),
    )
    return Worked(
        {
            "en": "A batch of four samples with one channel, a new layer with ε = 0; D beside the standard deviations, "
            "biased and unbiased:",
            "zh": "一批四个样本，一个通道，新的层，ε = 0；D 与有偏和无偏的标准差对照：",
        },
        rows,
        {
            "en": "The mean of |x̂| is 1, that of x̂² is not. x = 3 equals μ: there PyTorch takes 0 as the slope of |x − μ|.",
            "zh": "均值为 1 的是 x̂ 的绝对值，而不是它的平方。x = 3 等于 μ：PyTorch 在那里取 |x − μ| 的斜率为 0。",
        },
    )
