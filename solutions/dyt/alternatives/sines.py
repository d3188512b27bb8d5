"""A subclass of a layer that has weight and bias already; tanh is the ratio of sinh and cosh, where these do not overflow.

zh: 继承一个已有 weight 和 bias 的层；tanh 是 sinh 与 cosh 之比，限制在二者不溢出的范围内。
"""

import torch
from torch import Tensor, nn


class Affine(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.full((dim,), 1.0))
        self.bias = nn.Parameter(torch.full((dim,), 0.0))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.weight + self.bias


class DyT(Affine):
    def __init__(self, dim: int, alpha: float = 0.5) -> None:
        super().__init__(dim)
        self.alpha = nn.Parameter(torch.tensor([alpha]))

    def forward(self, x: Tensor) -> Tensor:
        z = (self.alpha * x.to(torch.promote_types(x.dtype, torch.float32))).clamp(-40, 40)
        return super().forward(z.sinh() / z.cosh()).to(x.dtype)
