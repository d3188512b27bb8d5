"""√dim moves into the root, as in RMS norm: x / √((x² + c) / dim).

zh: √dim 移入根号，与 RMSNorm 的写法一样：x / √((x² + c) / dim)。
"""

import torch
from torch import Tensor, nn


class DyISRU(nn.Module):
    def __init__(self, dim: int, c: float = 1.0) -> None:
        super().__init__()
        self.dim = dim
        self.c = nn.Parameter(torch.tensor(float(c)))
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        denominator = ((wide.pow(2) + self.c) / self.dim) ** 0.5
        return torch.addcmul(self.bias.to(wide.dtype), self.weight.to(wide.dtype), wide / denominator).to(x.dtype)
