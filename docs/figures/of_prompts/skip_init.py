"""The numbers of the prompt of SkipInit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import torch
from torch import nn

import draw
from of_prompts.references import reference
from of_prompts.rows import DY, Measured, Worked, X, row, step

figure = cache(draw.skip_init)  # its lines are drawn beside the prompt


class Flip(nn.Module):
    """w times the numbers in reverse order."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.ones(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.w * x.flip(-1)


def worked() -> Worked:
    block = reference("skip_init").SkipInit(Flip()).double()
    x = X.clone().requires_grad_()
    y = block(x)
    y.backward(DY)
    (grown,) = (each.grad for each in block.parameters() if each is block.alpha)
    (inner,) = (each.grad for each in block.parameters() if each is not block.alpha)
    with torch.no_grad():
        block.alpha -= 0.1 * block.alpha.grad
        rows = (
            row("x", X),
            row("F(x)", X.flip(-1)),
            row("α = 0     y", y),
            row("dy", DY),
            step("dα", "Σ dy · F(x)", grown),
            step("dw", "α · Σ dy · F(x)/w", inner),
            row("dx", x.grad),
            step("α", "0 − 0.1 · 6", block.alpha),
            row("α = −0.6  y", block(X)),
        )
    return Worked(
        {
            "en": "A branch F that reverses the order of the numbers and multiplies them by a weight w = 1; then one "
            "step of gradient descent with the rate 0.1:",
            "zh": "分支 F 把四个数倒过来排，再乘以权重 w = 1；然后做一步学习率为 0.1 的梯度下降：",
        },
        rows,
        {
            "en": "In the first step only α learns: the weight of the branch has the gradient 0. dx is dy, unchanged.",
            "zh": "第一步只有 α 在学习：分支的权重梯度为 0。dx 就是 dy，原样传回。",
        },
    )


def measured() -> Iterator[Measured]:
    grown, scaled, kept = (line.points[-1][1] for line in figure().lines)
    power = "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(math.floor(math.log10(grown))))
    grown /= 10 ** math.floor(math.log10(grown))
    yield Measured(
        {
            "en": f"with α = 1 it grows to {grown:.0f}·10{power}, with α = 1/√48 to {scaled:.1f}, with α = 0 it stays {kept:.0f}",
            "zh": f"α = 1 时增长到 {grown:.0f}·10{power}，α = 1/√48 时到 {scaled:.1f}，α = 0 时保持为 {kept:.0f}",
        }
    )
