"""The features are unbound, the first k squares added one by one, and the features stacked again.

zh: 用 unbind 拆开特征，逐个累加前 k 个的平方，再把特征叠回去。
"""

import math

import torch
from torch import Tensor, nn


class PartialRMSNorm(nn.Module):
    def __init__(self, dim: int, p: float = 0.0625, eps: float = 1e-6) -> None:
        super().__init__()
        self.k = max(1, math.ceil(dim * p))
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        features = x.to(torch.promote_types(x.dtype, torch.float32)).movedim(-1, 0)
        mean_square = torch.zeros_like(features[0])
        for feature in features[: self.k]:
            mean_square = mean_square + feature * feature / self.k
        scaled = torch.einsum("d...,...,d->...d", features, (mean_square + self.eps).rsqrt(), self.weight.to(features.dtype))
        return scaled.to(x.dtype)
