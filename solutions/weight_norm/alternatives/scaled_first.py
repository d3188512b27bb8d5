"""Everything in float64, and each slice is divided by its largest number first, so that no square overflows or vanishes.

zh: 一切都在 float64 中计算，并且先把每个切片除以它最大的数，使平方既不上溢也不下溢。
"""

import torch
from torch import Tensor, nn


class WeightNorm(nn.Module):
    def __init__(self, weight: Tensor, dim: int = 0) -> None:
        super().__init__()
        self.register_buffer("dim", torch.tensor(dim), persistent=False)
        self.v = nn.Parameter(weight.detach().clone(memory_format=torch.contiguous_format))
        rows = self.as_rows(self.v.detach())
        self.g = nn.Parameter(rows.norm(dim=1).reshape([-1 if d == dim else 1 for d in range(weight.dim())]))

    def as_rows(self, v: Tensor) -> Tensor:
        return torch.stack([each.flatten() for each in v.split(1, int(self.dim))])

    def forward(self) -> Tensor:
        v = self.v.double()
        largest = self.as_rows(v.detach()).abs().amax(dim=1, keepdim=True)
        lengths = largest * (self.as_rows(v) / largest).square().sum(1, keepdim=True).sqrt()
        return (v / lengths.reshape(self.g.shape) * self.g.double()).to(self.v.dtype)
