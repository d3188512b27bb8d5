"""The usual power of 3/4 is a product of roots; the squares are added to the channels whose windows hold them.

zh: 常用的 3/4 次幂写成根号之积；每个平方加到窗口包含它的各个通道上。
"""

import torch
from torch import Tensor


def power(base: Tensor, beta: float) -> Tensor:
    if beta != 0.75:
        return base.pow(beta)
    root = base.sqrt()
    return root * root.sqrt()


def local_response_norm(x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    if x.dim() < 3:
        raise ValueError(f"(N, C, *) has at least three dimensions, not {x.dim()}")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    squares = wide * wide
    channel = torch.arange(x.shape[1])
    total = torch.zeros_like(squares)
    for shift in range(-((size - 1) // 2), size // 2 + 1):  # from a number to a channel whose window holds it
        target = channel + shift
        inside = (target >= 0) & (target < x.shape[1])
        total = total.index_add(1, target[inside], squares[:, inside])
    return (wide / power(total * (alpha / size) + k, beta)).to(x.dtype)
