"""Skip and branch are stacked, and contracted with the weights (1, α).

zh: 把跳跃连接和分支堆叠起来，再与权重 (1, α) 缩并。
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class SkipInit(nn.Module):
    def __init__(self, branch: Callable[[Tensor], Tensor], alpha: float = 0.0) -> None:
        super().__init__()
        self.function = branch
        self.alpha = nn.Parameter(torch.tensor([alpha]))

    def forward(self, x: Tensor) -> Tensor:
        wide = torch.promote_types(x.dtype, torch.float32)
        weights = torch.cat([torch.ones_like(self.alpha), self.alpha]).to(wide)
        return torch.tensordot(weights, torch.stack([x, self.function(x)]).to(wide), dims=1).to(x.dtype)
