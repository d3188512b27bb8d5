"""A pure function of one channel, mapped over all of them; everything between the two casts is float64.

zh: 写一个只处理单个通道的纯函数，映射到所有通道；两次类型转换之间都用 float64。
"""

import torch
from torch import Tensor, nn


def statistics(channel: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and mean absolute deviation of a vector."""
    mean = channel.sum() / len(channel)
    return mean, torch.sum(torch.abs(channel - mean)) / len(channel)


def scaled(channel: Tensor, mean: Tensor, divisor: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return (channel - mean) / divisor * weight + bias


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
            raise ValueError(f"expected (N, C, *), got {tuple(x.shape)}")
        moved = x.double().movedim(1, 0)
        channels = moved.flatten(1)
        if self.training:
            mean, dev = torch.vmap(statistics)(channels)
            self.follow(mean.detach(), dev.detach())
        else:
            mean, dev = self.running_mean.double(), self.running_dev.double()
        y = torch.vmap(scaled)(channels, mean, dev + self.eps, self.weight.double(), self.bias.double())
        return y.view(moved.shape).movedim(0, 1).to(x.dtype)

    def follow(self, mean: Tensor, dev: Tensor) -> None:
        for name, new in (("running_mean", mean), ("running_dev", dev)):
            old = getattr(self, name)
            setattr(self, name, (old * (1 - self.momentum) + new * self.momentum).to(old.dtype))
