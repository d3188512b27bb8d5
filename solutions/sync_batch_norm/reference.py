"""Synchronised batch normalisation: batch norm whose batch is that of all ranks together."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class SyncBatchNorm(nn.Module):
    """(x − μ) / √(σ² + ε) · γ + β, with one μ, σ², γ and β per channel; in training μ and σ² are those of all ranks' values."""

    running_mean: Tensor
    running_var: Tensor
    num_batches_tracked: Tensor

    def __init__(
        self,
        num_features: int,
        all_reduce: Callable[[Tensor], Tensor],
        eps: float = 1e-5,
        momentum: float | None = 0.1,
    ) -> None:
        super().__init__()
        self.all_reduce = all_reduce
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise x over every dimension but the channels, and over all ranks."""
        if x.dim() < 2:
            raise ValueError(f"x must be (N, C, *), but its shape is {tuple(x.shape)}.")
        values = x.to(torch.promote_types(x.dtype, torch.float32))  # statistics in float32 or wider
        dims = (0, *range(2, x.dim()))  # everything but the channels
        per_channel = (1, -1, *[1] * (x.dim() - 2))  # the view in which (C,) broadcasts over x

        if self.training:
            n = self.all_reduce(torch.tensor(x.numel() // x.shape[1], device=x.device))  # values per channel on all ranks
            if n < 2:
                raise ValueError("Training needs more than one value per channel over all ranks.")
            mean = self.all_reduce(values.sum(dims)) / n
            squares = (values - mean.view(per_channel)).square()  # around the mean of all ranks, so that nothing cancels
            var = self.all_reduce(squares.sum(dims)) / n  # biased: the batch is all there is to describe
            self.track(mean, var * n / (n - 1))  # unbiased: the batch is a sample
        else:
            mean = self.running_mean.to(values.dtype)
            var = self.running_var.to(values.dtype)

        y = (values - mean.view(per_channel)) / torch.sqrt(var + self.eps).view(per_channel)
        y = y * self.weight.view(per_channel) + self.bias.view(per_channel)
        return y.to(x.dtype)

    @torch.no_grad()
    def track(self, mean: Tensor, var: Tensor) -> None:
        """Move the running statistics towards those of one batch, both of shape (C,)."""
        self.num_batches_tracked += 1
        momentum = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
        self.running_mean += momentum * (mean - self.running_mean)  # = (1 − m) · running + m · batch
        self.running_var += momentum * (var - self.running_var)
