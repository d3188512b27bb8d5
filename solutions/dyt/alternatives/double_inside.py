"""Everything between the two casts is computed in float64, one feature after the other.

zh: 两次类型转换之间，一切都在 float64 中计算，逐个特征进行。
"""

import torch
from torch import Tensor, nn


class DyT(nn.Module):
    def __init__(self, dim: int, alpha: float = 0.5) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.as_tensor(alpha, dtype=torch.get_default_dtype()))
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        features = (self.alpha.double() * x.double()).unbind(-1)
        parameters = zip(self.weight.double(), self.bias.double(), features, strict=True)
        return torch.stack([gain * z.tanh() + shift for gain, shift, z in parameters], dim=-1).to(x.dtype)
