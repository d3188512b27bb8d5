"""The mean square is an average pooling; what cuts off is a function of its own, with where, which keeps a NaN.

zh: 均方用平均池化求得；截断单独写成一个函数，用 where，能保留 NaN。
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def cut_off(y: Tensor, threshold: Tensor) -> Tensor:
    return torch.where(y < threshold, threshold, y)


class FilterResponseNorm(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(num_features))
        self.bias = nn.Parameter(torch.empty(num_features))
        self.threshold = nn.Parameter(torch.empty(num_features))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.ones_(self.weight)
        nn.init.zeros_(self.bias)
        nn.init.zeros_(self.threshold)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError(f"{x.dim()} dimensions instead of 4")
        per_channel = (1, self.num_features, 1, 1)
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        normalised = wide * (F.adaptive_avg_pool2d(wide**2, 1) + self.eps).rsqrt()
        y = torch.addcmul(self.bias.to(wide.dtype).view(per_channel), normalised, self.weight.to(wide.dtype).view(per_channel))
        return cut_off(y, self.threshold.to(wide.dtype).view(per_channel)).to(x.dtype)

    def extra_repr(self) -> str:
        return f"{self.num_features}, eps={self.eps}"
