"""The normalisation is an autograd function with its own backward pass, derived on paper.

zh: 归一化写成 autograd 函数，反向由自己在纸上推导。
"""

import torch
from torch import Tensor, nn


class Normalise(torch.autograd.Function):
    """x̂ = (x − mean) · r per row of (C, n); mean and r = 1 / √(var + ε) are computed from x."""

    @staticmethod
    def forward(ctx, x, eps):
        centred = x - x.mean(1, keepdim=True)
        r = (centred.square().mean(1, keepdim=True) + eps).rsqrt()
        normalised = centred * r
        ctx.save_for_backward(normalised, r)
        return normalised

    @staticmethod
    def backward(ctx, gradient):
        normalised, r = ctx.saved_tensors
        through_mean = gradient.mean(1, keepdim=True)
        through_var = (gradient * normalised).mean(1, keepdim=True)
        return r * (gradient - through_mean - normalised * through_var), None


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.register_parameter("weight", nn.Parameter(torch.ones(num_features)) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_features)) if affine else None)
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() not in (2, 3, 4):
            raise ValueError(f"cannot tell the channels of a tensor of {x.dim()} dimensions")
        swapped = x.to(torch.promote_types(x.dtype, torch.float32)).transpose(0, 1)
        rows = swapped.flatten(1)
        if self.training and rows.shape[1] == 1:
            raise ValueError("training on one value per channel")
        if self.training or self.running_mean is None:
            y = Normalise.apply(rows, self.eps)
        else:
            y = (rows - self.running_mean.to(rows.dtype)[:, None]) * (self.running_var.to(rows.dtype) + self.eps).rsqrt()[:, None]
        if self.weight is not None:
            y = self.weight[:, None] * y + self.bias[:, None]
        if self.training and self.running_mean is not None:
            self.follow(rows.detach())
        return y.view(swapped.shape).transpose(0, 1).to(x.dtype)

    def follow(self, rows: Tensor) -> None:
        self.num_batches_tracked += 1
        share = self.momentum
        if share is None:
            share = 1 / self.num_batches_tracked.item()
        self.running_mean += share * (rows.mean(1) - self.running_mean)
        self.running_var += share * (rows.var(1) - self.running_var)
