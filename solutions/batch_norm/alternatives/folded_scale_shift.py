"""Mean, deviation, weight and bias are folded into one scale and one shift per channel: x · a + b.

zh: 均值、标准差、weight 和 bias 合并成每个通道的一个缩放和一个平移：x · a + b。
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
        if track_running_stats:
            self.register_buffer("running_mean", torch.zeros(num_features))
            self.register_buffer("running_var", torch.ones(num_features))
            self.register_buffer("num_batches_tracked", torch.tensor(0))
        else:
            self.running_mean = self.running_var = self.num_batches_tracked = None

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() not in {2, 3, 4}:
            raise ValueError(f"{x.dim()} dimensions; 2, 3 and 4 are possible")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        mean, var = self.statistics(wide)
        scale = (var + self.eps).rsqrt()
        if self.weight is not None:
            scale = scale * self.weight
        shift = -mean * scale
        if self.bias is not None:
            shift = shift + self.bias
        spread = (..., *[None] * (x.dim() - 2))
        return (wide * scale[spread] + shift[spread]).to(x.dtype)

    def statistics(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """What this pass normalises with; in training, the running statistics are moved on the way."""
        if not self.training and self.running_mean is not None:
            return self.running_mean.to(x.dtype), self.running_var.to(x.dtype)
        channels = x.transpose(0, 1).flatten(1)
        count = channels.shape[1]
        if self.training and count == 1:
            raise ValueError("cannot train on one value per channel")
        if self.training and self.running_mean is not None:
            sample = channels.detach()
            self.num_batches_tracked.add_(1)
            new = self.momentum if self.momentum is not None else 1 / self.num_batches_tracked.item()
            self.running_mean.mul_(1 - new).add_(sample.mean(1), alpha=new)
            self.running_var.mul_(1 - new).add_(sample.var(1), alpha=new)
        return channels.mean(1), channels.var(1, unbiased=False)
