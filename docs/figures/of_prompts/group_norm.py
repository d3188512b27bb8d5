"""The numbers of the prompt of group norm."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from of_prompts.references import reference
from of_prompts.rows import DY, Measured, Worked, X, row, step


def worked() -> Worked:
    rows = [row("x", X), row("dy", DY)]
    for groups in (1, 2, 4):
        layer = reference("group_norm").GroupNorm(groups, 4).double()
        x = X.view(1, 4).requires_grad_()
        y = layer(x)
        (dx,) = torch.autograd.grad(y, x, DY.view(1, 4))
        parts = X.view(groups, -1)
        rows.append(row(f"G = {groups}   μ", parts.mean(-1, keepdim=True).expand_as(parts)))
        if groups == 1:
            rows.append(step("        σ²", "14/4 = 3.5 ≠ 14/3", X.var()))
        else:
            rows.append(row("        σ²", parts.var(-1, correction=0, keepdim=True).expand_as(parts)))
        rows += [row("        x̂", y), row("        dx", dx)]
    return Worked(
        {
            "en": "One sample of four channels and no positions, in 1, 2 and 4 groups, with γ = 1, β = 0 and the default ε:",
            "zh": "一个样本，四个通道，没有位置维，分别分成 1、2、4 组；γ = 1，β = 0，ε 取默认值：",
        },
        rows,
        {
            "en": "With two numbers per group only their order is left, with one not even that, and hardly any gradient passes. In "
            "an image the positions add numbers to\n"
            "each group.",
            "zh": "每组两个数时，只剩下大小顺序；每组一个数时，连顺序也没有，梯度几乎传不过去。图像有许多位置，每组的数因此更多。",
        },
    )


def measured() -> Iterator[Measured]:
    torch.manual_seed(0)
    sample = torch.randn(1, 16, 4)
    noise = []
    for size in (2, 8, 32):
        batches = torch.cat((sample.expand(4000, 1, 16, 4), torch.randn(4000, size - 1, 16, 4)), 1)
        mean, var = batches.mean((1, 3), keepdim=True), batches.var((1, 3), keepdim=True, correction=0)
        noise.append(f"{((batches - mean) / var.sqrt())[:, 0].std(0).mean().item():.2f}")
    two, eight, many = noise
    yield Measured(
        {
            "en": f"a standard deviation of {two} over batches of 2, {eight} over batches of 8 and {many} over batches of 32",
            "zh": f"在大小为 2 的批中标准差是 {two}，在大小为 8 的批中是 {eight}，在大小为 32 的批中是 {many}",
        }
    )
