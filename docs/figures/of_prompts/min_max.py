"""The numbers of the prompt of min-max normalisation."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import Worked, X, row, step


def worked() -> Worked:
    min_max = reference("min_max").min_max
    x, dy = X[:, None].clone().requires_grad_(), torch.tensor([[0.0], [1.0], [0.0], [0.0]], dtype=torch.float64)
    y = min_max(x)
    y.backward(dy)
    outlier = torch.tensor([1.0, 2.0, 3.0, 101.0], dtype=torch.float64)
    rows = (
        row("x", X),
        step("high − low", "6 − 1", X.max() - X.min()),
        row("y", y),
        row("y(−10x)", min_max(-10 * X[:, None])),
        row("dy", dy),
        row("dx", x.grad),
        "",
        row("x′", outlier),
        row("y′", min_max(outlier[:, None])),
    )
    return Worked(
        {
            "en": "One feature of four samples; in x′ the last sample is an outlier:",
            "zh": "一个特征的四个样本；x′ 中最后一个样本是离群值：",
        },
        rows,
        {
            "en": "Only the second output has a gradient, and still both extreme samples get one: every output depends on them. dx and "
            "dx · x both sum to 0.\n"
            "In y′ the outlier leaves the others only 2 % of the range.",
            "zh": "虽然只有第二个输出有梯度，两个极值样本却也得到梯度，因为每个输出都依赖于它们：dx 之和与 dx · x 之和都为 0。在 y′ 中，"
            "离群值只给其余的数留下 2 % 的范围。",
        },
    )
