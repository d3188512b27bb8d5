"""The normalisation is an autograd function with its own backward pass, derived on paper.

zh: 归一化写成 autograd 函数，反向由自己在纸上推导。
"""

import torch
from torch import Tensor, nn


class Normalise(torch.autograd.Function):
    """x̂ = (x − mean) · r per row of (C, n), with r = 1 / (mean |x − mean| + ε)."""

    @staticmethod
    def forward(ctx, rows, eps):
        mean = rows.mean(1, keepdim=True)
        centred = rows - mean
        dev = centred.abs().mean(1, keepdim=True)
        r = 1 / (dev + eps)
        ctx.save_for_backward(centred * r, centred.sign(), r)
        ctx.mark_non_differentiable(mean, dev)
        return centred * r, mean, dev

    @staticmethod
    def backward(ctx, gradient, *_statistics):
        normalised, sign, r = ctx.saved_tensors
        of_centred = r * (gradient - sign * (gradient * normalised).mean(1, keepdim=True))
        return of_centred - of_centred.mean(1, keepdim=True), None


class L1BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_dev", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 2:
            raise ValueError("x must have samples and channels")
        swapped = x.to(torch.promote_types(x.dtype, torch.float32)).transpose(0, 1)
        rows = swapped.flatten(1)
        if self.training:
            y, mean, dev = Normalise.apply(rows, self.eps)
            self.running_mean += self.momentum * (mean[:, 0] - self.running_mean)
            self.running_dev += self.momentum * (dev[:, 0] - self.running_dev)
        else:
            y = (rows - self.running_mean.to(rows.dtype)[:, None]) / (self.running_dev.to(rows.dtype) + self.eps)[:, None]
        y = self.weight[:, None] * y + self.bias[:, None]
        return y.view(swapped.shape).transpose(0, 1).to(x.dtype)
