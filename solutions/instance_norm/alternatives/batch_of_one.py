"""A batch of one sample with N · C channels: batch normalisation's way of doing it, with buffers repeated and averaged back.

zh: 看成只有一个样本、N · C 个通道的一批：按批归一化的做法计算，缓冲区先重复，更新后再平均回来。
"""

import torch
from torch import Tensor, nn


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
        if len(x.shape) not in {3, 4}:
            raise ValueError("only (N, C, L) and (N, C, H, W) are known here")
        samples, positions = x.shape[0], x.shape[2:]
        if positions.numel() == 1 and (self.training or self.running_var is None):
            raise ValueError("one value per channel")
        rows = x.to(torch.promote_types(x.dtype, torch.float32)).flatten(0, 1).flatten(1)
        if self.training or self.running_mean is None:
            mean, var = rows.mean(1), rows.var(1, unbiased=False)
            if self.running_mean is not None:
                with torch.no_grad():
                    self.running_mean.copy_(self.blended(self.running_mean, mean, samples))
                    self.running_var.copy_(self.blended(self.running_var, rows.var(1), samples))
        else:
            mean, var = self.running_mean.repeat(samples), self.running_var.repeat(samples)
        y = (rows - mean.unsqueeze(1)) / (var.unsqueeze(1) + self.eps).sqrt()
        if self.weight is not None:
            y = y * self.weight.repeat(samples).unsqueeze(1) + self.bias.repeat(samples).unsqueeze(1)
        return y.reshape(x.shape).to(x.dtype)

    def blended(self, old: Tensor, new: Tensor, samples: int) -> Tensor:
        """Every instance moves a copy of the buffer; the copies are averaged."""
        moved = (1 - self.momentum) * old.repeat(samples) + self.momentum * new
        return moved.view(samples, -1).mean(0)
