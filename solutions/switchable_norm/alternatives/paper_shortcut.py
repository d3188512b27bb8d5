"""The paper's way: layer and batch statistics are computed from those of the instances, through second moments.

zh: 论文的做法：借助二阶矩，由各实例的统计量算出层和批的统计量。
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
            raise ValueError(f"expected 4 dimensions, got {x.dim()}")
        n, c, h, w = x.shape
        pixels = x.reshape(n, c, h * w).to(torch.promote_types(x.dtype, torch.float32))
        mean_in = pixels.mean(-1, keepdim=True)
        var_in = pixels.var(-1, keepdim=True, unbiased=False)
        second_moment = var_in + mean_in**2
        mean_ln = mean_in.mean(1, keepdim=True)
        var_ln = second_moment.mean(1, keepdim=True) - mean_ln**2
        if self.training:
            mean_bn = mean_in.mean(0, keepdim=True)
            var_bn = second_moment.mean(0, keepdim=True) - mean_bn**2
            self.running_mean.mul_(1 - self.momentum).add_(mean_bn.detach().view(c), alpha=self.momentum)
            self.running_var.mul_(1 - self.momentum).add_(var_bn.detach().view(c), alpha=self.momentum)
        else:
            mean_bn = self.running_mean[None, :, None]
            var_bn = self.running_var[None, :, None]
        softmax = nn.Softmax(dim=0)
        a, b = softmax(self.mean_weight), softmax(self.var_weight)
        mean = a[0] * mean_in + a[1] * mean_ln + a[2] * mean_bn
        var = b[0] * var_in + b[1] * var_ln + b[2] * var_bn
        out = (pixels - mean) / (var + self.eps).sqrt()
        out = out * self.weight[:, None] + self.bias[:, None]
        return out.view(n, c, h, w).to(x.dtype)
