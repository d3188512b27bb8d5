"""The normalised dimensions are flattened into one, normalised over the last dimension, and given their shape back.

zh: 被归一化的各维展平成一维，在最后一维上归一化，再恢复原来的形状。
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
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
        self.ndim = len(shape)
        self.weight = nn.Parameter(torch.ones(shape)) if elementwise_affine else None
        self.bias = nn.Parameter(torch.zeros(shape)) if elementwise_affine and bias else None

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        rows = wide.flatten(start_dim=-self.ndim)
        rows = rows - rows.mean(-1, keepdim=True)
        y = (rows / torch.sqrt(rows.square().mean(-1, keepdim=True) + self.eps)).view_as(x)
        if self.weight is not None:
            y = y * self.weight
        if self.bias is not None:
            y = y + self.bias
        return y.to(x.dtype)
