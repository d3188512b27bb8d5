"""The logarithm of the weight is x minus the log-sum-exp of its row.

zh: 权重的对数等于 x 减去该行的 log-sum-exp。
"""

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    return torch.exp(wide - torch.logsumexp(wide, dim, keepdim=True)).to(x.dtype)
