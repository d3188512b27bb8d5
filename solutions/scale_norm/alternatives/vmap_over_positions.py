"""One position at a time, by vmap.

zh: 用 vmap 逐个位置计算。
"""

import torch
from torch import Tensor, nn


class ScaleNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.tensor(dim**0.5))

    def unit(self, position: Tensor) -> Tensor:
        return position / position.norm().clamp(min=self.eps)

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        units = torch.vmap(self.unit)(wide.reshape(-1, x.shape[-1]))
        return (self.g * units.reshape(x.shape)).to(x.dtype)
