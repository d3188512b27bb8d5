"""Normalisation and correction are one autograd function with its own backward pass, derived on paper.

zh: 归一化和修正写成一个 autograd 函数，反向由自己在纸上推导。
"""

import torch
from torch import Tensor, nn


class Corrected(torch.autograd.Function):
    """x̂ = (x − mean) / std · r + d per row of (C, n); r and d are taken for constants."""

    @staticmethod
    def forward(ctx, rows, past_mean, past_std, options):
        mean = rows.mean(1, keepdim=True)
        std = ((rows - mean).square().mean(1, keepdim=True) + options["eps"]).sqrt()
        r = (std / past_std).clamp(1 / options["r_max"], options["r_max"])
        d = ((mean - past_mean) / past_std).clamp(-options["d_max"], options["d_max"])
        normalised = (rows - mean) / std
        ctx.save_for_backward(normalised, r / std)
        ctx.mark_non_differentiable(mean, std)
        return normalised * r + d, mean, std

    @staticmethod
    def backward(ctx, gradient, *_statistics):
        normalised, factor = ctx.saved_tensors
        through_mean = gradient.mean(1, keepdim=True)
        through_std = (gradient * normalised).mean(1, keepdim=True)
        return factor * (gradient - through_mean - normalised * through_std), None, None, None


class BatchRenorm(nn.Module):
    def __init__(self, num_features, r_max=3.0, d_max=5.0, eps=1e-5, momentum=0.01):
        super().__init__()
        self.options = {"r_max": r_max, "d_max": d_max, "eps": eps}
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_std", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 2:
            raise ValueError("x must have samples and channels")
        swapped = x.to(torch.promote_types(x.dtype, torch.float32)).transpose(0, 1)
        rows = swapped.flatten(1)
        past = self.running_mean.to(rows.dtype)[:, None], self.running_std.to(rows.dtype)[:, None]
        if self.training:
            y, mean, std = Corrected.apply(rows, *past, self.options)
            self.running_mean += self.momentum * (mean[:, 0] - self.running_mean)
            self.running_std += self.momentum * (std[:, 0] - self.running_std)
        else:
            y = (rows - past[0]) * past[1].reciprocal()
        y = self.weight[:, None] * y + self.bias[:, None]
        return y.view(swapped.shape).transpose(0, 1).to(x.dtype)
