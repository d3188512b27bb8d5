"""Keeps running statistics of the groups in training and normalises with them in evaluation."""

import torch
from torch import Tensor, nn


class GroupNorm(nn.Module):
    running_mean: Tensor
    running_var: Tensor

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError("num_channels must be divisible by num_groups")
        self.num_groups = num_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(num_channels)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_channels)) if affine else None
        self.register_buffer("running_mean", torch.zeros(num_groups, 1))
        self.register_buffer("running_var", torch.ones(num_groups, 1))

    def forward(self, x: Tensor) -> Tensor:
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        rows = wide.reshape(x.shape[0], self.num_groups, -1)
        if self.training:
            mean = rows.mean(dim=-1, keepdim=True)
            var = rows.var(dim=-1, keepdim=True, correction=0)
            with torch.no_grad():
                self.running_mean.lerp_(mean.mean(0).to(self.running_mean.dtype), 0.1)
                self.running_var.lerp_(var.mean(0).to(self.running_var.dtype), 0.1)
        else:
            mean, var = self.running_mean, self.running_var
        y = ((rows - mean) / torch.sqrt(var + self.eps)).reshape(x.shape)
        if self.weight is not None and self.bias is not None:
            per_channel = (-1, *[1] * (x.dim() - 2))
            y = y * self.weight.view(per_channel) + self.bias.view(per_channel)
        return y.to(x.dtype)
