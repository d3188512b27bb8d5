"""The numbers of the prompt of Dynamic Tanh."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from of_prompts.references import reference
from of_prompts.rows import Measured, Worked, X, row, step


def worked() -> Worked:
    layer = reference("dyt").DyT(4).double()
    x = X.clone().requires_grad_()
    y = layer(x)
    dy = torch.ones_like(y)
    y.backward(dy)
    with torch.no_grad():
        doubled = layer(2 * X)
    rows = (
        row("x", X),
        row("α · x", 0.5 * X),
        row("y = tanh(α · x)", y),
        row("y(2x)", doubled),
        row("dy", dy),
        row("dx = α · (1 − y²)", x.grad),
        step("dα = Σ x(1 − y²)", " + ".join(f"{each:.4f}" for each in (X * (1 - y.detach() ** 2)).tolist()), layer.alpha.grad),
        row("(x − μ)/σ", (X - X.mean()) / X.std(correction=0)),
    )
    return Worked(
        {
            "en": "One position of four numbers, with α = 0.5, γ = 1 and β = 0; the last row is layer norm, with μ = 3 and σ² = 3.5 "
            "(biased; unbiased 4.6667):",
            "zh": "一个位置的四个数，α = 0.5，γ = 1，β = 0；最后一行是层归一化，μ = 3，σ² = 3.5（有偏；无偏为 4.6667）：",
        },
        rows,
        {
            "en": "6 is squashed to nearly 1, and hardly any gradient comes back to it. 2x gives other numbers, while layer norm "
            "would give the same.",
            "zh": "6 被压缩到接近 1，几乎没有梯度传回给它。2x 给出不同的数，而层归一化会给出相同的数。",
        },
    )


def measured() -> Iterator[Measured]:
    u = torch.linspace(0, 20, 200_001, dtype=torch.float64)
    apart = u.tanh() - u / (1 + u.square()).sqrt()  # tanh and the curve of RMS norm: slope 1 at 0, bound 1
    most, place = f"{100 * apart.max().item():.1f} %", f"{u[apart.argmax()].item():.1f}"
    yield Measured({"en": f"by up to {most} of the bound, at x ≈ {place} √c", "zh": f"最多相差上界的 {most}，在 x ≈ {place} √c 处"})
    slopes = [0.5 * (1 - torch.tensor(0.5 * each, dtype=torch.float64).tanh().square().item()) for each in (2, 4, 10)]
    two, four, ten = f"{slopes[0]:.2f}", f"{slopes[1]:.3f}", f"{slopes[2]:.0e}".replace("e-0", "e-")
    yield Measured(
        {"en": f"0.5 at 0, {two} at x = 2, {four} at 4 and {ten} at 10", "zh": f"在 2 处为 {two}，在 4 处为 {four}，在 10 处只有 {ten}"}
    )
