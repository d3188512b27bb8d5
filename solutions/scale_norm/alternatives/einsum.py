"""The squares by einsum, and the division before the multiplication.

zh: 平方和用 einsum 求得；先除后乘。
"""

import torch
from torch import Tensor, nn


class ScaleNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.tensor(float(dim)).sqrt())

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        length = torch.einsum("...d,...d->...", wide, wide).sqrt().unsqueeze(-1)
        return ((wide / length.clamp(min=self.eps)) * self.g).to(x.dtype)
