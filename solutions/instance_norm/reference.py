"""Instance normalisation (Ulyanov et al. 2016), with PyTorch's optional running statistics."""

import torch
from torch import Tensor, nn


class InstanceNorm(nn.Module):
    """(x − μ) / √(σ² + ε) · γ + β, with one μ and σ² per sample and channel, one γ and β per channel."""

    weight: nn.Parameter  # (C,), like all but the last of these; each is None where it is switched off
    bias: nn.Parameter
    running_mean: Tensor
    running_var: Tensor
    num_batches_tracked: Tensor  # (), stays 0

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
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
        """Normalise x over its positions, the dimensions behind the channels."""
        if x.dim() not in (3, 4):
            raise ValueError(f"x must be (N, C, L) or (N, C, H, W), but its shape is {tuple(x.shape)}.")

        values = x.to(torch.promote_types(x.dtype, torch.float32))  # statistics in float32 or wider
        dims = tuple(range(2, x.dim()))  # the positions
        per_channel = (-1, *[1] * (x.dim() - 2))  # the view in which (C,) broadcasts over x

        from_input = self.training or self.running_mean is None
        if from_input:
            if x.shape[2:].numel() == 1:
                raise ValueError(f"One value per channel cannot be normalised, but the shape of x is {tuple(x.shape)}.")
            mean = values.mean(dims, keepdim=True)  # (N, C, …) → (N, C, 1…)
            var = values.var(dims, keepdim=True, correction=0)  # biased: the instance is all there is to describe
        else:
            mean = self.running_mean.to(values.dtype).view(per_channel)
            var = self.running_var.to(values.dtype).view(per_channel)

        y = (values - mean) / torch.sqrt(var + self.eps)
        if self.weight is not None:
            y = y * self.weight.view(per_channel) + self.bias.view(per_channel)

        if self.training and self.running_mean is not None:
            means, variances = values.mean(dims), values.var(dims, correction=1)  # (N, C) each; unbiased: an instance is a sample
            self.track(means.mean(0), variances.mean(0))
        return y.to(x.dtype)

    @torch.no_grad()
    def track(self, mean: Tensor, var: Tensor) -> None:
        """Move the running statistics towards those of one batch, both of shape (C,)."""
        self.running_mean += self.momentum * (mean - self.running_mean)  # = (1 − m) · running + m · batch
        self.running_var += self.momentum * (var - self.running_var)
