"""Deviations from the mean sum to 0, so the mean absolute deviation is twice the mean of their positive part.

zh: 对均值的离差之和为 0，所以平均绝对偏差是离差正部均值的两倍。
"""

import torch
from torch import Tensor, nn


class L1BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_dev", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if len(x.shape) <= 1:
            raise ValueError(f"no channels in {tuple(x.shape)}")
        last = x.to(torch.promote_types(x.dtype, torch.float32)).movedim(1, -1)
        if self.training:
            mean = last.flatten(0, -2).mean(0)
            dev = 2 * torch.relu(last - mean).flatten(0, -2).mean(0)
            self.running_mean = ((1 - self.momentum) * self.running_mean + self.momentum * mean.detach()).to(self.running_mean.dtype)
            self.running_dev = ((1 - self.momentum) * self.running_dev + self.momentum * dev.detach()).to(self.running_dev.dtype)
        else:
            mean, dev = self.running_mean.to(last.dtype), self.running_dev.to(last.dtype)
        y = torch.addcmul(self.bias.to(last.dtype), (last - mean) / (dev + self.eps), self.weight.to(last.dtype))
        return y.movedim(-1, 1).to(x.dtype)
