"""The scaled sum is an autograd function with a backward pass by hand: dx = dy, dF = α · dy, dα = Σ dy · F.

zh: 带系数的求和写成 autograd 函数，反向由手工推导：dx = dy，dF = α · dy，dα = Σ dy · F。
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn


class ScaledSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, branch: Tensor, alpha: Tensor) -> Tensor:
        ctx.save_for_backward(branch, alpha)
        return x + alpha * branch

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        branch, alpha = ctx.saved_tensors
        wide = torch.promote_types(branch.dtype, torch.float32)
        return grads[0], alpha * grads[0], (grads[0].to(wide) * branch.to(wide)).sum().to(alpha.dtype)


class ReZero(nn.Module):
    def __init__(self, sublayers: Sequence[Callable[[Tensor], Tensor]]) -> None:
        super().__init__()
        self.sublayers = [*sublayers]
        self.learnt = nn.ModuleDict({str(number): each for number, each in enumerate(sublayers) if isinstance(each, nn.Module)})
        self.alphas = nn.Parameter(torch.zeros(len(sublayers)))

    def forward(self, x: Tensor) -> Tensor:
        for number, sublayer in enumerate(self.sublayers):
            x = ScaledSum.apply(x, sublayer(x), self.alphas[number])  # type: ignore[no-untyped-call]
        return x
