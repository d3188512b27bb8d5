"""The channels go to dimension 1, and each becomes a row; the sum of the lengths takes the place of their mean.

zh: 把通道移到第 1 维，每个通道排成一行；用长度之和代替长度的均值。
"""

import torch
from torch import Tensor, nn


class GlobalResponseNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.dim, self.eps = dim, eps
        self.weight = nn.Parameter(torch.empty(dim))
        self.bias = nn.Parameter(torch.empty(dim))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.zeros_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim < 3:
            raise ValueError(f"{x.ndim} dimensions")
        rows = x.movedim(-1, 1).to(torch.promote_types(x.dtype, torch.float32)).flatten(2)
        length = rows.norm(dim=2)
        share = self.dim * length / (length.sum(1, keepdim=True) + self.dim * self.eps)
        y = torch.addcmul(rows, rows * share[:, :, None], self.weight.to(rows.dtype)[:, None]) + self.bias[:, None]
        return y.reshape(x.movedim(-1, 1).shape).movedim(1, -1).to(x.dtype)

    def extra_repr(self) -> str:
        return f"{self.dim}, eps={self.eps}"
