"""The least length by `where`, before the root and after it.

zh: 用 `where` 取最小长度，开方之前和之后各一次。
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
        squares = (wide * wide).sum(-1, keepdim=True)
        short = squares.sqrt() < self.least
        length = torch.where(short, self.least, torch.where(short, 1.0, squares).sqrt())
        return (self.g * (wide / length)).to(x.dtype)
