"""The numbers of the prompt of whitening."""

from __future__ import annotations

import torch

from of_prompts.references import reference
from of_prompts.rows import Worked, X, row

OTHER = torch.tensor([2.0, 1.0, 3.0, 6.0], dtype=torch.float64)  # says nearly the same as X


def worked() -> Worked:
    x = torch.stack((X, OTHER), dim=1)
    z = reference("whitening").whiten(x)
    covariance = torch.cov(x.T, correction=0)
    values, vectors = torch.linalg.eigh(covariance)
    inverse_root = vectors * values.rsqrt() @ vectors.T
    again = torch.cov(z.T, correction=0)
    rows = (
        row("x₁", x[:, 0]),
        row("x₂", x[:, 1]),
        row("C", covariance[0]),
        row("", covariance[1]),
        row("Λ", values.flip(0)),
        row("Λ^(−1/2)", values.rsqrt().flip(0)),
        row("W", inverse_root[0]),
        row("", inverse_root[1]),
        row("z₁", z[:, 0]),
        row("z₂", z[:, 1]),
        row("z₁ − z₂", z[:, 0] - z[:, 1]),
        row("1/N · Σ zᵀz", again[0]),
        row("", again[1]),
    )
    return Worked(
        {
            "en": "Two features that say nearly the same, of four samples each, with ε = 0:",
            "zh": "两个几乎说同一件事的特征，各有四个样本，ε = 0：",
        },
        rows,
        {
            "en": "The direction (1, 1), in which the data vary most, is divided by √6.75 = 2.6. The small difference x₁ − x₂ is "
            "multiplied by 2.",
            "zh": "数据在 (1, 1) 方向上变化最大，这个方向被除以 √6.75 = 2.6；较小的差 x₁ − x₂ 则被乘以 2。",
        },
    )
