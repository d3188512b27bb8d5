"""The numbers of the prompt of the backward pass of RMS norm."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Worked, X, row, step

WEIGHT = torch.tensor([2.0, 1.0, 1.0, 1.0], dtype=torch.float64)


def worked() -> Worked:
    module = reference("rms_norm_backward")
    x, dy, weight = (each.numpy() for each in (X, DY, WEIGHT))
    y, cache = module.forward(x, weight, 0.0)
    dx, dweight = module.backward(dy, cache)
    normed, dnormed = torch.tensor(y) / WEIGHT, DY * WEIGHT
    mean = (dnormed * normed).mean()
    rows = (
        row("x", X),
        row("γ", WEIGHT),
        step("r", "√((1 + 4 + 9 + 36)/4)", X.square().mean().sqrt()),
        row("x̂ = x/r", normed),
        row("dy", DY),
        row("dγ = dy · x̂", torch.tensor(dweight)),
        row("dx̂ = dy · γ", dnormed),
        step("m = Σ dx̂ · x̂/4", "2 · 0.2828/4", mean),
        row("x̂ · m", normed * mean),
        row("dx", torch.tensor(dx)),
    )
    return Worked(
        {"en": "One row of four numbers, with ε = 0:", "zh": "一行四个数，ε = 0："},
        rows,
        {
            "en": "γ is inside the mean m. 1 · 0.5544 − 2 · 0.0226 − 3 · 0.0339 − 6 · 0.0679 is 0: dx is perpendicular to x.",
            "zh": "γ 在平均 m 之内。1 · 0.5544 − 2 · 0.0226 − 3 · 0.0339 − 6 · 0.0679 等于 0（只差舍入误差）：dx 与 x 垂直。",
        },
    )
