"""The numbers of the prompt of the backward pass of softmax."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Worked, X, row, step


def worked() -> Worked:
    module = reference("softmax_backward")
    weights, cache = module.forward(X.numpy())
    y = torch.tensor(weights)
    (dx,) = module.backward(DY.numpy(), cache)
    of_log = -DY / y  # of the loss −log y₁
    (difference,) = module.backward(of_log.numpy(), cache)
    rows = (
        row("x", X),
        row("y", y),
        row("dy", DY),
        row("y · dy", y * DY),
        step("Σ y · dy", "y₁", (y * DY).sum()),
        row("dy − Σ y · dy", DY - (y * DY).sum()),
        row("dx", torch.tensor(dx)),
        "",
        row("dy′ = −t/y", of_log),
        row("dx′", torch.tensor(difference)),
    )
    return Worked(
        {
            "en": "One row of four numbers, and dy′ of the loss −log y₁, whose target is t = (1, 0, 0, 0):",
            "zh": "一行四个数；dy′ 属于损失 −log y₁，目标是 t = (1, 0, 0, 0)：",
        },
        rows,
        {
            "en": "Both gradients of x sum to 0. dx is small, because y₁ is. dx′, through the logarithm, is y − t: it stays large as long "
            "as y is far from t.",
            "zh": "x 的两个梯度之和都为 0。y₁ 很小，所以 dx 也很小；经过对数的 dx′ 则是 y − t，只要 y 离 t 还远，它就很大。",
        },
    )
