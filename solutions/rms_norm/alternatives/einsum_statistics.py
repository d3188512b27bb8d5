"""The sum of squares is a contraction of every position with itself; eps enters the sum dim times.

zh: 平方和是每个位置与自身的缩并；eps 在这个和里加了 dim 次。
"""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        squares = torch.einsum("...d,...d->...", wide, wide) + x.shape[-1] * self.eps
        return torch.einsum("...d,...,d->...d", wide, (squares / x.shape[-1]) ** -0.5, self.weight).to(x.dtype)
