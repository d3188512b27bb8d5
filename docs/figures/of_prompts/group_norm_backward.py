"""The numbers of the prompt of the backward pass of group norm."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import Worked, X, row

WEIGHT, DY = torch.tensor([[1.0, 2.0], [0.0, 1.0]], dtype=torch.float64)


def worked() -> Worked:
    module = reference("group_norm_backward")
    x, dy = (each.view(1, 2, 2).numpy() for each in (X, DY.repeat(2)))
    y, cache = module.forward(x, WEIGHT.numpy(), WEIGHT.numpy() * 0, 1, 0.0)
    dx, dweight, dbias = (torch.tensor(each) for each in module.backward(dy, cache))
    weight = WEIGHT.repeat_interleave(2)
    normed, dnormed = torch.tensor(y).flatten() / weight, weight * DY.repeat(2)
    rows = (
        row("x", X),
        row("γ", weight),
        row("x̂", normed),
        row("dy", DY.repeat(2)),
        row("dx̂ = dy · γ", dnormed),
        row("m₁ = 1/4 · Σ dx̂", dnormed.mean().expand(4)),
        row("m₂ = 1/4 · Σ dx̂x̂", (dnormed * normed).mean().expand(4)),
        row("dx̂ − m₁ − x̂ · m₂", dnormed - dnormed.mean() - normed * (dnormed * normed).mean()),
        row("dx", dx),
        row("dβ", dbias.repeat_interleave(2)),
        row("dγ", dweight.repeat_interleave(2)),
    )
    return Worked(
        {
            "en": "One sample, one group of two channels with two positions each: channel 0 holds 1 and 2, channel 1 holds 3 and 6. "
            "μ = 3, the biased variance is 3.5\n"
            "(the unbiased one would be 4.6667), ε = 0:",
            "zh": "一个样本，一组，两个通道，各有两个位置：通道 0 是 1 和 2，通道 1 是 3 和 6。μ = 3，有偏方差为 3.5（无偏方差则为 "
            "4.6667），ε = 0：",
        },
        rows,
        {
            "en": "The two means run over all four numbers, and γ differs among them. dβ and dγ have one number for each channel, a "
            "sum over its own two positions.",
            "zh": "两个平均在全部四个数上求，而 γ 在其中各不相同。dβ 和 dγ 每个通道一个数，是该通道两个位置上的和。",
        },
    )
