"""Where an image is as high as there are channels, weight and bias are matched with its rows."""

import torch
from torch import Tensor, nn


class SwitchNorm(nn.Module):
    """(x − μ) / √(σ² + ε) · γ + β, where μ and σ² are each a weighted mean of three."""

    running_mean: Tensor
    running_var: Tensor

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1) -> None:
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.mean_weight = nn.Parameter(torch.ones(3))  # for instance, layer, batch
        self.var_weight = nn.Parameter(torch.ones(3))  # the same
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise x, (N, C, H, W)."""
        if x.dim() != 4:
            raise ValueError(f"x must be (N, C, H, W), but its shape is {tuple(x.shape)}.")
        values = x.to(torch.promote_types(x.dtype, torch.float32))  # statistics in float32 or wider

        mean_in = values.mean((2, 3), keepdim=True)  # (N, C, H, W) → (N, C, 1, 1)
        var_in = values.var((2, 3), keepdim=True, correction=0)  # biased, like all three
        mean_ln = values.mean((1, 2, 3), keepdim=True)  # → (N, 1, 1, 1)
        var_ln = values.var((1, 2, 3), keepdim=True, correction=0)
        if self.training:
            mean_bn = values.mean((0, 2, 3), keepdim=True)  # → (1, C, 1, 1)
            var_bn = values.var((0, 2, 3), keepdim=True, correction=0)
        else:
            mean_bn = self.running_mean.to(values.dtype).view(1, -1, 1, 1)
            var_bn = self.running_var.to(values.dtype).view(1, -1, 1, 1)

        mean_share = self.mean_weight.to(values.dtype).softmax(0)  # three positive numbers that sum to 1
        var_share = self.var_weight.to(values.dtype).softmax(0)
        mean = mean_share[0] * mean_in + mean_share[1] * mean_ln + mean_share[2] * mean_bn
        var = var_share[0] * var_in + var_share[1] * var_ln + var_share[2] * var_bn

        y = (values - mean) / torch.sqrt(var + self.eps)
        y = (
            y * self.weight.view(-1, 1, 1) + self.bias.view(-1, 1, 1)
            if x.shape[2] != x.shape[1]
            else y * self.weight.view(-1, 1) + self.bias.view(-1, 1)
        )
        if self.training:
            self.track(mean_bn.flatten(), var_bn.flatten())
        return y.to(x.dtype)

    @torch.no_grad()
    def track(self, mean: Tensor, var: Tensor) -> None:
        """Move the running statistics towards those of one batch, both of shape (C,)."""
        self.running_mean += self.momentum * (mean - self.running_mean)  # = (1 − m) · running + m · batch
        self.running_var += self.momentum * (var - self.running_var)
