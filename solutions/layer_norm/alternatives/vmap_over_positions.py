"""A pure function of one position, mapped over all of them by torch.vmap; the parameters are registered in the other order.

zh: 写一个只处理单个位置的纯函数，用 torch.vmap 映射到所有位置；参数以相反的顺序注册。
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


def normalised(position: Tensor, eps: float) -> Tensor:
    """One position, of any shape, by its own mean and variance."""
    centred = position - position.mean()
    return centred * torch.rsqrt(torch.dot(centred.flatten(), centred.flatten()) / position.numel() + eps)


class LayerNorm(nn.Module):
    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.shape = torch.Size([normalized_shape] if isinstance(normalized_shape, int) else normalized_shape)
        self.eps = eps
        self.bias = nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None
        self.weight = nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None

    def forward(self, x: Tensor) -> Tensor:
        positions = x.reshape(-1, *self.shape).to(torch.promote_types(x.dtype, torch.float32))
        y = torch.vmap(normalised, in_dims=(0, None))(positions, self.eps)
        if self.weight is not None:
            shift = torch.zeros_like(self.weight) if self.bias is None else self.bias
            y = torch.addcmul(shift.to(y.dtype), y, self.weight.to(y.dtype))
        return y.reshape(x.shape).to(x.dtype)
