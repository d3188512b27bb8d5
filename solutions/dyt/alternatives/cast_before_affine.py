"""Back in the input's dtype before weight and bias, which follow into that dtype.

zh: 在 weight 和 bias 之前就转换回输入的 dtype，两者也随之转换。
"""

import torch
from torch import Tensor, nn


class DyT(nn.Module):
    def __init__(self, dim: int, alpha: float = 0.5) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.tensor(float(alpha)))
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x if x.dtype == torch.float64 else x.float()
        squashed = torch.tanh(wide * self.alpha).to(x.dtype)
        return squashed * self.weight.to(x.dtype) + self.bias.to(x.dtype)
