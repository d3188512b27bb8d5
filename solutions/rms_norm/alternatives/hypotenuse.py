"""√(RMS² + eps) is the hypotenuse over the legs RMS and √eps.

zh: √(RMS² + eps) 是以 RMS 和 √eps 为直角边的斜边。
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
        rms = torch.linalg.norm(wide, dim=-1, keepdim=True) / x.shape[-1] ** 0.5
        y = wide / torch.hypot(rms, torch.full_like(rms, self.eps**0.5))
        return y.mul(self.weight).type_as(x)
