"""The channels become an image dimension, over which an average pooling slides; its zeros at the border are counted.

zh: 通道变成图像的一维，平均池化在这一维上滑动；边界处补的零也计入平均。
"""

import torch
from torch import Tensor, nn


def local_response_norm(x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    if x.dim() < 3:
        raise ValueError(f"expected (N, C, *), got {x.dim()} dimensions")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    squares = wide.mul(wide).reshape(x.shape[0], 1, x.shape[1], -1)  # (N, 1, C, positions)
    padded = nn.functional.pad(squares, (0, 0, size // 2, (size - 1) // 2))
    average = nn.functional.avg_pool2d(padded, (size, 1), stride=1).reshape(x.shape)
    return (wide / average.mul(alpha).add(k).pow(beta)).to(x.dtype)
