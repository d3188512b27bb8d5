"""The least length by `where`.

zh: 用 `where` 取最小长度。
"""

import torch
from torch import Tensor, nn


class ScaleNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.least = eps
        self.g = nn.Parameter(torch.tensor(dim**0.5))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        length = (wide * wide).sum(-1, keepdim=True).sqrt()
        length = torch.where(length < self.least, self.least, length)
        return (self.g * (wide / length)).to(x.dtype)
