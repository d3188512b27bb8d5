"""The normalisation is an autograd function with its own backward pass, derived on paper.

zh: 归一化写成 autograd 函数，反向由自己在纸上推导。
"""

import torch
from torch import Tensor, nn


class Normalise(torch.autograd.Function):
    """x̂ = (x − mean) · r per row of (N · C, n); mean and r = 1 / √(var + ε) are computed from x."""

    @staticmethod
    def forward(ctx, rows, eps):
        centred = rows - rows.mean(1, keepdim=True)
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


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.register_parameter("weight", nn.Parameter(torch.ones(num_features)) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_features)) if affine else None)
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() not in (3, 4):
            raise ValueError(f"cannot tell the positions of a tensor of {x.dim()} dimensions")
        values = x.to(torch.promote_types(x.dtype, torch.float32)).flatten(2)
        n, c, count = values.shape
        if not self.training and self.running_mean is not None:
            y = (values - self.running_mean[:, None]) * (self.running_var + self.eps).rsqrt()[:, None]
        elif count == 1:
            raise ValueError("a single value per channel")
        else:
            y = Normalise.apply(values.reshape(n * c, count), self.eps).view(n, c, count)
        if self.weight is not None:
            y = self.weight[:, None] * y + self.bias[:, None]
        if self.training and self.running_mean is not None:
            seen = values.detach()
            self.running_mean += self.momentum * (seen.mean((0, 2)) - self.running_mean)
            self.running_var += self.momentum * (seen.var(2).mean(0) - self.running_var)
        return y.view(x.shape).to(x.dtype)
