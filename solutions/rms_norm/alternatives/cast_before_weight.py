"""Back in the input's dtype before the weight, as Llama and T5 have it; the weight follows into that dtype.

zh: 乘以权重之前就转换回输入的 dtype，与 Llama 和 T5 一样；权重也随之转换成这个 dtype。
"""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        normalised = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight.to(x.dtype) * normalised.to(x.dtype)
