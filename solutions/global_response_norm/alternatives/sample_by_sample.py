"""Every sample by itself: a matrix of positions and channels, the lengths of its columns, and the shares as a matrix product.

zh: 逐个样本计算：位置乘通道的矩阵，求各列的长度；乘以相对强度写成矩阵乘法。
"""

import torch
from torch import Tensor, nn


class GlobalResponseNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.register_buffer("samples_seen", torch.tensor(0), persistent=False)

    def respond(self, sample: Tensor) -> Tensor:
        positions = sample.reshape(-1, sample.shape[-1]).to(torch.promote_types(sample.dtype, torch.float32))
        length = torch.linalg.norm(positions, dim=0)
        share = length.div(length.mean() + self.eps)
        y = positions * share * self.weight + self.bias
        return (y + positions).reshape(sample.shape).to(sample.dtype)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() - 2 <= 0:
            raise ValueError("only (N, …, dim)")
        self.samples_seen += len(x)
        return torch.stack([self.respond(sample) for sample in x])
