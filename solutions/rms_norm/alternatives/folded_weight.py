"""One factor per element: the weight is divided by the root mean square first, and x multiplied last.

zh: 每个元素只有一个系数：先用权重除以均方根，最后才乘以 x。
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
        scale = self.weight / (wide.square().mean(dim=-1, keepdim=True) + self.eps).sqrt()
        return (wide * scale).to(x.dtype)
