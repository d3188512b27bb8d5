"""Everything is computed in float64 and rounded once, for the output and for each buffer.

zh: 一切都在 float64 中计算，输出和每个缓冲区各只舍入一次。
"""

import torch
from torch import Tensor, nn


class SwitchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.mean_weight = nn.Parameter(torch.ones(3))
        self.var_weight = nn.Parameter(torch.ones(3))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_var", torch.ones(num_features))

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() != 4:
            raise ValueError("x must have 4 dimensions")
        values = x.double()
        statistics = [self.over(values, 2, 3), self.over(values, 1, 2, 3)]
        if self.training:
            batch = self.over(values, 0, 2, 3)
            with torch.no_grad():
                self.running_mean[:] = (1 - self.momentum) * self.running_mean.double() + self.momentum * batch[0].flatten()
                self.running_var[:] = (1 - self.momentum) * self.running_var.double() + self.momentum * batch[1].flatten()
        else:
            batch = self.running_mean.double().view(1, -1, 1, 1), self.running_var.double().view(1, -1, 1, 1)
        means, variances = zip(*statistics, batch, strict=True)
        mean = self.mixed(self.mean_weight, means)
        var = self.mixed(self.var_weight, variances)
        y = (values - mean) / (var + self.eps).sqrt()
        return (y * self.weight.double().view(-1, 1, 1) + self.bias.double().view(-1, 1, 1)).to(x.dtype)

    @staticmethod
    def over(values: Tensor, *dims: int) -> tuple[Tensor, Tensor]:
        return values.mean(dims, keepdim=True), values.var(dims, correction=0, keepdim=True)

    @staticmethod
    def mixed(weights: Tensor, kinds) -> Tensor:
        shares = weights.double().softmax(0)
        return sum(share * kind for share, kind in zip(shares, kinds, strict=True))
