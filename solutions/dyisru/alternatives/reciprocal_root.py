"""x times the reciprocal root, by rsqrt; c has the shape (1,), √dim comes from the input, and bfloat16, which cannot overflow, stays.

zh: x 乘以平方根的倒数，用 rsqrt 计算；c 的形状为 (1,)，√dim 取自输入，不会溢出的 bfloat16 保持原样。
"""

import math

import torch
from torch import Tensor, nn


class DyISRU(nn.Module):
    def __init__(self, dim: int, c: float = 1.0) -> None:
        super().__init__()
        self.c = nn.Parameter(torch.ones(1) * c)
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float() if x.dtype == torch.float16 else x
        y = math.sqrt(x.shape[-1]) * wide * torch.rsqrt(wide * wide + self.c)
        return (y * self.weight + self.bias).to(x.dtype)
