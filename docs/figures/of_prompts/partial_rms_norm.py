"""The numbers of the prompt of partial RMS norm."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Measured, Worked, X, row, step


def worked() -> Worked:
    layer = reference("partial_rms_norm").PartialRMSNorm(4, 0.5, eps=0.0).double()
    x, dy = X.clone().requires_grad_(), DY.flip(0)
    y = layer(x)
    y.backward(dy)
    square = X[:2].square().mean()
    rows = (
        row("x", X),
        step("k", "⌈4 · 0.5⌉", 2),
        step("RMS²", "(1 + 4)/2", square),
        step("RMS", "√2.5", square.sqrt()),
        row("x̂ = x/RMS", y),
        row("dy", dy),
        row("dx", x.grad),
    )
    return Worked(
        {
            "en": "One position of four numbers, with p = 0.5, ε = 0 and γ = 1:",
            "zh": "一个位置的四个数，p = 0.5，ε = 0，γ = 1：",
        },
        rows,
        {
            "en": "The mean square of x̂ is 1 over the first two numbers; the others may be any size. The gradient of the last output "
            "reaches itself, and the first two by\n"
            "way of the root mean square, but not the third.",
            "zh": "x̂ 前两个数的均方为 1；其余的可以任意大。最后一个输出的梯度到达它自己，并经由均方根到达前两个数，但到不了第三个。",
        },
    )


def measured() -> Iterator[Measured]:
    torch.manual_seed(0)
    x = torch.randn(50_000, 48)
    many, few = (f"{x[:, :k].square().mean(-1).sqrt().std().item():.0%}".replace("%", " %") for k in (48, 4))
    yield Measured(
        {
            "en": f"Over 50 000 rows it is {many} with k = 48, as for 768 features, and {few} with k = 4, as for 64.",
            "zh": f"取 50 000 行来测量：k = 48（768 个特征时）为 {many}，k = 4（64 个特征时）为 {few}。",
        }
    )
