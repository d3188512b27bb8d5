"""The root mean square is the length of a vector that has √(n · eps) as one more element, divided by √n.

zh: 均方根是给向量添上一个元素 √(n · eps) 之后的长度，再除以 √n。
"""

import math

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
        longer = nn.functional.pad(wide, (0, 1), value=math.sqrt(n * self.eps))
        rms = torch.linalg.vector_norm(longer, dim=-1, keepdim=True) / math.sqrt(n)
        return (wide / rms * self.weight).to(x.dtype)
