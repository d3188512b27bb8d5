"""The numbers of the prompt of folding a batch norm."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from of_prompts.references import reference
from of_prompts.rows import DY, Worked, X, row, short, step

SHAPE = (1, 1, 4)  # of the weight, and of the input
BIAS, GAMMA, BETA, MEAN, VAR = 1.0, 3.0, 5.0, 3.0, 4.0


def worked() -> Worked:
    conv, bn = nn.Conv1d(1, 1, 4).double(), nn.BatchNorm1d(1, eps=0.0).double().eval()
    numbers = {conv.bias: BIAS, bn.weight: GAMMA, bn.bias: BETA, bn.running_mean: MEAN, bn.running_var: VAR}
    with torch.no_grad():
        conv.weight.copy_(X.view(SHAPE))
        for tensor, number in numbers.items():
            assert tensor is not None
            tensor.fill_(number)
    folded = reference("fold_batch_norm").fold(conv, bn)
    x = DY.view(SHAPE)

    def both(layer: nn.Module, given: Tensor) -> Tensor:
        return layer(given).detach()

    unscaled = BIAS - GAMMA / VAR**0.5 * MEAN + BETA
    rows = (
        row("w", X),
        step("s = γ/√σ²", "3/√4", torch.tensor(GAMMA / VAR**0.5)),
        row("w′ = s · w", folded.weight),
        step("b′ = s(b − μ) + β", "1.5 · (1 − 3) + 5", folded.bias.detach()),
        row("x", DY),
        step("conv(x)", "1 · 1 + 1", both(conv, x)),
        step("bn(conv(x))", "3 · (2 − 3)/√4 + 5", bn(conv(x)).detach()),
        step("w′ ∗ x + b′", "1.5 · 1 + 2", both(folded, x)),
        step("b − s · μ + β", "1 − 1.5 · 3 + 5", unscaled) + f" ≠ {short(folded.bias.item())}",
    )
    return Worked(
        {
            "en": "One channel and a kernel of four weights, with b = 1, γ = 3, β = 5, μ = 3, σ² = 4 and ε = 0:",
            "zh": "一个通道，核有四个权重，b = 1，γ = 3，β = 5，μ = 3，σ² = 4，ε = 0：",
        },
        rows,
        {
            "en": "The two layers and the folded one give the same number. If the old bias is not scaled, as in the last row, the result is off by (s − 1) · b.",
            "zh": "两层与折叠后的一层给出相同的数。如果像最后一行那样，原来的偏置没有缩放，结果就相差 (s − 1) · b。",
        },
    )
