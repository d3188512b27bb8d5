"""Everything between the two casts is float64; the larger one is the negative of the smaller of the negatives.

zh: 两次类型转换之间都用 float64；较大者是两个相反数中较小者的相反数。
"""

import torch
from torch import Tensor, nn


class FilterResponseNorm(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.threshold = nn.Parameter(torch.zeros(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError("(N, C, H, W) is expected")
        wide = x.double()
        weight, bias, threshold = (each.double()[None, :, None, None] for each in (self.weight, self.bias, self.threshold))
        rms = ((wide * wide).sum((-2, -1), keepdim=True) / (x.size(2) * x.size(3)) + self.eps) ** 0.5
        return (-torch.minimum(-(wide / rms * weight + bias), -threshold)).to(x.dtype)
