"""exp2 of x · log₂(e), with temporaries of its own worked on in place.

zh: 用 exp2 计算 x · log₂(e)，在自己的临时张量上做原地操作。
"""

import math

import torch
from torch import Tensor


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    wide = x.to(torch.promote_types(x.dtype, torch.float32), copy=True)
    with torch.no_grad():
        largest = wide.max(dim, keepdim=True)[0]
    e = (wide - largest).mul_(math.log2(math.e)).exp2_()
    return torch.true_divide(e, torch.sum(e, dim=dim, keepdim=True)).to(x.dtype)
