"""Half precision is widened to float32 first, as in a layer with statistics, and cast back at the end.

zh: 先把半精度提升到 float32，就像含统计量的层那样，最后再转换回来。
"""

import torch
from torch import Tensor, nn


class DyT(nn.Module):
    def __init__(self, dim: int, alpha: float = 0.5) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.tensor(float(alpha)))
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        return torch.addcmul(self.bias.to(wide.dtype), torch.tanh(self.alpha * wide), self.weight.to(wide.dtype)).to(x.dtype)
