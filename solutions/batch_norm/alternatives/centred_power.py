"""The variance is the mean square of the centred values, and the deviation a power of −½; buffers move through `.data`.

zh: 方差是中心化后各值平方的均值，除以标准差写成 −½ 次幂；缓冲区通过 `.data` 更新。
"""

import torch
from torch import Tensor, nn


class BatchNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self.register_parameter("weight", None)
        self.register_parameter("bias", None)
        self.register_buffer("running_mean", None)
        self.register_buffer("running_var", None)
        self.register_buffer("num_batches_tracked", None)
        if affine:
            self.weight = nn.Parameter(torch.ones(num_features))
            self.bias = nn.Parameter(torch.zeros(num_features))
        if track_running_stats:
            self.running_mean = torch.zeros(num_features)
            self.running_var = torch.ones(num_features)
            self.num_batches_tracked = torch.tensor(0)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() not in (2, 3, 4):
            raise ValueError("expected (N, C), (N, C, L) or (N, C, H, W)")
        if self.training and x[:, 0].numel() < 2:
            raise ValueError("expected at least two values per channel")
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        axes = (0, 2, 3)[: x.dim() - 1]
        tail = (1,) * (x.dim() - 2)
        if self.training or not self.track_running_stats:
            mean = wide.mean(axes, keepdim=True)
            centred = wide - mean
            var = (centred**2).mean(axes, keepdim=True)
            if self.training and self.track_running_stats:
                self.remember(mean.data.flatten(), var.data.flatten(), x[:, 0].numel())
        else:
            centred = wide - self.running_mean.view(-1, *tail)
            var = self.running_var.to(wide.dtype).view(-1, *tail)
        out = centred * (var + self.eps) ** -0.5
        if self.affine:
            out = out * self.weight.view(-1, *tail)
            out = out + self.bias.view(-1, *tail)
        return out.type(x.dtype)

    def remember(self, mean: Tensor, var: Tensor, n: int) -> None:
        self.num_batches_tracked.data += 1
        momentum = 1 / int(self.num_batches_tracked) if self.momentum is None else self.momentum
        kept = 1 - momentum
        self.running_mean.data = (kept * self.running_mean + momentum * mean).to(self.running_mean.dtype)
        self.running_var.data = (kept * self.running_var + momentum * n / (n - 1) * var).to(self.running_var.dtype)
