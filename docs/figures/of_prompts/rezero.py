"""The numbers of the prompt of ReZero."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import torch

import draw
from of_prompts.references import reference
from of_prompts.rows import DY, Measured, Worked, X, power, row, step

figure = cache(draw.rezero)  # its lines are drawn beside the prompt


def worked() -> Worked:
    def flip(x: torch.Tensor) -> torch.Tensor:
        return x.flip(-1)

    def double(x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    stack = reference("rezero").ReZero([flip, double]).double()
    x = X.clone().requires_grad_()
    y = stack(x)
    y.backward(DY)
    with torch.no_grad():
        first, second = stack.alphas.grad
        stack.alphas.copy_(torch.tensor([0.5, -0.25]))
        once = X + 0.5 * flip(X)
        rows = (
            row("x", X),
            row("α = (0, 0)   y", y),
            row("dy", DY),
            step("dα₁", "Σ dy · F₁(x)", first),
            step("dα₂", "Σ dy · F₂(x)", second),
            row("dx", x.grad),
            row("α₁ = 0.5     x₁", once),
            row("F₂(x₁)", double(once)),
            row("α₂ = −0.25   y", stack(X)),
        )
    return Worked(
        {
            "en": "Two sublayers: F₁ reverses the order of the numbers, F₂ doubles them. First a new stack, then α = (0.5, −0.25):",
            "zh": "两个子层：F₁ 把四个数倒过来排，F₂ 把它们加倍。先是新建的堆叠，然后取 α = (0.5, −0.25)：",
        },
        rows,
        {
            "en": "A new stack hands on x and dy unchanged, and yet both α have a gradient. Later F₂ sees x₁, and not x.",
            "zh": "新建的堆叠原样传递 x 和 dy，而两个 α 都有梯度。之后 F₂ 看到的是 x₁，而不是 x。",
        },
    )


def measured() -> Iterator[Measured]:
    ones, zeros = ([loss for _, loss in line.points] for line in figure().lines)
    start = power(ones[0])
    yield Measured(
        {
            "en": f"with every α = 1 it begins above {start} and stays above {power(min(ones))}, with α = 0 it falls from "
            f"{zeros[0]:.0f} to {zeros[-1]:.2f}",
            "zh": f"每个 α = 1 时从 {start} 以上开始，一直高于 {power(min(ones))}；α = 0 时从 {zeros[0]:.0f} 降到 {zeros[-1]:.2f}",
        }
    )
    yield Measured({"en": f"the first loss is above {start} with every α = 1", "zh": f"每个 α = 1 时，最初的损失就超过 {start}"})
    yield Measured(
        {
            "en": f"With α = 0 it begins at {zeros[0]:.0f} and falls to {zeros[-1]:.2f}",
            "zh": f"α = 0 时，损失从 {zeros[0]:.0f} 开始，降到 {zeros[-1]:.2f}",
        }
    )
