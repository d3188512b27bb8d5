"""The numbers of the prompt of global response norm."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Worked, X, row, step

WEIGHT, BIAS = 1.5, 0.5


def worked() -> Worked:
    layer = reference("global_response_norm").GlobalResponseNorm(2, eps=0.0).double()
    with torch.no_grad():
        layer.weight.fill_(WEIGHT)
        layer.bias.fill_(BIAS)
    x = X.view(1, 2, 2).requires_grad_()
    y = layer(x)
    y.backward(DY.view_as(y))
    length = X.view(2, 2).square().sum(0).sqrt()
    share = length / length.mean()
    rows = (
        row("x", X),
        step("G₁", "√(1 + 9) = √10", length[0]),
        step("G₂", "√(4 + 36) = √40", length[1]),
        step("mean(G)", "(3.1623 + 6.3246)/2", length.mean()),
        row("S", share.repeat(2)),
        row("x · S", X * share.repeat(2)),
        row("1.5 · x · S + 0.5", WEIGHT * X * share.repeat(2) + BIAS),
        row("y = … + x", y),
        row("dy", DY),
        row("dx", x.grad),
        row("dγ", layer.weight.grad),
        row("dβ", layer.bias.grad),
    )
    return Worked(
        {
            "en": "One sample of two positions with two channels, ε = 0, and for both channels γ = 1.5 and β = 0.5. The first and the "
            "third number are channel 1,\nthe second and the fourth are channel 2:",
            "zh": "一个样本，两个位置，两个通道，ε = 0，两个通道的 γ 都是 1.5，β 都是 0.5。第一、三个数是通道 1，第二、四个数是通道 2：",
        },
        rows,
        {
            "en": "Channel 2 is twice as long as channel 1, so its share is twice as large. The shares are 1 on average. dy counts the "
            "first number only, but all four\nhave a dx: they are part of the lengths.",
            "zh": "通道 2 的长度是通道 1 的两倍，所以它的相对强度也是两倍。相对强度的平均是 1。dy 只在第一个数上不为 0，但四个数都有 dx，因为它们都参与了长度的计算。",
        },
    )
