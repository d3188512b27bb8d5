"""A pure function of the channels at one position, mapped over all positions; x is scaled before it is squared.

zh: 写一个只处理单个位置上各通道的纯函数，映射到所有位置；x 在平方之前就乘上系数。
"""

import torch
from torch import Tensor, nn


def one_position(channels: Tensor, size: int, alpha: float, beta: float, k: float) -> Tensor:
    """(C,) → (C,)."""
    scaled = channels * (alpha / size) ** 0.5
    padded = nn.functional.pad(scaled, (size // 2, (size - 1) // 2))
    windows = torch.stack([padded[first : first + size] for first in range(len(channels))])
    return channels / (windows.square().sum(dim=1) + k).pow(beta)


def local_response_norm(x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    if x.dim() < 3:
        raise ValueError(f"expected (N, C, *), got the shape {tuple(x.shape)}")
    positions = x.movedim(1, -1)
    rows = positions.reshape(-1, x.shape[1]).to(torch.promote_types(x.dtype, torch.float32))
    y = torch.vmap(lambda channels: one_position(channels, size, alpha, beta, k))(rows)
    return y.reshape(positions.shape).movedim(-1, 1).to(x.dtype)
