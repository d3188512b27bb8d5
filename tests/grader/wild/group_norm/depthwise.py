import torch
import torch.nn as nn


class GroupNorm(nn.Module):
    """group statistics from per-channel ones (law of total variance)"""

    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True):
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"{num_channels} is not a multiple of {num_groups}")
        self.num_groups, self.eps = num_groups, eps
        self.register_parameter("weight", nn.Parameter(torch.ones(num_channels)) if affine else None)
        self.register_parameter("bias", nn.Parameter(torch.zeros(num_channels)) if affine else None)

    def forward(self, x):
        if x.dim() < 3:
            raise ValueError("no positions")
        N, C = x.shape[0], x.shape[1]
        h = x.reshape(N, C, -1)
        m = h.mean(-1)
        v = (h - m[..., None]).square().mean(-1)
        mg = m.reshape(N, self.num_groups, -1)
        mean = mg.mean(-1, keepdim=True).expand_as(mg).reshape(N, C, 1)
        total = v + (m - mean[..., 0]).square()
        var = v.reshape(N, C, 1)
        y = ((h - mean) / (var + self.eps).sqrt()).reshape(x.shape)
        if self.weight is not None:
            w, b = (p.reshape(-1, *[1] * (x.dim() - 2)) for p in (self.weight, self.bias))
            y = w * y + b
        return y.to(x.dtype)
