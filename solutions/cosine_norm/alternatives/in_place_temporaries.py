"""Positions in one dimension, the unit rows transposed; lengths and products are changed in place in tensors of their own.

zh: 各位置合成一维，单位行转置；长度和乘积都在自己新建的张量中原地修改。
"""

import torch
from torch import Tensor, nn


class CosineLinear(nn.Module):
    def __init__(self, in_features: int, out_features: int, eps: float = 1e-8) -> None:
        super().__init__()
        self.in_features, self.out_features, self.eps = in_features, out_features, eps
        self.weight = nn.Parameter(torch.zeros(out_features, in_features).normal_(0, in_features**-0.5))

    def forward(self, x: Tensor) -> Tensor:
        wide = torch.promote_types(x.dtype, torch.float32)
        rows, weight = x.reshape(-1, x.shape[-1]).to(wide), self.weight.to(wide)
        inverse = rows.norm(dim=1, keepdim=True).clamp(min=self.eps).reciprocal_()
        columns = (weight / weight.norm(dim=1, keepdim=True).clamp(min=self.eps)).t()
        return torch.mm(rows, columns).mul_(inverse).reshape(*x.shape[:-1], self.out_features).to(x.dtype)
