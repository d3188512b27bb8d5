"""The numbers of the prompt of scale norm."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Measured, Worked, X, row, step


def worked() -> Worked:
    layer = reference("scale_norm").ScaleNorm(4).double()
    x = X.clone().requires_grad_()
    y = layer(x)
    y.backward(DY)
    with torch.no_grad():
        doubled, short = layer(2 * X), layer(1e-6 * X)
    rows = (
        row("x", X),
        step("‖x‖", "√(1 + 4 + 9 + 36)", X.square().sum().sqrt()),
        step("g", "√4", layer.g.detach()),
        row("y = g · x/‖x‖", y),
        row("y(2x)", doubled),
        row("y(10⁻⁶x)", short),
        row("dy", DY),
        step("dg", "Σ dy · x/‖x‖", layer.g.grad),
        row("dx", x.grad),
    )
    return Worked(
        {"en": "One position of four numbers and a new layer, with ε = 10⁻⁵:", "zh": "一个位置的四个数，一个新建的层，ε = 10⁻⁵："},
        rows,
        {
            "en": "y has the length 2. 10⁻⁶x is shorter than ε and divided by ε, so it stays shorter. dx · x is 0: a step along x changes nothing.",
            "zh": "y 的长度为 2。10⁻⁶x 比 ε 短，所以除以 ε，长度不到 2。dx · x 为 0：沿 x 的方向走一步什么也不改变。",
        },
    )


def measured() -> Iterator[Measured]:
    yield from ()
