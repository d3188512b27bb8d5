"""The numbers of the prompt of the backward pass of layer norm."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Worked, X, row, step

WEIGHT = torch.tensor([2.0, 1.0, 1.0, 1.0], dtype=torch.float64)


def worked() -> Worked:
    module = reference("layer_norm_backward")
    x, dy, weight, bias = (each.numpy() for each in (X, DY, WEIGHT, 0 * X))
    y, cache = module.forward(x, weight, bias, 0.0)
    dx, dweight, dbias = (torch.tensor(each) for each in module.backward(dy, cache))
    normed, dnormed = torch.tensor(y) / WEIGHT, DY * WEIGHT
    along = (dnormed * normed).mean()
    rows = (
        row("x", X),
        row("γ", WEIGHT),
        row("x − μ", X - X.mean()),
        step("σ", "√((4 + 1 + 0 + 9)/4)", X.std(correction=0)),
        row("x̂ = (x − μ)/σ", normed),
        row("dy = dβ", dbias),
        row("dγ = dy · x̂", dweight),
        row("dx̂ = dy · γ", dnormed),
        step("a = Σ dx̂/4", "2/4", dnormed.mean()),
        step("b = Σ dx̂ · x̂/4", "2 · (−1.0690)/4", along),
        row("dx̂ − a − x̂ · b", dnormed - dnormed.mean() - normed * along),
        row("dx = …/σ", dx),
    )
    return Worked(
        {"en": "One row of four numbers, with ε = 0 and β = 0:", "zh": "一行四个数，ε = 0，β = 0："},
        rows,
        {
            "en": "γ is inside both means, a and b. dx sums to 0, and so does dx · x̂.",
            "zh": "γ 在两个平均 a 和 b 之内。dx 的和为 0，dx · x̂ 的和也为 0。",
        },
    )
