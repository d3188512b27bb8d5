"""One channel after the other: the sum over the slice that is its window, cut off at the first and the last channel.

zh: 逐个通道计算：对作为窗口的切片求和，超出首尾通道的部分截掉。
"""

import torch
from torch import Tensor


def local_response_norm(x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    if x.dim() < 3:
        raise ValueError(f"x has {x.dim()} dimensions; a batch, channels and positions are needed")
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    outputs = []
    for channel in range(x.size(1)):
        first = max(0, channel - size // 2)
        last = channel + (size - 1) // 2
        energy = wide[:, first : last + 1].pow(2).sum(dim=1)
        outputs.append(wide[:, channel] / torch.pow(k + alpha * energy / size, beta))
    return torch.stack(outputs, dim=1).to(x.dtype)
