"""The features are unbound and their squares summed one by one; features last again at the end.

zh: 特征用 unbind 拆开，平方逐个累加；结尾再把特征放回最后一维。
"""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        features = wide.unbind(-1)
        mean_square = torch.zeros_like(features[0])
        for feature in features:
            mean_square = mean_square + feature * feature / len(features)
        rms = (mean_square + self.eps) ** 0.5
        return torch.stack([gain * feature / rms for gain, feature in zip(self.weight, features, strict=True)], dim=-1).to(x.dtype)
