"""The length by `linalg.vector_norm`, as in the authors' code: g is divided by it first; g of shape (1,).

zh: 长度用 `linalg.vector_norm` 求得，并像作者的代码那样先用 g 除以它；g 的形状为 (1,)。
"""

import torch
from torch import Tensor, nn


class ScaleNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.full((1,), dim**0.5))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        length = torch.linalg.vector_norm(wide, dim=-1, keepdim=True)
        return (wide * (self.g / length.clamp(min=self.eps))).to(x.dtype)
