"""Sums are contractions; the distance is the larger one of x − μ and μ − x.

zh: 求和用缩并；距离取 x − μ 与 μ − x 中较大的一个。
"""

import torch
from torch import Tensor, nn


class L1BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.options = {"eps": eps, "momentum": momentum}
        self.weight = nn.Parameter(torch.ones(num_features))
        self.bias = nn.Parameter(torch.zeros(num_features))
        self.register_buffer("running_mean", torch.zeros(num_features))
        self.register_buffer("running_dev", torch.ones(num_features))
        self.register_buffer("batches", torch.tensor(0), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() in (0, 1):
            raise ValueError("at least two dimensions are needed")
        values = x.reshape(x.shape[0], x.shape[1], -1).to(torch.promote_types(x.dtype, torch.float32))
        count = values.shape[0] * values.shape[2]
        if self.training:
            self.batches += 1
            mean = torch.einsum("ncl->c", values) / count
            distance = torch.maximum(values - mean[None, :, None], mean[None, :, None] - values)
            dev = torch.einsum("ncl->c", distance) / count
            for running, new in ((self.running_mean, mean), (self.running_dev, dev)):
                running.add_((new.detach() - running) * self.options["momentum"])
        else:
            mean, dev = self.running_mean, self.running_dev
        reciprocal = (dev.to(values.dtype) + self.options["eps"]).reciprocal()
        y = torch.einsum("ncl,c,c->ncl", values - mean[None, :, None], reciprocal, self.weight.to(values.dtype))
        return (y + self.bias[:, None]).reshape(x.shape).to(x.dtype)
