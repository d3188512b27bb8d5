"""The sum is taken in float32 where the input is narrower, and cast back once.

zh: 输入精度较低时，在 float32 中求和，最后只转换一次。
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class SkipInit(nn.Module):
    def __init__(self, branch: Callable[[Tensor], Tensor], alpha: float = 0.0) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.as_tensor(alpha, dtype=torch.get_default_dtype()))
        self.add_module("branch", branch) if isinstance(branch, nn.Module) else setattr(self, "branch", branch)

    def forward(self, x: Tensor) -> Tensor:
        wide = torch.promote_types(x.dtype, torch.float32)
        total = self.branch(x).to(wide)
        total = total.mul(self.alpha.to(wide))
        total += x
        return total.to(x.dtype)
