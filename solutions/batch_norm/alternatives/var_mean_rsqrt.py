"""`torch.var_mean` and `rsqrt`; the running variance is the biased one times n / (n − 1).

zh: 使用 `torch.var_mean` 和 `rsqrt`；滑动方差取有偏方差乘以 n / (n − 1)。
"""

import torch
from torch import Tensor, nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        self.weight = nn.Parameter(torch.ones(num_features)) if affine else None
        self.bias = nn.Parameter(torch.zeros(num_features)) if affine else None
        self.register_buffer("running_mean", torch.zeros(num_features) if track_running_stats else None)
        self.register_buffer("running_var", torch.ones(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.zeros((), dtype=torch.long) if track_running_stats else None)

    def forward(self, x: Tensor) -> Tensor:
        if not 2 <= x.ndim <= 4:
            raise ValueError(f"expected 2 to 4 dimensions, got {x.ndim}")
        wide = x if x.dtype in (torch.float32, torch.float64) else x.to(torch.float32)
        axes = [axis for axis in range(x.ndim) if axis != 1]
        column = [-1 if axis == 1 else 1 for axis in range(x.ndim)]
        if self.training or not self.track_running_stats:
            n = wide.numel() // wide.size(1)
            if self.training and n <= 1:
                raise ValueError(f"expected more than one value per channel, got {n}")
            var, mean = torch.var_mean(wide, dim=axes, correction=0)
            if self.training and self.track_running_stats:
                self.update(mean.detach(), var.detach() * (n / (n - 1)))
        else:
            mean, var = self.running_mean.to(wide.dtype), self.running_var.to(wide.dtype)
        normalised = (wide - mean.view(column)) * torch.rsqrt(var.view(column) + self.eps)
        if self.affine:
            normalised = torch.addcmul(self.bias.to(wide.dtype).view(column), normalised, self.weight.to(wide.dtype).view(column))
        return normalised.to(x.dtype)

    def update(self, mean: Tensor, var: Tensor) -> None:
        self.num_batches_tracked.add_(1)
        step = self.momentum if self.momentum is not None else 1.0 / self.num_batches_tracked.item()
        self.running_mean.lerp_(mean.to(self.running_mean.dtype), step)
        self.running_var.lerp_(var.to(self.running_var.dtype), step)
