"""A pure function of one group, mapped over samples and groups by torch.vmap; the parameters are registered in the other order.

zh: 写一个只处理单个组的纯函数，用 torch.vmap 映射到所有样本和所有组；参数以相反的顺序注册。
"""

import torch
from torch import Tensor, nn


def normalised(group: Tensor, eps: float) -> Tensor:
    """One group as a vector, by its own mean and variance."""
    centred = group - group.mean()
    return centred * torch.pow(torch.dot(centred, centred) / group.numel() + eps, -0.5)


class GroupNorm(nn.Module):
    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"no {num_groups} equal groups of {num_channels} channels")
        self.num_groups, self.eps = num_groups, eps
        self.bias = nn.Parameter(torch.zeros(num_channels)) if affine else None
        self.weight = nn.Parameter(torch.ones(num_channels)) if affine else None

    def forward(self, x: Tensor) -> Tensor:
        vectors = x.to(torch.promote_types(x.dtype, torch.float32)).reshape(x.shape[0], self.num_groups, -1)
        per_group = torch.vmap(torch.vmap(normalised, in_dims=(0, None)), in_dims=(0, None))
        y = per_group(vectors, self.eps).reshape(x.shape).movedim(1, -1)  # channels last, where (C,) broadcasts by itself
        if self.weight is not None and self.bias is not None:
            y = torch.addcmul(self.bias.to(y.dtype), y, self.weight.to(y.dtype))
        return y.movedim(-1, 1).to(x.dtype)
