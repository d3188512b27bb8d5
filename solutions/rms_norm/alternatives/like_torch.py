"""Laid out as PyTorch's own layers: an empty parameter that reset_parameters fills, a function that computes, an extra_repr.

zh: 按 PyTorch 自带的层那样组织：先建空参数，由 reset_parameters 填入，计算交给一个函数，并有 extra_repr。
"""

import torch
from torch import Tensor, nn


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
    rms = x.to(dtype).pow(2).mean(dim=-1).add(eps).sqrt().unsqueeze(-1)
    return x.to(dtype).div(rms).mul(weight.to(dtype)).to(x.dtype)


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.normalized_shape = (dim,)
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(self.normalized_shape))
        self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return rms_norm(x, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}"
