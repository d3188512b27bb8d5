"""The numbers of the prompt of the dynamic inverse square root unit."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from of_prompts.references import reference
from of_prompts.rows import Measured, Worked, X, row, step


def worked() -> Worked:
    rows = [row("x", X), row("x/RMS", X / X.square().mean().sqrt())]
    for c in (14.0, 1.0):
        x = X.clone().requires_grad_()
        y = reference("dyisru").DyISRU(4, c).double()(x)
        y.sum().backward()
        rows += [row(f"2x/√(x² + {c:.0f})", y), row("dx", x.grad)]
    rows.insert(2, step("Σ x² − 6²", "1 + 4 + 9", 14.0))
    return Worked(
        {
            "en": "One position of four numbers, so √dim = 2, with γ = 1, β = 0 and each dy = 1. The first row below x is RMS norm:",
            "zh": "一个位置的四个数，所以 √dim = 2；γ = 1，β = 0，每个 dy 为 1。x 的下一行是 RMS 归一化：",
        },
        rows,
        {
            "en": "14 is the sum of the other squares for x = 6, so with c = 14 the last number is that of RMS norm; the others "
            "would need another c. With c = 1 the\n"
            "numbers from 2 on are near the bound 2.",
            "zh": "对 x = 6 来说，其他各数的平方和是 14，所以 c = 14 时最后一个数与 RMS 归一化相同；其余的数需要别的 c。c = 1 时，从 "
            "2 起的数都接近上界 2。",
        },
    )


def measured() -> Iterator[Measured]:
    torch.manual_seed(0)
    x, unit = torch.randn(2000, 768), reference("dyisru").DyISRU
    normed = x / x.square().mean(-1, keepdim=True).sqrt()
    with torch.no_grad():
        near = f"{(unit(768, 767.0)(x) - normed).square().mean().sqrt().item():.3f}"
        far = f"{unit(768)(x).square().mean().sqrt().item():.0f}"
    yield Measured({"en": f"DyISRU with c = 767 differs from RMS norm by {near}", "zh": f"c = 767 时两者之差的均方根为 {near}"})
    yield Measured({"en": f"the output has a root mean square of {far}", "zh": f"输出的均方根为 {far}"})
    x[:, -1] = 100.0
    outlier = f"{(100 / x.square().mean(-1).sqrt()).mean().item():.1f}"
    yield Measured({"en": f"an outlier of 100 becomes {outlier} on average", "zh": f"这个离群值平均变成 {outlier}"})
    at = torch.tensor([2.0, 10.0], dtype=torch.float64)
    slopes, tanh = ((at.square() + 1) ** -1.5).tolist(), (1 - at.tanh().square()).tolist()
    far = f"{tanh[1]:.0e}".replace("e-0", "e-")
    yield Measured(
        {
            "en": f"is {slopes[0]:.3f} at x = 2 and {slopes[1]:.3f} at 10, while tanh has {tanh[0]:.3f} and {far}",
            "zh": f"在 x = 2 处为 {slopes[0]:.3f}，在 10 处为 {slopes[1]:.3f}；tanh 的则是 {tanh[0]:.3f} 和 {far}",
        }
    )
