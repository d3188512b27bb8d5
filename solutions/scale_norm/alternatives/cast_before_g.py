"""x̂ goes back to half precision before it is multiplied by g, as Llama does it with its weight.

zh: 先转换回半精度，再乘以 g，就像 Llama 对 weight 的做法。
"""

import torch
from torch import Tensor, nn


class ScaleNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.tensor([dim**0.5]))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        unit = wide / wide.norm(dim=-1, keepdim=True).clamp(min=self.eps)
        return self.g.to(x.dtype) * unit.to(x.dtype)
