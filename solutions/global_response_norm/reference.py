"""Global response normalisation (Woo et al. 2023, ConvNeXt V2)."""

import torch
from torch import Tensor, nn


class GlobalResponseNorm(nn.Module):
    """γ · (x · S) + β + x, where S is the length of a channel over the positions of one sample, divided by the mean length and ε."""

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 3:
            raise ValueError(f"x must be (N, …, dim) with at least one dimension of positions, but its shape is {tuple(x.shape)}.")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))  # the square of a float16 overflows from 256 on
        positions = tuple(range(1, x.dim() - 1))
        length = torch.linalg.vector_norm(wide, dim=positions, keepdim=True)  # (N, 1, …, 1, dim)
        share = length / (length.mean(dim=-1, keepdim=True) + self.eps)  # 1 on average over the channels
        y = self.weight * (wide * share) + self.bias + wide
        return y.to(x.dtype)
