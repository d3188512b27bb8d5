"""In-place steps on a tensor of its own: every neighbour is added by narrow, then scale, shift, power and division.

zh: 在自己新建的张量上逐步原地计算：用 narrow 累加每个相邻通道，再缩放、平移、求幂、相除。
"""

import torch
from torch import Tensor


def local_response_norm(x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    if x.dim() not in range(3, 100):
        raise ValueError("local response normalisation needs (N, C, *)")
    wide = x.to(dtype=torch.promote_types(torch.float32, x.dtype), copy=True)
    samples, channels, *positions = x.shape
    before = size // 2
    squares = wide.new_zeros(samples, channels + size - 1, *positions)
    squares.narrow(1, before, channels).copy_(wide).pow_(2)
    denominator = squares.narrow(1, 0, channels).clone()
    for shift in range(1, size):
        denominator.add_(squares.narrow(1, shift, channels))
    return wide.div(denominator.mul_(alpha / size).add_(k).pow(beta)).to(x.dtype)
