"""Everything between the two casts is computed in float64, one feature after the other.

zh: 两次类型转换之间，一切都在 float64 中计算，逐个特征进行。
"""

import torch
from torch import Tensor, nn


class DyISRU(nn.Module):
    def __init__(self, dim: int, c: float = 1.0) -> None:
        super().__init__()
        self.c = nn.Parameter(torch.as_tensor(c, dtype=torch.get_default_dtype()))
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        features, c = x.double().unbind(-1), self.c.double()
        gains = self.weight.double() * len(features) ** 0.5
        outputs = [gain * z * (z**2 + c) ** -0.5 + shift for gain, shift, z in zip(gains, self.bias.double(), features, strict=True)]
        return torch.stack(outputs, dim=-1).to(x.dtype)
