"""L1 batch normalisation: every channel by its mean absolute deviation, of the batch in training, a running one in evaluation."""

import torch
from torch import Tensor, nn


class L1BatchNorm(nn.Module):
    """(x − μ) / (mean |x − μ| + ε) · γ + β, with one μ, γ and β per channel."""

    running_mean: Tensor
    running_dev: Tensor

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1) -> None:
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_dev", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise x over every dimension but the channels."""
        if x.dim() < 2:
            raise ValueError(f"x must be (N, C, *), but its shape is {tuple(x.shape)}.")
        values = x.to(torch.promote_types(x.dtype, torch.float32))  # statistics in float32 or wider
        dims = (0, *range(2, x.dim()))  # everything but the channels
        per_channel = (1, -1, *[1] * (x.dim() - 2))  # the view in which (C,) broadcasts over x

        if self.training:
            mean = values.mean(dims, keepdim=True)  # (N, C, *) → (1, C, 1…)
            dev = (values - mean).abs().mean(dims, keepdim=True)
            self.track(mean.flatten(), dev.flatten())
        else:
            mean = self.running_mean.to(values.dtype).view(per_channel)
            dev = self.running_dev.to(values.dtype).view(per_channel)

        y = (values - mean) / (dev + self.eps)
        y = y * self.weight.view(per_channel) + self.bias.view(per_channel)
        return y.to(x.dtype)

    @torch.no_grad()
    def track(self, mean: Tensor, dev: Tensor) -> None:
        """Move the running statistics towards those of one batch, both of shape (C,)."""
        self.running_mean += self.momentum * (mean - self.running_mean)  # = (1 − m) · running + m · batch
        self.running_dev += self.momentum * (dev - self.running_dev)
