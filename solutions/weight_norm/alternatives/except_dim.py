"""PyTorch's norm over all dimensions but one, and its gradient by autograd.

zh: 用 PyTorch 的函数求除某一维之外的范数，梯度交给 autograd。
"""

import torch
from torch import Tensor, nn


class WeightNorm(nn.Module):
    def __init__(self, weight: Tensor, dim: int = 0) -> None:
        super().__init__()
        self.dim = dim
        self.v = nn.Parameter(torch.clone(weight.data))
        self.g = nn.Parameter(torch.norm_except_dim(weight.data, 2, dim))

    def forward(self) -> Tensor:
        v = self.v.float() if self.v.dtype in (torch.float16, torch.bfloat16) else self.v
        return torch.mul(v / torch.norm_except_dim(v, 2, self.dim), self.g).type_as(self.v)
