"""The numbers of the prompt of switchable norm."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from of_prompts.references import reference
from of_prompts.rows import Measured, Worked, X, row, step


def worked() -> Worked:
    layer = reference("switchable_norm").SwitchNorm(2, eps=0.0).double()
    x = torch.stack((X, 0 * X)).view(2, 2, 1, 2)
    y = layer(x)
    kinds = {"in": (2, 3), "ln": (1, 2, 3), "bn": (0, 2, 3)}
    means = {kind: shown(x.mean(over, keepdim=True), x) for kind, over in kinds.items()}
    variances = {kind: shown(x.var(over, correction=0, keepdim=True), x) for kind, over in kinds.items()}
    rows = (
        row("x", X),
        *(row(f"μ_{kind}", mean) for kind, mean in means.items()),
        row("μ = 1/3 · Σ", torch.stack(list(means.values())).mean(0)),
        *(row(f"σ²_{kind}", variance) for kind, variance in variances.items()),
        row("σ² = 1/3 · Σ", torch.stack(list(variances.values())).mean(0)),
        row("x̂ = (x − μ)/σ", y[0]),
        step("running_mean₀", "0.9 · 0 + 0.1 · 0.75", layer.running_mean[0]),
        step("running_var₀", "0.9 · 1 + 0.1 · 0.6875", layer.running_var[0]),
    )
    return Worked(
        {
            "en": "Two samples of two channels with two positions each. The first sample has 1 and 2 in channel 0 and 3 and 6 in "
            "channel 1; the second is all zeros. The\n"
            "layer is new, so each share is 1/3, and ε = 0. These are the numbers of the first sample:",
            "zh": "两个样本，两个通道，各有两个位置。第一个样本的通道 0 是 1 和 2，通道 1 是 3 和 6；第二个样本全为零。层是新建的，所"
            "以占比都是 1/3；ε = 0。下面是第一个样本的数：",
        },
        rows,
        {
            "en": "All variances are biased: the unbiased σ²_ln would be 4.6667. After the norm, neither a feature map nor the "
            "sample has mean 0.",
            "zh": "所有方差都是有偏的：无偏的 σ²_ln 是 4.6667。归一化之后，特征图和样本的均值都不是 0。",
        },
    )


def shown(statistics: Tensor, x: Tensor) -> Tensor:
    """Return the statistics below each number of the first sample."""
    return statistics.expand_as(x)[0]


def measured() -> Iterator[Measured]:
    torch.manual_seed(0)
    normal, errors = torch.randn(40, 16, 14, 14), []
    for offset in (100, 1000):
        x = normal + offset
        exact = x.double().var((1, 2, 3), correction=0)
        mean, var = x.mean((2, 3)), x.var((2, 3), correction=0)
        subtracted = (var + mean.square()).mean(1) - mean.mean(1).square()
        added = var.mean(1) + mean.var(1, correction=0)
        errors += [((each - exact) / exact).abs().max().item() for each in (subtracted, added)]
    a, b = f"{errors[0] * 100:.1f} %", f"{errors[2] * 100:.0f} %"
    c, d = (f"{each:.0e}".replace("e-0", "e-") for each in errors[1::2])
    yield Measured(
        {
            "en": f"around 100, σ²_ln is off by {a} at most, and around 1000 by {b}. Written as mean(σ²_in) + var(μ_in) it keeps them "
            f"({c}, {d})",
            "zh": f"均值为 100：σ²_ln 的相对误差最大为 {a}；均值为 1000 时为 {b}。写成 mean(σ²_in) + var(μ_in) 就不会（{c} 和 {d}）",
        }
    )
