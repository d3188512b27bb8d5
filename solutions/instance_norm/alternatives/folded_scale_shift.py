"""Mean, deviation, weight and bias are folded into one scale and one shift per instance: x · a + b.

zh: 均值、标准差、weight 和 bias 合并成每个实例的一个缩放和一个平移：x · a + b。
"""

import torch
from torch import Tensor, nn


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = self.bias = None
        self.running_mean = self.running_var = self.num_batches_tracked = None
        if affine:
            del self.weight, self.bias
            self.weight = nn.Parameter(torch.ones(num_features))
            self.bias = nn.Parameter(torch.zeros(num_features))
        if track_running_stats:
            del self.running_mean, self.running_var, self.num_batches_tracked
            self.register_buffer("running_mean", torch.zeros(num_features))
            self.register_buffer("running_var", torch.ones(num_features))
            self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 3 or x.dim() > 4:
            raise ValueError(f"{x.dim()} dimensions; 3 and 4 are possible")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        mean, var = self.statistics(wide.flatten(2))
        scale = (var + self.eps).rsqrt()
        if self.weight is not None:
            scale = scale * self.weight
        shift = -mean * scale
        if self.bias is not None:
            shift = shift + self.bias
        spread = (..., *[None] * (x.dim() - 2))
        return (wide * scale[spread] + shift[spread]).to(x.dtype)

    def statistics(self, flat: Tensor) -> tuple[Tensor, Tensor]:
        """What this pass normalises with, (N, C) or (C,); in training, the running statistics are moved on the way."""
        if self.running_mean is not None and not self.training:
            return self.running_mean.to(flat.dtype), self.running_var.to(flat.dtype)
        if flat.shape[2] == 1:
            raise ValueError("cannot normalise one value per channel")
        if self.running_mean is not None:
            sample = flat.detach()
            self.running_mean.mul_(1 - self.momentum).add_(sample.mean((0, 2)), alpha=self.momentum)
            self.running_var.mul_(1 - self.momentum).add_(sample.var(2).mean(0), alpha=self.momentum)
        return flat.mean(2), flat.var(2, unbiased=False)
