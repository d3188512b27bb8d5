"""Flattened statistics (N · C, 3) times the three shares: a matrix product; the batch's are cloned so that buffers may move at once.

zh: 把统计量展平成 (N · C, 3)，乘以三个占比：一次矩阵乘积；批的统计量先克隆，这样缓冲区可以立即更新。
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
        n, c = x.shape[:2]
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        rows = wide.flatten(2).flatten(0, 1)  # (N · C, H · W)
        var_in, mean_in = torch.var_mean(rows, 1, correction=0)
        var_ln, mean_ln = torch.var_mean(wide.flatten(1), 1, correction=0)
        if self.training:
            var_bn, mean_bn = torch.var_mean(wide.transpose(0, 1).flatten(1), 1, correction=0)
            with torch.no_grad():
                self.running_mean *= 1 - self.momentum
                self.running_mean += self.momentum * mean_bn
                self.running_var *= 1 - self.momentum
                self.running_var += self.momentum * var_bn
        else:
            mean_bn, var_bn = self.running_mean.to(wide.dtype, copy=True), self.running_var.to(wide.dtype, copy=True)
        means = torch.stack([mean_in, mean_ln.repeat_interleave(c), mean_bn.repeat(n)], dim=1)
        variances = torch.stack([var_in, var_ln.repeat_interleave(c), var_bn.repeat(n)], dim=1)
        mean = means @ self.mean_weight.to(wide.dtype).softmax(0)
        std = (variances @ self.var_weight.to(wide.dtype).softmax(0)).add(self.eps).sqrt()
        y = (rows - mean[:, None]).div(std[:, None])
        y = y * self.weight.repeat(n)[:, None] + self.bias.repeat(n)[:, None]
        return y.reshape(x.shape).to(x.dtype)
