"""The squares are summed over a list of the other dimensions; where there are none, the length is the absolute value.

zh: 对其他各维的列表求平方和；没有其他维时，长度就是绝对值。
"""

import torch
from torch import Tensor, nn


class WeightNorm(nn.Module):
    def __init__(self, weight: Tensor, dim: int = 0) -> None:
        super().__init__()
        self.others = [other for other in range(weight.dim()) if other != dim]
        self.register_parameter("v", nn.Parameter(torch.empty_like(weight)))
        with torch.no_grad():
            self.v.copy_(weight)
        self.register_parameter("g", nn.Parameter(self.length(self.widened(weight.detach())).to(weight.dtype)))

    def widened(self, v: Tensor) -> Tensor:
        return v.to(torch.promote_types(v.dtype, torch.float32))

    def length(self, v: Tensor) -> Tensor:
        return v.square().sum(self.others, keepdim=True).sqrt() if self.others else v.abs()

    def forward(self) -> Tensor:
        v = self.widened(self.v)
        return (v * (self.g / self.length(v))).to(self.v.dtype)
