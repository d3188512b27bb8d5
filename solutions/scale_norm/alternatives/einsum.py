"""The squares by einsum, with a root only where they are not 0, and the division before the multiplication.

zh: 平方和用 einsum 求得，只在不为 0 处开方；先除后乘。
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
        squares = torch.einsum("...d,...d->...", wide, wide).unsqueeze(-1)
        length = torch.where(squares == 0, 0.0, squares.masked_fill(squares == 0, 1.0).sqrt())
        return ((wide / length.clamp(min=self.eps)) * self.g).to(x.dtype)
