"""Batch renormalisation (Ioffe 2017): batch norm, corrected towards the running statistics by two numbers without gradient."""

import torch
from torch import Tensor, nn


class BatchRenorm(nn.Module):
    """(x − μ) / σ · r + d in training, (x − running mean) / running deviation in evaluation, then γ and β."""

    running_mean: Tensor
    running_std: Tensor

    def __init__(
        self,
        num_features: int,
        r_max: float = 3.0,
        d_max: float = 5.0,
        eps: float = 1e-5,
        momentum: float = 0.01,
    ) -> None:
        super().__init__()
        self.r_max = r_max
        self.d_max = d_max
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_std", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise x over every dimension but the channels."""
        if x.dim() < 2:
            raise ValueError(f"x must be (N, C, *), but its shape is {tuple(x.shape)}.")
        values = x.to(torch.promote_types(x.dtype, torch.float32))  # statistics in float32 or wider
        dims = (0, *range(2, x.dim()))  # everything but the channels
        per_channel = (1, -1, *[1] * (x.dim() - 2))  # the view in which (C,) broadcasts over x
        past_mean = self.running_mean.view(per_channel)
        past_std = self.running_std.view(per_channel)

        if self.training:
            mean = values.mean(dims, keepdim=True)  # (N, C, *) → (1, C, 1…)
            std = torch.sqrt(values.var(dims, keepdim=True, correction=0) + self.eps)
            with torch.no_grad():  # r and d are constants
                r = (std / past_std).clamp(1 / self.r_max, self.r_max)
                d = ((mean - past_mean) / past_std).clamp(-self.d_max, self.d_max)
            y = (values - mean) / std * r + d
            self.track(mean.flatten(), std.flatten())
        else:
            y = (values - past_mean) / past_std

        y = y * self.weight.view(per_channel) + self.bias.view(per_channel)
        return y.to(x.dtype)

    @torch.no_grad()
    def track(self, mean: Tensor, std: Tensor) -> None:
        """Move the running statistics towards those of one batch, both of shape (C,)."""
        self.running_mean += self.momentum * (mean - self.running_mean)  # = (1 − m) · running + m · batch
        self.running_std += self.momentum * (std - self.running_std)
