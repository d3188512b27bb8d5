"""Batch normalisation: every channel by the statistics of the batch in training, by the running ones in evaluation."""

import torch
from torch import Tensor, nn


class BatchNorm(nn.Module):
    """(x − μ) / √(σ² + ε) · γ + β, with one μ, σ², γ and β per channel."""

    weight: nn.Parameter  # (C,), like all but the last of these; each is None where it is switched off
    bias: nn.Parameter
    running_mean: Tensor
    running_var: Tensor
    num_batches_tracked: Tensor  # ()

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
    ) -> None:
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.register_parameter("weight", nn.Parameter(torch.ones(num_features)) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_features)) if affine else None)
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x: Tensor) -> Tensor:
        """Normalise x over every dimension but the channels."""
        if x.dim() not in (2, 3, 4):
            raise ValueError(f"x must be (N, C), (N, C, L) or (N, C, H, W), but its shape is {tuple(x.shape)}.")
        if self.training and x.numel() == x.shape[1]:
            raise ValueError(f"Training needs more than one value per channel, but the shape of x is {tuple(x.shape)}.")

        values = x.to(torch.promote_types(x.dtype, torch.float32))  # statistics in float32 or wider
        dims = (0, *range(2, x.dim()))  # everything but the channels
        per_channel = (1, -1, *[1] * (x.dim() - 2))  # the view in which (C,) broadcasts over x

        from_batch = self.training or self.running_mean is None
        if from_batch:
            mean = values.mean(dims, keepdim=True)  # (N, C, …) → (1, C, 1…)
            var = values.var(dims, keepdim=True, correction=0)  # biased: the batch is all there is to describe
        else:
            mean = self.running_mean.to(values.dtype).view(per_channel)
            var = self.running_var.to(values.dtype).view(per_channel)

        y = (values - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight.view(per_channel) + self.bias.view(per_channel)

        if self.training and self.running_mean is not None:
            self.track(values.mean(dims), values.var(dims, correction=1))  # unbiased: the batch is a sample
        return y.to(x.dtype)

    @torch.no_grad()
    def track(self, mean: Tensor, var: Tensor) -> None:
        """Move the running statistics towards those of one batch, both of shape (C,)."""
        self.num_batches_tracked += 1
        momentum = 1 / self.num_batches_tracked.item() if self.momentum is None else self.momentum
        self.running_mean += momentum * (mean - self.running_mean)  # = (1 − m) · running + m · batch
        self.running_var += momentum * (var - self.running_var)
