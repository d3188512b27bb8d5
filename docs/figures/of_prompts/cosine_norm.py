"""The numbers of the prompt of cosine normalisation."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import Worked, X, row, step

ROW = torch.ones(4, dtype=torch.float64)


def worked() -> Worked:
    layer = reference("cosine_norm").CosineLinear(4, 1).double()
    with torch.no_grad():
        layer.weight.copy_(ROW[None])
    x = X.clone().requires_grad_()
    y = layer(x)
    y.backward()
    with torch.no_grad():
        opposite = layer(-10 * X)
    rows = (
        row("x", X),
        row("w", ROW),
        step("x · w", "1 + 2 + 3 + 6", X @ ROW),
        step("‖x‖", "√(1 + 4 + 9 + 36)", X.norm()),
        step("‖w‖", "√4", ROW.norm()),
        step("y", f"12/({X.norm():.4f} · 2)", y.detach()),
        row("y(−10x)", opposite),
        row("dx", x.grad),
        row("dw", layer.weight.grad),
        step("dx · x", "{:.4f} + 2·{:.4f} + 3·{:.4f} − 6·{:.4f}".format(*x.grad.abs().tolist()), x.grad @ X),
    )
    return Worked(
        {"en": "One position, one row of weights, and dy = 1:", "zh": "一个位置，一行权重，dy = 1："},
        rows,
        {
            "en": "The length of x does not matter. dx is at right angles to x and dw to w: each can only turn its vector.",
            "zh": "x 的长度不起作用。dx 与 x 垂直，dw 与 w 垂直：它们只能使向量转动。",
        },
    )
