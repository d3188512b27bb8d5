"""The result is built in place in tensors of its own; the root is a hypotenuse with √eps.

zh: 结果在自己新建的张量中原地算出；根号写成以 √eps 为一条直角边的斜边。
"""

import math

import torch
from torch import Tensor, nn


class PartialRMSNorm(nn.Module):
    def __init__(self, dim: int, p: float = 0.0625, eps: float = 1e-6) -> None:
        super().__init__()
        self.n, self.eps = dim, eps
        self.k = next(k for k in range(1, dim + 1) if k >= dim * p)
        self.register_parameter("weight", nn.Parameter(torch.ones(dim)))

    def forward(self, x: Tensor) -> Tensor:
        result = x.to(torch.promote_types(x.dtype, torch.float32), copy=True)
        rms = torch.linalg.vector_norm(result[..., : self.k], dim=-1, keepdim=True).div(math.sqrt(self.k))
        denominator = torch.hypot(rms, torch.full_like(rms, math.sqrt(self.eps)))
        return result.div(denominator).mul_(self.weight).to(x.dtype)
