"""One closure asks both functions, and refuses what has not one number per channel; both running numbers move as one tensor.

zh: 用一个闭包调用两个函数，并拒绝不是每个通道一个数的返回值；两个滑动统计量合成一个张量一起更新。
"""

import torch
from torch import Tensor, nn


class GeneralizedBatchNorm(nn.Module):
    def __init__(self, num_features, statistic, deviation, eps=1e-5, momentum=0.1):
        super().__init__()
        self.measure = lambda channels: (statistic(channels), deviation(channels))
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        for name, start in (("running_statistic", 0.0), ("running_deviation", 1.0)):
            self.register_buffer(name, torch.full((num_features,), start))

    def forward(self, x: Tensor) -> Tensor:
        if not x.shape[1:]:
            raise ValueError(f"expected (N, C, *), got {tuple(x.shape)}")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        if self.training:
            channels = torch.cat([sample.flatten(1) if x.dim() > 2 else sample[:, None] for sample in wide.unbind()], dim=1)
            statistic, deviation = self.measure(channels)
            if statistic.shape != deviation.shape or statistic.shape != x.shape[1:2]:
                raise ValueError("each function returns one number per channel")
            self.move(statistic, deviation)
        else:
            statistic, deviation = self.running_statistic.to(wide.dtype), self.running_deviation.to(wide.dtype)
        last = torch.swapaxes(wide, 1, -1)
        y = self.weight * ((last - statistic) / (deviation + self.eps)) + self.bias
        return torch.swapaxes(y, 1, -1).to(x.dtype)

    @torch.no_grad()
    def move(self, statistic: Tensor, deviation: Tensor) -> None:
        old = torch.stack([self.running_statistic, self.running_deviation]).to(statistic.dtype)
        new = torch.lerp(old, torch.stack([statistic, deviation]), self.momentum)
        self.running_statistic.copy_(new[0])
        self.running_deviation.copy_(new[1])
