"""A table says which channels each window holds; what lies beyond the border points to one more channel, of zeros.

zh: 用一张表记下每个窗口含哪些通道；边界之外的下标指向额外的一个全零通道。
"""

import torch
from torch import Tensor


def local_response_norm(x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    if len(x.shape) < 3:
        raise ValueError(f"no positions in {tuple(x.shape)}")
    wide = x.double()
    channels = x.shape[1]
    table = torch.arange(channels)[:, None] + torch.arange(size)[None, :] - size // 2  # (C, size)
    table = torch.where((table < 0) | (table >= channels), channels, table)
    with_zeros = torch.cat([wide, torch.zeros_like(wide[:, :1])], dim=1)
    windows = with_zeros.index_select(1, table.flatten()).unflatten(1, (channels, size))
    energy = torch.linalg.vecdot(windows, windows, dim=2)
    return (wide / (k + energy * alpha / size) ** beta).to(x.dtype)
