"""The window is a convolution with ones along the channels; the power is an exponential of a logarithm.

zh: 窗口是沿通道方向与全 1 核的卷积；幂写成对数的指数。
"""

import torch
from torch import Tensor, nn


def window_sum(squares: Tensor, size: int) -> Tensor:
    """(N, C, positions) → the same shape."""
    ones = squares.new_ones(1, 1, size, 1)
    before, after = size // 2, (size - 1) // 2
    padded = nn.functional.pad(squares[:, None], (0, 0, before, after))
    return nn.functional.conv2d(padded, ones)[:, 0]


def local_response_norm(x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    if x.dim() < 3:
        raise ValueError("expected (N, C, *)")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    base = window_sum(wide.square().flatten(2), size).reshape(x.shape) * (alpha / size) + k
    return (wide * torch.exp(-beta * torch.log(base))).to(x.dtype)
