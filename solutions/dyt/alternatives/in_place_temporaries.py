"""tanh is taken in place in the product alpha · x; helpers are a module without parameters and a buffer that is not kept.

zh: tanh 在乘积 alpha · x 这个自己的张量中原地计算；辅助的是一个没有参数的模块和一个不保存的缓冲区。
"""

import torch
from torch import Tensor, nn


class DyT(nn.Module):
    def __init__(self, dim: int, alpha: float = 0.5) -> None:
        super().__init__()
        self.register_buffer("one", torch.ones(1), persistent=False)
        self.alpha = nn.Parameter(self.one * alpha)
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))
        self.squash = nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        squashed = self.squash((x.to(torch.promote_types(x.dtype, torch.float32)) * self.alpha).tanh_())
        return (squashed * self.weight).add_(self.bias).type_as(x)
