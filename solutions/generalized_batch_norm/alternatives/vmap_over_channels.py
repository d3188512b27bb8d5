"""What is done to one channel is a pure function, mapped over all of them; everything between the two casts is float64.

zh: 对一个通道所做的写成纯函数，映射到所有通道；两次类型转换之间都用 float64。
"""

import torch
from torch import Tensor, nn


def normalised(channel: Tensor, statistic: Tensor, divisor: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return (channel - statistic) / divisor * weight + bias


class GeneralizedBatchNorm(nn.Module):
    def __init__(self, num_features, statistic, deviation, eps=1e-5, momentum=0.1):
        super().__init__()
        self.statistic, self.deviation = statistic, deviation
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_statistic", torch.zeros(num_features))
        self.register_buffer("running_deviation", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() < 2:
            raise ValueError(f"expected (N, C, *), got {tuple(x.shape)}")
        moved = x.double().movedim(1, 0)
        channels = moved.flatten(1)
        if self.training:
            found = self.statistic(channels), self.deviation(channels)
            self.follow(*(each.detach() for each in found))
        else:
            found = self.running_statistic.double(), self.running_deviation.double()
        s, d = found
        y = torch.vmap(normalised)(channels, s, d + self.eps, self.weight.double(), self.bias.double())
        return y.view(moved.shape).movedim(0, 1).to(x.dtype)

    def follow(self, *found: Tensor) -> None:
        for name, new in zip(("running_statistic", "running_deviation"), found, strict=True):
            old = getattr(self, name)
            setattr(self, name, (old * (1 - self.momentum) + new * self.momentum).to(old.dtype))
