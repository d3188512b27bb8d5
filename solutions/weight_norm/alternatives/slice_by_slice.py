"""Each slice by itself, put together again by stack.

zh: 逐个切片处理，再用 stack 拼起来。
"""

import torch
from torch import Tensor, nn


class WeightNorm(nn.Module):
    def __init__(self, weight: Tensor, dim: int = 0) -> None:
        super().__init__()
        self.dim = dim
        self.v = nn.Parameter(weight.detach().clone())
        lengths = torch.stack([each.norm() for each in self.v.detach().unbind(dim)])
        self.g = nn.Parameter(lengths.reshape([len(lengths) if d == dim else 1 for d in range(weight.dim())]))

    def forward(self) -> Tensor:
        wide = torch.promote_types(self.v.dtype, torch.float32)
        pairs = zip(self.g.to(wide).flatten(), self.v.to(wide).unbind(self.dim), strict=True)
        return torch.stack([g * v / v.norm() for g, v in pairs], dim=self.dim).to(self.v.dtype)
