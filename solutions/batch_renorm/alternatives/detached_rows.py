"""Every channel becomes a row; r and d are computed with gradients and detached; new tensors are assigned to the buffers.

zh: 每个通道变成一行；r 和 d 带着梯度计算，再用 detach 分离；给缓冲区赋新的张量。
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

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim < 2:
            raise ValueError("x has no channels")
        swapped = x.to(torch.promote_types(x.dtype, torch.float32)).transpose(0, 1)
        rows = swapped.reshape(x.shape[1], -1)
        mu, sigma = self.running_mean.to(rows.dtype)[:, None], self.running_std.to(rows.dtype)[:, None]
        if self.training:
            var, mean = torch.var_mean(rows, 1, correction=0, keepdim=True)
            std = (var + self.eps) ** 0.5
            r = torch.clip(std / sigma, 1 / self.r_max, self.r_max).detach()
            d = torch.clip((mean - mu) / sigma, -self.d_max, self.d_max).detach()
            self.running_mean = (mu + self.momentum * (mean.detach() - mu))[:, 0].to(self.running_mean.dtype)
            self.running_std = (sigma + self.momentum * (std.detach() - sigma))[:, 0].to(self.running_std.dtype)
            y = r * (rows - mean) / std + d
        else:
            y = (rows - mu) / sigma
        y = self.weight[:, None] * y + self.bias[:, None]
        return y.reshape(swapped.shape).transpose(0, 1).to(x.dtype)
