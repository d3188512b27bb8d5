"""The result is built in place in a tensor of its own; a helper that is no part of the state is a buffer with persistent=False.

zh: 结果在自己新建的张量中原地算出；不属于状态的辅助量是 persistent=False 的缓冲区。
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    positions_seen: Tensor

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
    ) -> None:
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.dims = [-1 - number for number in range(len(shape))]
        self.size = math.prod(shape)
        self.register_buffer("positions_seen", torch.tensor(0), persistent=False)
        self.register_parameter("weight", nn.Parameter(torch.ones(shape)) if elementwise_affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None)

    def forward(self, x: Tensor) -> Tensor:
        self.positions_seen.add_(x.numel() // self.size)
        result = x.to(torch.promote_types(x.dtype, torch.float32), copy=True)
        result -= result.sum(self.dims, keepdim=True) / self.size
        variance = result.pow(2).sum(self.dims, keepdim=True).div_(self.size)
        result = result / variance.add_(self.eps).sqrt_()
        if self.weight is not None:
            result = result.mul(self.weight)
        if self.bias is not None:
            result += self.bias
        return result.to(x.dtype)
