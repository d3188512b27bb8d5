"""Every mean is a product with a vector of 1 / n; weight and bias are registered after the buffers, and momentum is a complement.

zh: 每个均值都写成与元素全为 1/n 的向量的乘积；weight 和 bias 在缓冲区之后注册，动量存成 1 减去它的值。
"""

import torch
from torch import Tensor, nn


def averaged(values: Tensor) -> Tensor:
    """The mean over the last dimension, which stays as one of length 1."""
    n = values.shape[-1]
    return values @ values.new_full((n, 1), 1 / n)


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
        super().__init__()
        self.eps, self.kept = eps, 1 - momentum
        for name, start in (("running_mean", torch.zeros(num_features)), ("running_var", torch.ones(num_features))):
            self.register_buffer(name, start if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)
        for name, start in (("bias", torch.zeros(num_features)), ("weight", torch.ones(num_features))):
            self.register_parameter(name, nn.Parameter(start) if affine else None)

    def forward(self, x: Tensor) -> Tensor:
        if x.dim() == 3:
            rows = x
        elif x.dim() == 4:
            rows = x.reshape(*x.shape[:2], -1)
        else:
            raise ValueError(f"cannot normalise {x.dim()} dimensions")
        rows = rows.to(torch.promote_types(x.dtype, torch.float32))
        n = rows.shape[-1]
        own = self.training or self.running_var is None
        if own and n == 1:
            raise ValueError("cannot normalise one value per channel")
        mean = averaged(rows) if own else self.running_mean.to(rows.dtype)[:, None]
        centred = rows - mean
        var = averaged(centred * centred) if own else self.running_var.to(rows.dtype)[:, None]
        if own and self.running_var is not None:
            with torch.no_grad():
                self.running_mean *= self.kept
                self.running_mean += (1 - self.kept) * mean.mean(dim=0).squeeze(-1)
                self.running_var *= self.kept
                self.running_var += (1 - self.kept) * (var * n / (n - 1)).mean(dim=0).squeeze(-1)
        y = centred / (var + self.eps).sqrt()
        if self.weight is not None:
            y = y * self.weight[:, None] + self.bias[:, None]
        return y.reshape(x.shape).to(x.dtype)
