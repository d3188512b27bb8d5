"""tanh(z) = e / (e + 2) with e = exp(2z) − 1 by expm1, which keeps the digits near 0; where z is above 20, tanh is 1.

zh: tanh(z) = e / (e + 2)，其中 e = exp(2z) − 1 用 expm1 计算，在 0 附近不丢位数；z 大于 20 时 tanh 就是 1。
"""

import torch
from torch import Tensor, nn


class DyT(nn.Module):
    def __init__(self, dim: int, alpha: float = 0.5) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.tensor(float(alpha)))
        self.register_parameter("weight", nn.Parameter(torch.empty(dim)))
        self.register_parameter("bias", nn.Parameter(torch.empty(dim)))
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        z = self.alpha * x.to(torch.promote_types(x.dtype, torch.float32))
        e = torch.expm1(2 * z.clamp(max=20))
        return torch.addcmul(self.bias.to(e.dtype), self.weight.to(e.dtype), e / (e + 2)).to(x.dtype)
