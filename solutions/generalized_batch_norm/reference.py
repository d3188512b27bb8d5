"""Generalised batch normalisation (Yuan et al. 2019): the statistic and the deviation of a channel are functions that are given."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class GeneralizedBatchNorm(nn.Module):
    """(x − S) / (D + ε) · γ + β, with one S, D, γ and β per channel."""

    running_statistic: Tensor
    running_deviation: Tensor

    def __init__(
        self,
        num_features: int,
        statistic: Callable[[Tensor], Tensor],
        deviation: Callable[[Tensor], Tensor],
        eps: float = 1e-5,
        momentum: float = 0.1,
    ) -> None:
        super().__init__()
        self.statistic = statistic
        self.deviation = deviation
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_statistic", torch.zeros(num_features))
        self.register_buffer("running_deviation", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise x over every dimension but the channels."""
        if x.dim() < 2:
            raise ValueError(f"x must be (N, C, *), but its shape is {tuple(x.shape)}.")
        values = x.to(torch.promote_types(x.dtype, torch.float32))  # statistics in float32 or wider
        per_channel = (1, -1, *[1] * (x.dim() - 2))  # the view in which (C,) broadcasts over x

        if self.training:
            channels = values.transpose(0, 1).flatten(1)  # (N, C, *) → (C, n)
            s = self.statistic(channels)
            d = self.deviation(channels)
            self.track(s, d)
        else:
            s = self.running_statistic.to(values.dtype)
            d = self.running_deviation.to(values.dtype)

        y = (values - s.view(per_channel)) / (d.view(per_channel) + self.eps)
        y = y * self.weight.view(per_channel) + self.bias.view(per_channel)
        return y.to(x.dtype)

    @torch.no_grad()
    def track(self, s: Tensor, d: Tensor) -> None:
        """Move the running numbers towards those of one batch, both of shape (C,)."""
        self.running_statistic += self.momentum * (s - self.running_statistic)  # = (1 − m) · running + m · batch
        self.running_deviation += self.momentum * (d - self.running_deviation)
