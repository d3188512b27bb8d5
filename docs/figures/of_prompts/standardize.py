"""The numbers of the prompt of standardisation."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Measured, Worked, X, row, step


def worked() -> Worked:
    standardize = reference("standardize").standardize
    x = X[:, None].clone().requires_grad_()
    z = standardize(x)
    z.backward(DY[:, None])
    biased = X.var(correction=0)
    rows = (
        row("x", X),
        step("μ", "(1 + 2 + 3 + 6)/4", X.mean()),
        row("x − μ", X - X.mean()),
        step("σ², 1/N", "(4 + 1 + 0 + 9)/4", biased),
        step("σ², 1/(N − 1)", "(4 + 1 + 0 + 9)/3", X.var()),
        step("σ", "√3.5", biased.sqrt()),
        row("z", z),
        row("z(10x + 3)", standardize(10 * X[:, None] + 3)),
        row("dy", DY),
        row("dx", x.grad),
    )
    return Worked(
        {"en": "One feature of four samples:", "zh": "一个特征的四个样本："},
        rows,
        {
            "en": "The squares of z have the mean 1. dx and dx · x both sum to 0, because neither a shift nor a scaling of x changes z.",
            "zh": "z 的平方的均值为 1。dx 之和与 dx · x 之和都为 0，因为 x 的平移和缩放都不改变 z。",
        },
    )


def measured() -> Iterator[Measured]:
    x = torch.full((10, 1), 0.1)
    centred = x - x.mean(dim=0)
    deviation = centred.square().mean(dim=0).sqrt()
    off = f"{deviation.item():.1e}".replace("e-0", "e-")
    z, with_eps = (centred / deviation)[0].item(), (centred / (deviation + 1e-8))[0].item()
    z, with_eps = f"{z:.0f}".replace("-", "−"), f"{with_eps:.2f}".replace("-", "−")
    yield Measured(
        {
            "en": f"Ten numbers 0.1 in float32 have a mean that is off by {off} (PyTorch 2.13, CPU). Every centred number is then "
            f"−{off}, "
            f"σ is {off} too, and z is {z} throughout",
            "zh": f"十个 0.1 在 float32 中的均值有 {off} 的误差（PyTorch 2.13，CPU）。于是减去均值后每个数都是 −{off}，σ 也是 {off}，z "
            f"全为 {z}",
        }
    )
    yield Measured(
        {
            "en": f"With σ + 1e-8 in the denominator z is {with_eps}.",
            "zh": f"分母改成 σ + 1e-8，得到的是 {with_eps}。",
        }
    )
