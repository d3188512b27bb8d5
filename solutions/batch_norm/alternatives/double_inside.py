"""Everything is computed in float64 and rounded once, for the output and for each buffer.

zh: 一切都在 float64 中计算，输出和每个缓冲区各只舍入一次。
"""

import torch
from torch import Tensor, nn


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
            raise ValueError("x must have 2, 3 or 4 dimensions")
        values = x.double().transpose(0, 1).reshape(x.shape[1], -1)
        count = values.shape[1]
        if self.training:
            if count == 1:
                raise ValueError("a single value per channel cannot be normalised")
            mean, var = values.mean(1), values.var(1, correction=0)
            if self.running_mean is not None:
                with torch.no_grad():
                    self.num_batches_tracked += 1
                    momentum = 1 / self.num_batches_tracked.double() if self.momentum is None else self.momentum
                    self.running_mean[:] = (1 - momentum) * self.running_mean.double() + momentum * mean
                    self.running_var[:] = (1 - momentum) * self.running_var.double() + momentum * var * count / (count - 1)
        elif self.running_mean is not None:
            mean, var = self.running_mean.double(), self.running_var.double()
        else:
            mean, var = values.mean(1), values.var(1, correction=0)
        y = (values - mean[:, None]) / (var[:, None] + self.eps).sqrt()
        if self.weight is not None:
            y = y * self.weight.double()[:, None] + self.bias.double()[:, None]
        turned = x.transpose(0, 1)
        return y.reshape(turned.shape).transpose(0, 1).to(x.dtype)
