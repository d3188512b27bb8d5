"""The numbers of the prompt of filter response norm."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import Worked, X, row, step

BIAS, THRESHOLD = -0.5, 0.1


def worked() -> Worked:
    layer = reference("filter_response_norm").FilterResponseNorm(1, eps=0.0).double()
    with torch.no_grad():
        layer.bias.fill_(BIAS)
        layer.threshold.fill_(THRESHOLD)
    x = X.view(1, 1, 1, 4).requires_grad_()
    z = layer(x)
    dz = torch.ones_like(z)
    z.backward(dz)
    root = X.square().mean().sqrt()
    normed = X / root
    rows = (
        row("x", X),
        step("ν²", "(1 + 4 + 9 + 36)/4", root**2),
        step("ν", "√12.5", root),
        row("x̂ = x/ν", normed),
        row("y = x̂ − 0.5", normed + BIAS),
        row("z = max(y, 0.1)", z),
        row("dz", dz),
        row("dx", x.grad),
        step("dγ", "0.8485 + 1.6971", layer.weight.grad),
        step("dβ", "1 + 1", layer.bias.grad),
        step("dτ", "1 + 1", layer.threshold.grad),
    )
    return Worked(
        {
            "en": "One feature map of four positions, with ε = 0, γ = 1, β = −0.5 and τ = 0.1:",
            "zh": "一张有四个位置的特征图，ε = 0，γ = 1，β = −0.5，τ = 0.1：",
        },
        rows,
        {
            "en": "The first two numbers are cut off: their dz goes to τ, that of the other two to x, γ and β. The first two still "
            "have a dx, because they are part of ν.",
            "zh": "前两个数被截断，它们的 dz 传给 τ，另外两个的传给 x、γ 和 β。前两个数仍有 dx，因为它们是 ν 的一部分。",
        },
    )
