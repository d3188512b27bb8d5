"""Every position is first divided by its largest element, if that exceeds one, so that no square overflows.

zh: 每个位置先除以自己绝对值最大的元素（如果它大于 1），这样平方就不会溢出。
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
        largest = wide.detach().abs().amax(-1, keepdim=True).clamp(min=1)
        scaled = wide / largest
        rms = torch.sqrt(scaled.square().mean(-1, keepdim=True) + self.eps / largest**2)
        return (scaled / rms * self.weight).to(x.dtype)
