"""Both modes end in one scale and one shift per channel, as in a folded convolution; the buffers are assigned anew.

zh: 两种模式最后都是每个通道一次缩放和一次平移，如同合并进卷积；缓冲区重新赋值。
"""

import torch
from torch import Tensor, nn


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
        if len(x.shape) <= 1:
            raise ValueError(f"no channels in {tuple(x.shape)}")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        if self.training:
            rows = wide.transpose(0, 1).reshape(wide.shape[1], -1)
            s, d = self.statistic(rows), self.deviation(rows)
            self.running_statistic = self.moved(self.running_statistic, s.detach())
            self.running_deviation = self.moved(self.running_deviation, d.detach())
        else:
            s, d = self.running_statistic.to(wide.dtype), self.running_deviation.to(wide.dtype)
        scale = self.weight.to(wide.dtype) * (d + self.eps).reciprocal()
        shift = self.bias.to(wide.dtype) - s * scale
        return torch.einsum("nc...,c->nc...", wide, scale).add(shift.reshape(-1, *[1] * (x.dim() - 2))).to(x.dtype)

    def moved(self, old: Tensor, new: Tensor) -> Tensor:
        return ((1 - self.momentum) * old + self.momentum * new).to(old.dtype)
