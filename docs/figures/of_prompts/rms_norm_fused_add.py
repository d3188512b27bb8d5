"""The numbers of the prompt of the fused residual sum and RMS norm."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Measured, Worked, X, row, step


def worked() -> Worked:
    residual = torch.tensor([1.0, 1.0, 1.0, 2.0], dtype=torch.float64)
    dtotal = torch.tensor([0.0, 0.0, 1.0, 0.0], dtype=torch.float64)
    inputs = [each.requires_grad_() for each in (X - residual, residual, torch.tensor([2.0, 1.0, 1.0, 1.0], dtype=torch.float64))]
    y, total = reference("rms_norm_fused_add").add_rms_norm(*inputs, eps=0.0)
    torch.autograd.backward([y, total], [DY, dtotal])
    x, residual, weight = inputs
    assert torch.equal(x.grad, residual.grad)
    rows = (
        row("x", x),
        row("residual", residual),
        row("total", total),
        step("r", "1/√((1 + 4 + 9 + 36)/4)", X.square().mean().rsqrt()),
        row("γ", weight),
        row("y", y),
        row("dy", DY),
        row("dtotal", dtotal),
        row("dγ", weight.grad),
        row("r · (dx̂ − x̂ · m)", x.grad - dtotal),
        row("dx = dresidual", x.grad),
    )
    return Worked(
        {
            "en": "One row of four numbers, with ε = 0, dx̂ = γ · dy and m = mean(dx̂ · x̂):",
            "zh": "一行四个数，ε = 0，dx̂ = γ · dy，m = mean(dx̂ · x̂)：",
        },
        rows,
        {
            "en": "The gradient that comes back through the norm is perpendicular to total. dtotal is added to it as it arrived.",
            "zh": "经过归一化传回来的部分与 total 垂直。dtotal 原样加在上面。",
        },
    )


def measured() -> Iterator[Measured]:
    yield from ()
