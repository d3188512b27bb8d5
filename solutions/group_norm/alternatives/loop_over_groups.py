"""One group after the other, cut out with chunk, each with its own part of weight and bias, and joined again.

zh: 逐组处理：用 chunk 切出每一组，各用自己那一段 weight 和 bias，最后再拼接起来。
"""

import torch
from torch import Tensor, nn


class GroupNorm(nn.Module):
    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups = num_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_channels)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_channels)) if affine else None

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        parts = []
        for number, part in enumerate(wide.chunk(self.num_groups, dim=1)):
            dims = list(range(1, part.dim()))
            centred = part - part.mean(dims, keepdim=True)
            part = centred / (centred.pow(2).mean(dims, keepdim=True) + self.eps).sqrt()
            if self.weight is not None:
                size = part.shape[1]
                own = slice(number * size, (number + 1) * size)
                shape = (size,) + (1,) * (x.dim() - 2)
                part = part * self.weight[own].reshape(shape) + self.bias[own].reshape(shape)
            parts.append(part)
        return torch.cat(parts, dim=1).to(x.dtype)
