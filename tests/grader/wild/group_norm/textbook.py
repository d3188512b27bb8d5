import torch
from torch import nn


class GroupNorm(nn.Module):
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True):
        super().__init__()
        assert num_channels % num_groups == 0, "channels must be divisible by groups"
        self.num_groups = num_groups
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(1, num_channels, 1, 1)) if affine else None
        self.bias = nn.Parameter(torch.zeros(1, num_channels, 1, 1)) if affine else None

    def forward(self, x):
        n, c = x.shape[:2]
        g = x.to(torch.promote_types(x.dtype, torch.float32)).view(n, self.num_groups, -1)
        mean = g.mean(-1, keepdim=True)
        var = g.var(-1, keepdim=True)
        g = (g - mean) / (var + self.eps).sqrt()
        y = g.view(x.shape)
        if self.weight is not None:
            y = y * self.weight + self.bias
        return y.to(x.dtype)
