"""A single call: count, Σ x and Σ x² in float64, where E[x²] − E[x]² has digits to lose; new tensors are assigned to the buffers.

zh: 只调用一次：个数、Σ x 和 Σ x² 都用 float64，E[x²] − E[x]² 有足够的有效数字可以损失；缓冲区被赋予新的张量。
"""

import torch
from torch import Tensor, nn


class SyncBatchNorm(nn.Module):
    def __init__(self, num_features, all_reduce, eps=1e-5, momentum=0.1):
        super().__init__()
        self.options = {"eps": eps, "momentum": momentum, "all_reduce": all_reduce}
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.weight = nn.Parameter(torch.ones(num_features))
        self.register_buffer("num_batches_tracked", torch.tensor(0))
        self.register_buffer("running_var", torch.ones(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() <= 1:
            raise ValueError("x has no dimension of channels")
        channels_last = x.movedim(1, -1)
        values = channels_last.double()
        if self.training:
            rows = values.flatten(0, -2)  # (n, C)
            moments = torch.cat([rows.new_full((1, x.shape[1]), len(rows)), rows.sum(0, True), rows.square().sum(0, True)])
            count, first, second = self.options["all_reduce"](moments)
            if count.max() <= 1:
                raise ValueError("there is one value per channel")
            mean = first / count
            var = second / count - mean.square()
            self.follow(mean, var * count / (count - 1))
        else:
            mean, var = self.running_mean.double(), self.running_var.double()
        y = (values - mean) * torch.pow(var + self.options["eps"], -0.5)
        return (y * self.weight + self.bias).movedim(-1, 1).to(x.dtype)

    @torch.no_grad()
    def follow(self, mean: Tensor, var: Tensor) -> None:
        self.num_batches_tracked = self.num_batches_tracked + 1
        rate = self.options["momentum"]
        if rate is None:
            rate = 1 / int(self.num_batches_tracked)
        for name, new in (("running_mean", mean), ("running_var", var)):
            old = getattr(self, name)
            setattr(self, name, ((1 - rate) * old.double() + rate * new).to(old.dtype))
