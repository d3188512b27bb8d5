"""The numbers of the prompt of the backward pass of batch norm."""

from __future__ import annotations

import numpy as np
from torch import from_numpy

from of_prompts.references import reference
from of_prompts.rows import DY, Worked, X, row, short, step


def worked() -> Worked:
    passes = reference("batch_norm_backward")
    weight, bias = np.array([2.0]), np.array([1.0])
    y, cache = passes.forward(X.numpy().reshape(4, 1), weight, bias, eps=0.0)
    dy = DY.numpy().reshape(4, 1)
    dx, dweight, dbias = passes.backward(dy, cache)
    normed, dnormed = (y - bias) / weight, dy * weight
    variance = X.var(correction=0)
    rows = (
        row("x", X),
        step("μ", "12/4", X.mean()),
        step("σ²", "14/4", variance) + f" ≠ 14/3 = {short(X.var().item())}",
        step("σ", "√3.5", variance.sqrt()),
        row("x̂", from_numpy(normed)),
        row("y = 2 x̂ + 1", from_numpy(y)),
        row("dx̂ = 2 dy", from_numpy(dnormed)),
        step("mean(dx̂)", "2/4", dnormed.mean()),
        row("x̂ · mean(dx̂ · x̂)", from_numpy(normed * (dnormed * normed).mean())),
        row("dx", from_numpy(dx)),
        step("dβ", "Σ dy", dbias[0]),
        step("dγ", "Σ dy · x̂", dweight[0]),
    )
    return Worked(
        {
            "en": "A batch of four samples with one channel, with ε = 0, γ = 2, β = 1 and dy = (1, 0, 0, 0):",
            "zh": "一批四个样本，一个通道，ε = 0，γ = 2，β = 1，dy = (1, 0, 0, 0)：",
        },
        rows,
        {
            "en": "Only the first sample has a gradient in dy, but all four have one in dx. dx sums to 0, and dx · x̂ is 0.",
            "zh": "dy 中只有第一个样本有梯度，dx 中却四个都有。dx 的和为 0，dx · x̂ 也为 0。",
        },
    )
