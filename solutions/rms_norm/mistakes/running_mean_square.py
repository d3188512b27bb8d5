"""Keeps a running mean square in training and normalises with it in evaluation."""

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    running_mean_square: Tensor

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.register_buffer("running_mean_square", torch.ones(()))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        if self.training:
            mean_square = wide.square().mean(dim=-1, keepdim=True)
            with torch.no_grad():
                self.running_mean_square.lerp_(mean_square.mean().to(self.running_mean_square.dtype), 0.1)
        else:
            mean_square = self.running_mean_square
        y = wide / torch.sqrt(mean_square + self.eps)
        return (y * self.weight).to(x.dtype)
