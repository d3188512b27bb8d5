"""The positions are moved to the front, so that (N, C) and (C,) broadcast by themselves; the root is a power of −½.

zh: 位置移到最前，使 (N, C) 和 (C,) 能自动广播；平方根写成 −½ 次幂。
"""

import torch
from torch import Tensor, nn


class InstanceNorm(nn.Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False):
        super().__init__()
        self.eps = eps
        self.momentum = momentum
        self.register_parameter("weight", nn.Parameter(torch.ones(num_features)) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_features)) if affine else None)
        for name, start in (("running_mean", torch.zeros), ("running_var", torch.ones)):
            self.register_buffer(name, start(num_features) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0) if track_running_stats else None)

    def forward(self, x: Tensor) -> Tensor:
        match x.dim():
            case 3:
                turned = x.permute(2, 0, 1)
            case 4:
                turned = x.permute(2, 3, 0, 1)
            case other:
                raise ValueError(f"{other} dimensions")
        wide = turned.flatten(0, -3).to(torch.promote_types(x.dtype, torch.float32))
        wide = self.normalise(wide)
        if self.weight is not None:
            wide = wide * self.weight + self.bias
        result = wide.reshape(turned.shape).to(x.dtype)
        return result.permute(1, 2, 0) if x.dim() == 3 else result.permute(2, 3, 0, 1)

    def normalise(self, wide: Tensor) -> Tensor:
        """(n, N, C) → the same shape."""
        if not self.training and self.running_mean is not None:
            return (wide - self.running_mean) * (self.running_var + self.eps) ** -0.5
        n = wide.shape[0]
        if n == 1:
            raise ValueError("one value per channel")
        centred = wide - wide.sum(0) / n
        squares = (centred * centred).sum(0)
        if self.running_mean is not None:
            with torch.no_grad():
                self.running_mean[:] = (1 - self.momentum) * self.running_mean + self.momentum * wide.mean(0).mean(0)
                self.running_var[:] = (1 - self.momentum) * self.running_var + self.momentum * (squares / (n - 1)).mean(0)
        return centred * (squares / n + self.eps) ** -0.5
