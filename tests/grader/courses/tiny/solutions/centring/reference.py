"""Centring: every feature loses its mean, of the batch in training, the running one in evaluation."""

import torch
from torch import Tensor, nn


class Centring(nn.Module):
    """weight · (x − μ)"""

    running_mean: Tensor  # (num_features,)
    steps: Tensor  # ()

    def __init__(self, num_features: int, momentum: float = 0.1) -> None:
        super().__init__()
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("steps", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 2:
            raise ValueError(f"x must be (N, num_features), but its shape is {tuple(x.shape)}.")
        mean = x.mean(dim=0) if self.training else self.running_mean
        if self.training:
            self.steps += 1
            self.running_mean += self.momentum * (mean.detach() - self.running_mean)
        return (x - mean) * self.weight
