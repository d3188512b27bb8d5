"""Every channel becomes a row; the deviation is the L1 norm of the centred row over its length.

zh: 每个通道变成一行；偏差是中心化后该行的 L1 范数除以行的长度。
"""

import torch
from torch import Tensor, nn


class L1BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1):
        super().__init__()
        self.eps, self.momentum = eps, momentum
        self.weight = nn.Parameter(torch.empty(num_features))
        self.bias = nn.Parameter(torch.empty(num_features))
        self.register_buffer("running_mean", torch.empty(num_features))
        self.register_buffer("running_dev", torch.empty(num_features))
        for tensor, start in ((self.weight, 1.0), (self.bias, 0.0), (self.running_mean, 0.0), (self.running_dev, 1.0)):
            nn.init.constant_(tensor, start)

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim < 2:
            raise ValueError("x has no channels")
        swapped = x.to(torch.promote_types(x.dtype, torch.float32)).transpose(0, 1)
        rows = swapped.reshape(x.shape[1], -1)
        if self.training:
            mean = rows.mean(1)
            centred = rows - mean[:, None]
            dev = torch.linalg.vector_norm(centred, ord=1, dim=1) / rows.shape[1]
            with torch.no_grad():
                self.running_mean.copy_(torch.lerp(self.running_mean.to(mean.dtype), mean, self.momentum))
                self.running_dev.copy_(torch.lerp(self.running_dev.to(mean.dtype), dev, self.momentum))
        else:
            dev = self.running_dev
            centred = rows - self.running_mean[:, None]
        scale = self.weight / (dev.to(rows.dtype) + self.eps)
        y = centred * scale[:, None] + self.bias[:, None]
        return y.reshape(swapped.shape).transpose(0, 1).to(x.dtype)
