"""A pure function of one position, mapped over all of them by torch.vmap.

zh: 写一个只处理单个位置的纯函数，用 torch.vmap 映射到所有位置。
"""

import torch
from torch import Tensor, nn


def normalised(position: Tensor, weight: Tensor, eps: float) -> Tensor:
    """One position, a vector, by its own mean square."""
    return position * weight * torch.pow(torch.dot(position, position) / len(position) + eps, -0.5)


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.options = {"eps": eps}

    def forward(self, x: Tensor) -> Tensor:
        positions = x.reshape(-1, x.shape[-1]).to(torch.promote_types(x.dtype, torch.float32))
        one_by_one = torch.vmap(normalised, in_dims=(0, None, None))
        return one_by_one(positions, self.weight.to(positions.dtype), self.options["eps"]).reshape(x.shape).to(x.dtype)
