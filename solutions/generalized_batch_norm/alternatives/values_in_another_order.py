"""The positions come before the samples in each row, and the deviation is asked before the statistic.

zh: 每一行中位置排在样本之前；先算偏差，再算统计量。
"""

import torch
from torch import Tensor, nn


class GeneralizedBatchNorm(nn.Module):
    def __init__(self, num_features, statistic, deviation, eps=1e-5, momentum=0.1):
        super().__init__()
        self.measure = {"deviation": deviation, "statistic": statistic}
        self.options = {"eps": eps, "momentum": momentum}
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_statistic", torch.zeros(num_features))
        self.register_buffer("running_deviation", torch.ones(num_features))
        self.register_buffer("batches", torch.tensor(0), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() in (0, 1):
            raise ValueError("at least two dimensions are needed")
        last = x.to(torch.promote_types(x.dtype, torch.float32)).movedim(1, -1)  # (N, *, C)
        if self.training:
            self.batches += 1
            columns = last.movedim(0, -2).flatten(0, -2)  # (n, C), all samples of the first position first
            found = {name: function(columns.mT) for name, function in self.measure.items()}
            for name, new in found.items():
                running = getattr(self, f"running_{name}")
                running.add_((new.detach() - running) * self.options["momentum"])
        else:
            found = {name: getattr(self, f"running_{name}").to(last.dtype) for name in self.measure}
        y = (last - found["statistic"]) / (found["deviation"] + self.options["eps"])
        y = torch.addcmul(self.bias.to(y.dtype), y, self.weight.to(y.dtype))
        return y.movedim(-1, 1).to(x.dtype)
