"""Scale normalisation (Nguyen and Salazar 2019)."""

import torch
from torch import Tensor, nn


class ScaleNorm(nn.Module):
    """y = g · x / max(‖x‖, ε), where every position has its own length."""

    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.tensor(dim**0.5))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))  # the square of a float16 overflows from 256 on
        length = torch.linalg.vector_norm(wide, dim=-1, keepdim=True)  # (…, dim) → (…, 1)
        y = self.g * wide / length.clamp(min=self.eps)
        return y.to(x.dtype)
