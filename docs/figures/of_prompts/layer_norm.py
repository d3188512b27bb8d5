"""The numbers of the prompt of layer norm."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from of_prompts import pre_post_norm
from of_prompts.references import reference
from of_prompts.rows import DY, Measured, Worked, X, row, step


def worked() -> Worked:
    layer = reference("layer_norm").LayerNorm(4, eps=0.0).double()
    x = X.clone().requires_grad_()
    y = layer(x)
    y.backward(DY)
    with torch.no_grad():
        moved = layer(2 * X + 5)
    rows = (
        row("x", X),
        step("μ", "(1 + 2 + 3 + 6)/4", X.mean()),
        row("x − μ", X - X.mean()),
        step("σ², 1/n", "(4 + 1 + 0 + 9)/4", X.var(correction=0)),
        step("σ², 1/(n − 1)", "(4 + 1 + 0 + 9)/3", X.var()),
        row("x̂ = (x − μ)/√3.5", y),
        row("(x − μ)/√4.6667", (X - X.mean()) / X.std()),
        row("x̂(2x + 5)", moved),
        row("dy", DY),
        row("dx", x.grad),
    )
    return Worked(
        {"en": "One position of four numbers, with ε = 0, γ = 1 and β = 0:", "zh": "一个位置的四个数，ε = 0，γ = 1，β = 0："},
        rows,
        {
            "en": "Only 1/n, the biased variance, is right here: the squares of x̂ then have the mean 1. dx sums to 0, "
            "and so does dx · x̂: a shift of x and a\n"
            "scaling of x leave y unchanged.",
            "zh": "这里只有 1/n（有偏方差）是对的：这样 x̂ 的平方的均值为 1。dx 的和为 0，dx · x̂ 的和也为 0：x 的平移和缩放都不改变 y。",
        },
    )


def measured() -> Iterator[Measured]:
    torch.manual_seed(0)
    off = []
    for mean in (1e4, 0.0):
        x = torch.randn(64, 1024) + mean
        exact = torch.nn.functional.layer_norm(x.double(), (1024,))
        off.append((torch.nn.functional.layer_norm(x, (1024,)).double() - exact).abs().max().item())
    large, small = f"{10.0 ** math.floor(math.log10(off[0])):.0e}".replace("e-0", "e-"), 10 ** -int(-torch.tensor(off[1]).log10())
    yield Measured(
        {
            "en": f"With mean 1e4 `F.layer_norm` is off by some {large}, with mean 0 by less than {small:.0e}".replace("e-0", "e-"),
            "zh": f"均值为 1e4 时，`F.layer_norm` 的误差最大约为 {large}，均值为 0 时小于 {small:.0e}".replace("e-0", "e-"),
        }
    )
    ends = pre_post_norm.gradients()
    yield Measured(
        {
            "en": f"from {ends[0]} to {ends[1]} in Post-LN and from {ends[2]} to {ends[3]} in Pre-LN",
            "zh": f"Post-LN 从 {ends[0]} 变到 {ends[1]}，Pre-LN 从 {ends[2]} 变到 {ends[3]}",
        }
    )
