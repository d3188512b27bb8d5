"""The numbers of the prompt of layer norm scaling."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import torch

import draw
from of_prompts.references import reference
from of_prompts.rows import Measured, Worked, X, row

figure = cache(draw.layer_norm_scaling)  # its lines are drawn beside the prompt


@torch.no_grad()
def worked() -> Worked:
    given = []

    def double(h: torch.Tensor) -> torch.Tensor:
        given.append(h)
        return 2 * h

    block = reference("layer_norm_scaling").ScaledPreNorm
    first, fourth, sixteenth = (block(4, double, layer).double()(X) for layer in (1, 4, 16))
    normed, half, _ = given
    rows = (
        row("x", X),
        row("n = LN(x)", normed),
        row("ℓ = 1    x + F(n)", first),
        row("ℓ = 4    h = n/2", half),
        row("         x + F(h)", fourth),
        row("ℓ = 16   x + F(h)", sixteenth),
        row("LN(x/2)", block(4, double, 1).double().norm(X / 2)),
    )
    return Worked(
        {
            "en": "One position of four numbers, a new norm and the sublayer F(h) = 2h:",
            "zh": "一个位置的四个数，归一化是新建的，子层 F(h) = 2h：",
        },
        rows,
        {
            "en": "The deeper the layer, the closer its output is to x. In the last row the factor stands before the "
            "norm, where it has no effect.",
            "zh": "层越深，输出越接近 x。最后一行把因子放在归一化之前：它不起作用。",
        },
    )


def measured() -> Iterator[Measured]:
    pre, scaled = (line.points[-1][1] for line in figure().lines)
    yield Measured(
        {
            "en": f"with Pre-LN it grows to {pre:.0f}, with layer norm scaling to {scaled:.0f}",
            "zh": f"Pre-LN 增长到 {pre:.0f}，层归一化缩放只到 {scaled:.0f}",
        }
    )
    yield Measured({"en": f"the figure shows {pre:.0f} and {scaled:.1f}", "zh": f"图中是 {pre:.0f} 和 {scaled:.1f}"})
