"""The scaling is an autograd function with a backward pass by hand: dF = α · dy, dα = Σ dy · F.

zh: 缩放写成 autograd 函数，反向由手工推导：dF = α · dy，dα = Σ dy · F。
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, output: Tensor, alpha: Tensor) -> Tensor:
        ctx.save_for_backward(output, alpha)
        return output * alpha

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor]:
        output, alpha = ctx.saved_tensors
        wide = torch.promote_types(output.dtype, torch.float32)
        return grads[0] * alpha, (grads[0].to(wide) * output.to(wide)).sum().to(alpha.dtype)


class SkipInit(nn.Module):
    def __init__(self, branch: Callable[[Tensor], Tensor], alpha: float = 0.0) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.tensor(float(alpha)))
        self.branch = branch

    def forward(self, x: Tensor) -> Tensor:
        scaled: Tensor = Scale.apply(self.branch(x), self.alpha)  # type: ignore[no-untyped-call]
        return x + scaled
