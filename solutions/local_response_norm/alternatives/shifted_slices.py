"""No padding: for every offset of the window the squares of the neighbours that exist are added, slice to slice.

zh: 不做填充：对窗口的每个偏移，把存在的相邻通道的平方按切片累加。
"""

import torch
from torch import Tensor


def local_response_norm(x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    if x.ndim <= 2:
        raise ValueError(f"expected at least three dimensions, got {x.ndim}")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    squares = wide**2
    channels = x.shape[1]
    total = torch.zeros_like(squares)
    for offset in range(-(size // 2), (size - 1) // 2 + 1):
        first, last = max(0, -offset), min(channels, channels - offset)  # the channels that have such a neighbour
        if first < last:
            total[:, first:last] += squares[:, first + offset : last + offset]
    return (wide * (k + alpha / size * total).pow(-beta)).to(x.dtype)
