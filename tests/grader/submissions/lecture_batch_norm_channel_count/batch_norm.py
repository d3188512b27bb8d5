"""A batch norm as lecture notes have it: the size of the channel dimension stands where the number of values should."""

import torch
from torch import nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.dim = num_features
        self.eps = eps
        self.momentum = momentum
        self.tracking = track_running_stats
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        if track_running_stats:
            self.register_buffer("running_mean", torch.zeros(num_features))
            self.register_buffer("running_var", torch.ones(num_features))

    def forward(self, x):
        if x.dim() not in (2, 3, 4):
            raise ValueError(f"cannot normalise {x.dim()} dimensions")
        h = x.to(torch.promote_types(x.dtype, torch.float32))
        axes = [0] + list(range(2, x.dim()))
        if self.training or not self.tracking:
            mean = h.mean(axes)
            var = h.var(axes, unbiased=False)
            if self.training and self.tracking:
                with torch.no_grad():
                    self.running_mean.copy_((1 - self.momentum) * self.running_mean + self.momentum * mean)
                    unbiased = var * self.dim / (self.dim - 1)
                    self.running_var.copy_((1 - self.momentum) * self.running_var + self.momentum * unbiased)
        else:
            mean = self.running_mean.to(h.dtype)
            var = self.running_var.to(h.dtype)
        shape = [1, self.dim] + [1] * (x.dim() - 2)
        out = (h - mean.view(shape)) / torch.sqrt(var.view(shape) + self.eps)
        if self.weight is not None:
            out = out * self.weight.view(shape) + self.bias.view(shape)
        return out.to(x.dtype)
