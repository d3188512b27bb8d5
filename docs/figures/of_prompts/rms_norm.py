"""The numbers of the prompt of RMS norm."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Measured, Worked, X, row, step


def worked() -> Worked:
    layer = reference("rms_norm").RMSNorm(4, eps=0.0).double()
    x = X.clone().requires_grad_()
    y = layer(x)
    y.backward(DY)
    square = X.square().mean()
    with torch.no_grad():
        doubled = layer(2 * X)
    rows = (
        row("x", X),
        step("RMS²", "(1 + 4 + 9 + 36)/4", square),
        step("RMS", "√12.5", square.sqrt()),
        row("x̂ = x/RMS", y),
        row("x̂(2x)", doubled),
        row("dy", DY),
        row("dx", x.grad),
    )
    return Worked(
        {"en": "One position of four numbers, with ε = 0 and γ = 1:", "zh": "一个位置的四个数，ε = 0，γ = 1："},
        rows,
        {
            "en": "The mean stays where it is: all numbers of x̂ are positive, and their squares have the mean 1. dx · x is 0: a step "
            "along x would only scale it.",
            "zh": "均值留在原处：x̂ 的数全为正，它们平方的均值为 1。dx · x 为 0：沿 x 的方向走一步只会缩放它。",
        },
    )


def measured() -> Iterator[Measured]:
    torch.manual_seed(0)
    x = torch.randn(64, 1024) + 1e4
    exact = x.double()
    errors = {}
    for name, of in (("layer", torch.nn.functional.layer_norm), ("rms", torch.nn.functional.rms_norm)):
        errors[name] = (of(x, (1024,)).double() - of(exact, (1024,))).abs().max().item()
    layer, rms = (f"{10.0 ** math.floor(math.log10(errors[name])):.0e}".replace("e-0", "e-") for name in ("layer", "rms"))
    yield Measured(
        {
            "en": f"with mean 1e4 and standard deviation 1, `F.layer_norm` is off by some {layer} and `F.rms_norm` by some {rms}",
            "zh": f"`F.layer_norm` 的误差最大约为 {layer}，`F.rms_norm` 约为 {rms}",
        }
    )
    x = torch.randn(20_000, 512)
    scatter = (x[:, :32].square().mean(-1) / x.square().mean(-1)).sqrt().std().item()
    yield Measured({"en": f"32 scatters by {scatter:.0%} around".replace("%", " %"), "zh": f"波动为 {scatter:.0%}".replace("%", " %")})
