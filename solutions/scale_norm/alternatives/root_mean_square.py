"""The length is √dim times the root mean square, and ε is brought to the same unit.

zh: 长度写成均方根的 √dim 倍，ε 也换算到同一单位。
"""

import torch
from torch import Tensor, nn


class ScaleNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.root, self.eps = dim**0.5, eps
        self.g = nn.Parameter(torch.tensor(self.root))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        mean = wide.square().mean(dim=-1, keepdim=True)
        rms = torch.zeros_like(mean).masked_scatter(mean != 0, mean[mean != 0].sqrt())  # a root has no slope at 0
        return (self.g / self.root * wide / rms.clamp(min=self.eps / self.root)).to(x.dtype)
