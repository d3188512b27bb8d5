"""No mean is taken: the factor is the root of n over the sum of the squares plus n · eps.

zh: 不求平均：系数是 n 除以（平方和加 n · eps）再开根号。
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
        n = x.shape[-1]
        factor = (n / (wide.square().sum(dim=-1, keepdim=True) + n * self.eps)).sqrt()
        return (wide * factor * self.weight).to(x.dtype)
