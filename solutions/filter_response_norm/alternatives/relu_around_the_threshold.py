"""The feature maps as rows, their lengths from vector_norm; the threshold is a ReLU between two shifts.

zh: 特征图排成行，长度由 vector_norm 求得；阈值写成两次平移之间的 ReLU。
"""

import math

import torch
from torch import Tensor, nn


class FilterResponseNorm(nn.Module):
    def __init__(self, num_features: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        for name, start in (("weight", 1.0), ("bias", 0.0), ("threshold", 0.0)):
            self.register_parameter(name, nn.Parameter(torch.full((num_features,), start)))

    def forward(self, x: Tensor) -> Tensor:
        if len(x.shape) != 4:
            raise ValueError("only images")
        maps = x.flatten(2).to(torch.promote_types(x.dtype, torch.float32))
        n = maps.shape[-1]
        length = torch.linalg.vector_norm(maps, dim=-1, keepdim=True)
        y = self.weight[:, None] * maps * math.sqrt(n) / (length.square() + n * self.eps).sqrt() + self.bias[:, None]
        threshold = self.threshold[:, None]
        return (torch.relu(y - threshold) + threshold).view_as(x).to(x.dtype)
