"""The weight is kept as it is, and taken as a matrix of rows for the computation: an einsum for the squares, rsqrt, and back.

zh: 权重原样保存，计算时当作由行组成的矩阵：用 einsum 求平方和，用 rsqrt，再变回原形。
"""

import torch
from torch import Tensor, nn


class WeightNorm(nn.Module):
    def __init__(self, weight: Tensor, dim: int = 0) -> None:
        super().__init__()
        self.dim = dim
        start = weight.detach().clone()
        sizes = [1] * start.dim()
        sizes[dim] = start.shape[dim]
        rows = self.rows(start).to(torch.promote_types(start.dtype, torch.float32))
        squares = torch.einsum("rc,rc->r", rows, rows)
        self.g, self.v = nn.Parameter(squares.sqrt().view(sizes).to(start.dtype)), nn.Parameter(start)

    def rows(self, weight: Tensor) -> Tensor:
        return weight.transpose(0, self.dim).reshape(weight.shape[self.dim], -1)

    def forward(self) -> Tensor:
        dtype = torch.promote_types(self.v.dtype, torch.float32)
        rows = self.rows(self.v).to(dtype)
        scale = self.g.flatten().to(dtype) * torch.einsum("rc,rc->r", rows, rows).rsqrt()
        turned = self.v.transpose(0, self.dim).shape
        return (rows * scale[:, None]).reshape(turned).transpose(0, self.dim).to(self.v.dtype)
