"""Everything is computed in (C, n), and the result goes back at the end.

zh: 全部在 (C, n) 中计算，最后才变回原来的形状。
"""

import torch
from torch import Tensor, nn


class GeneralizedBatchNorm(nn.Module):
    def __init__(self, num_features, statistic, deviation, eps=1e-5, momentum=0.1):
        super().__init__()
        self.functions = statistic, deviation
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.empty(num_features))
        self.bias = nn.Parameter(torch.empty(num_features))
        self.register_buffer("running_statistic", torch.empty(num_features))
        self.register_buffer("running_deviation", torch.empty(num_features))
        starts = ((self.weight, 1.0), (self.bias, 0.0), (self.running_statistic, 0.0), (self.running_deviation, 1.0))
        for tensor, start in starts:
            nn.init.constant_(tensor, start)

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim < 2:
            raise ValueError("x has no channels")
        swapped = x.to(torch.promote_types(x.dtype, torch.float32)).movedim(1, 0)
        rows = swapped.reshape(x.shape[1], -1)
        runnings = self.running_statistic, self.running_deviation
        if self.training:
            statistic, deviation = (function(rows) for function in self.functions)
            with torch.no_grad():
                for running, new in zip(runnings, (statistic, deviation), strict=True):
                    running.copy_(torch.lerp(running.to(new.dtype), new, self.momentum))
        else:
            statistic, deviation = (running.to(rows.dtype) for running in runnings)
        factor = self.weight / (deviation + self.eps)
        y = (rows - statistic[:, None]) * factor[:, None] + self.bias[:, None]
        return y.reshape(swapped.shape).movedim(0, 1).to(x.dtype)
