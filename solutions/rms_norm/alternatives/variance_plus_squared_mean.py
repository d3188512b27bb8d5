"""The mean square as variance plus squared mean: both terms are positive, so nothing cancels.

zh: 均方写成方差加均值的平方：两项都为正，不会相消。
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
        var, mean = torch.var_mean(wide, dim=-1, keepdim=True, correction=0)
        return (wide / (var + mean**2 + self.eps).sqrt() * self.weight).to(x.dtype)
