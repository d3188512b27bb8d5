"""Log-softmax by hand, then exp.

zh: 手写 log-softmax，再取 exp。
"""

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    x_wide = x.double() if x.dtype == torch.float64 else x.float()
    shifted = x_wide - torch.max(x_wide, dim=dim, keepdim=True).values
    log_sum = shifted.exp().sum(dim=dim, keepdim=True).log()
    return (shifted - log_sum).exp().to(x.dtype)
