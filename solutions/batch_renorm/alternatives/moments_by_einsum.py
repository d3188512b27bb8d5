"""Sums are contractions; clipping is a minimum and a maximum; the lower bound of r is the upper bound of 1/r.

zh: 求和用缩并；截断用最小值和最大值；r 的下界就是 1/r 的上界。
"""

import torch
from torch import Tensor, nn


class BatchRenorm(nn.Module):
    def __init__(self, num_features, r_max=3.0, d_max=5.0, eps=1e-5, momentum=0.01):
        super().__init__()
        self.r_max, self.d_max, self.eps, self.momentum = r_max, d_max, eps, momentum
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_std", torch.ones(num_features))
        self.register_buffer("batches", torch.tensor(0), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() in (0, 1):
            raise ValueError("at least two dimensions are needed")
        values = x.reshape(x.shape[0], x.shape[1], -1).to(torch.promote_types(x.dtype, torch.float32))
        if self.training:
            self.batches += 1
            y = self.by_the_batch(values)
        else:
            y = (values - self.running_mean[:, None]) / self.running_std[:, None]
        y = torch.einsum("ncl,c->ncl", y, self.weight.to(y.dtype)) + self.bias[:, None]
        return y.reshape(x.shape).to(x.dtype)

    def by_the_batch(self, values: Tensor) -> Tensor:
        count = values.shape[0] * values.shape[2]
        mean = torch.einsum("ncl->c", values) / count
        centred = values - mean[:, None]
        std = torch.sqrt(torch.einsum("ncl,ncl->c", centred, centred) / count + self.eps)
        past_std = self.running_std.to(std.dtype)
        ratio, difference = std.detach() / past_std, (mean.detach() - self.running_mean.to(mean.dtype)) / past_std
        r = torch.minimum(ratio, torch.full_like(ratio, self.r_max))
        r = 1 / torch.minimum(1 / r, torch.full_like(r, self.r_max))
        d = torch.maximum(torch.minimum(difference, torch.full_like(r, self.d_max)), torch.full_like(r, -self.d_max))
        for running, new in ((self.running_mean, mean), (self.running_std, std)):
            running.mul_(1 - self.momentum).add_(new.detach(), alpha=self.momentum)
        return centred / std[:, None] * r[:, None] + d[:, None]
